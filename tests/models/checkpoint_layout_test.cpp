#include <catch2/catch.hpp>

#include "models/checkpoint/layout.hpp"
#include "tests/support/designs.hpp"

namespace checkpoint_layout_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::CheckpointLayout;
using models::RankShare;
using models::Role;

namespace {

struct Llama {
  const char *hidden, *ffn, *heads, *kv_heads, *layers;
};

/// What `ranks` ranks, `per_host` on each host, write in `layout`.
CheckpointLayout layout_of(Settings save, Settings model, const char* tensor, const char* pipeline,
                           double ranks, double per_host = 8.0) {
  const Component checkpoint = component(Role::checkpoint, "sync", "checkpoint", save);
  const Component trained = component(Role::model, "dense", "model", model);
  const Component job =
      component(Role::job, "training", "train",
                {{"hosts", "gpu"}, {"parallel.tensor", tensor}, {"parallel.pipeline", pipeline}});
  return models::checkpoint_layout(models::checkpoint_params(checkpoint),
                                   models::model_params(trained), models::job_params(job), ranks,
                                   per_host);
}

CheckpointLayout llama(const Llama& m, const char* layout, const char* tensor, const char* pipeline,
                       double ranks) {
  return layout_of({{"to", "scratch"}, {"layout", layout}},
                   {{"shape.vocabulary", "128256"},
                    {"shape.hidden", m.hidden},
                    {"shape.ffn", m.ffn},
                    {"shape.heads", m.heads},
                    {"shape.kv_heads", m.kv_heads},
                    {"shape.layers", m.layers}},
                   tensor, pipeline, ranks);
}

double bytes(Bytes b) { return b.in(unit::B); }

}  // namespace

TEST_CASE("MLPerf's llama3-8b is 16 files of 112,425,623,552 bytes") {
  // P = 2 V h + h + L (2 h + h (h + 2 d) + h^2 + 3 f h), d = 4096 / 32 x 8 = 1024:
  // 1,050,673,152 + 4,096 + 32 x 218,112,000 = 8,030,261,248. ZeRO-3 over 8 ranks divides all
  // tensors without rest: weights 2 P / 8 and optimizer 12 (P / 8 + 5 h) on each,
  // 2,007,565,312 + 12 x (1,003,782,656 + 20,480) = 14,053,202,944; times 8 = 104.7045 GiB.
  const CheckpointLayout layout = llama({"4096", "14336", "32", "8", "32"}, "zero3", "1", "1", 8);
  REQUIRE(layout.writers.size() == 1);
  CHECK(bytes(layout.writers[0].bytes) == 14053202944.0);
  CHECK(bytes(layout.size()) == 112425623552.0);
  CHECK(layout.files() == 16.0);
}

// Explanations change hosts, tensor and pipeline parallelism a little at the same time.
TEST_CASE("fewer ranks than a replica has are laid out as one replica") {
  const CheckpointLayout layout = llama({"4096", "14336", "32", "8", "32"}, "zero3", "2", "2", 3);
  CHECK(layout.size() > 0_B);
}

TEST_CASE("MLPerf's llama3-70b is 128 files of 978,406,572,032 bytes") {
  // 64 ranks, tensor 8: norms are on all tensor ranks, all else is cut by 8 and by the 8 replicas.
  // P = 69,882,617,856; optimizer 12 (P / 64 + 5 x 8192) = 13,594,507,... ; 15,287,602,688 a rank,
  // 911.2121 GiB in all.
  const CheckpointLayout layout = llama({"8192", "28672", "128", "8", "80"}, "zero3", "8", "1", 64);
  CHECK(bytes(layout.writers[0].bytes) == 15287602688.0);
  CHECK(bytes(layout.size()) == 978406572032.0);
  CHECK(layout.files() == 128.0);
}

TEST_CASE("MLPerf's llama3-405b is 1544 files of 5,682,508,791,808 bytes in unequal parts") {
  // ZeRO-1, tensor 8, pipeline 32, two replicas. All 512 ranks write
  // 12 (floor(405,853,388,800 / 512) + 5 x 16384) = 9,513,171,840 B of optimizer. The first replica
  // also writes weights, by layer: 126 = 30 x 4 + 2 x 3 layers of 398,491,648 elements per rank;
  // the first stage has the embedding (128256 x 16384 / 8 elements) too, the last stage the output
  // layer and the last norm (16384). 512 + 8 x (126 + 3) files; 8.86 to 12.32 GiB a rank.
  const CheckpointLayout layout =
      llama({"16384", "53248", "128", "8", "126"}, "zero1", "8", "32", 512);
  const double optimizer = 9513171840.0, layer = 2.0 * 398491648.0, ends = 2.0 * 262668288.0;
  REQUIRE(layout.writers.size() == 5);
  CHECK(layout.writers[0].rank0);
  CHECK(layout.writers[0].members == 8.0);
  CHECK(bytes(layout.writers[0].bytes) == optimizer + 4.0 * layer + ends);
  CHECK(layout.writers[0].files == 6.0);
  CHECK(layout.writers[1].members == 29.0 * 8.0);
  CHECK(bytes(layout.writers[1].bytes) == optimizer + 4.0 * layer);
  CHECK(layout.writers[2].members == 8.0);
  CHECK(bytes(layout.writers[2].bytes) == optimizer + 3.0 * layer);
  CHECK(layout.writers[3].members == 8.0);
  CHECK(bytes(layout.writers[3].bytes) == optimizer + 3.0 * layer + ends + 2.0 * 16384.0);
  CHECK(layout.writers[4].members == 256.0);
  CHECK(bytes(layout.writers[4].bytes) == optimizer);
  CHECK(layout.writer_count() == 512.0);
  CHECK(bytes(layout.size()) == 5682508791808.0);
  CHECK(layout.files() == 1544.0);
}

TEST_CASE("MLPerf's llama3-1t is 2072 files of 16,564,174,094,592 bytes") {
  // ZeRO-1, tensor 8, pipeline 64, two replicas; d = floor(25872 / 192) x 32 = 4288.
  // 1024 + 8 x (128 + 3) files; 12.91 to 17.97 GiB a rank; 15426.59 GiB in all.
  const CheckpointLayout layout =
      llama({"25872", "98304", "192", "32", "128"}, "zero1", "8", "64", 1024);
  CHECK(bytes(layout.size()) == 16564174094592.0);
  CHECK(layout.files() == 2072.0);
  double least = 1e99, most = 0.0;
  for (const RankShare& share : layout.writers) {
    least = std::min(least, share.bytes.in(unit::GiB));
    most = std::max(most, share.bytes.in(unit::GiB));
  }
  CHECK(least == Approx(12.913016).epsilon(1e-7));
  CHECK(most == Approx(17.965533).epsilon(1e-7));
}

TEST_CASE("every layout saves the state once, whoever writes it") {
  // 70e9 x 14 B over 64 ranks of tensor 4 x pipeline 2: 8 replicas of 8 ranks.
  struct Row {
    const char* layout;
    double writers, files;
  };
  // zero0: the 8 ranks of one replica, weights and optimizer; zero1, zero2: those 8 also weights;
  // zero3: two files each; fsdp-hybrid: the 8 ranks of a host.
  for (const Row& row : {Row{"sharded", 64, 64}, Row{"rank0", 1, 1}, Row{"zero0", 8, 16},
                         Row{"zero1", 64, 72}, Row{"zero2", 64, 72}, Row{"zero3", 64, 128},
                         Row{"fsdp", 64, 64}, Row{"fsdp-hybrid", 8, 8}}) {
    INFO(row.layout);
    const CheckpointLayout layout = layout_of({{"to", "scratch"}, {"layout", row.layout}},
                                              {{"parameters", "70e9"}}, "4", "2", 64);
    CHECK(bytes(layout.size()) == Approx(980e9).epsilon(1e-12));
    CHECK(layout.writer_count() == row.writers);
    CHECK(layout.files() == row.files);
  }
}

TEST_CASE("the fullest host and rank write what their layout gives them") {
  // 980 GB: 140 of weights, 840 of optimizer, on 8 hosts of 8 ranks, 8 in a replica. zero1: each of
  // the first host has 140 / 8 and 840 / 64.
  struct Row {
    const char* layout;
    double host, rank;
  };
  for (const Row& row :
       {Row{"sharded", 980.0 / 8, 980.0 / 64}, Row{"rank0", 980, 980}, Row{"zero0", 980, 980.0 / 8},
        Row{"zero1", 140.0 + 840.0 / 8, 140.0 / 8 + 840.0 / 64},
        Row{"zero3", 980.0 / 8, 980.0 / 64}, Row{"fsdp-hybrid", 980, 980.0 / 8}}) {
    INFO(row.layout);
    const CheckpointLayout layout = layout_of({{"to", "scratch"}, {"layout", row.layout}},
                                              {{"parameters", "70e9"}}, "4", "2", 64);
    CHECK(layout.of_host({64, 8}).in(unit::GB) == Approx(row.host).epsilon(1e-12));
    CHECK(layout.of_rank().in(unit::GB) == Approx(row.rank).epsilon(1e-12));
  }
  // Two of eight ranks of a host have 10 GB of weights more than 7.5 GB each.
  const CheckpointLayout some =
      layout_of({{"to", "scratch"}, {"layout", "zero1"}}, {{"parameters", "10e9"}}, "2", "1", 16);
  CHECK(some.of_host({16, 2}).in(unit::GB) == Approx(2 * 10.0 + 8 * 7.5).epsilon(1e-12));
  // Two GPUs on two of four hosts.
  const CheckpointLayout few =
      layout_of({{"to", "scratch"}}, {{"parameters", "10e9"}}, "1", "1", 2, 1.0);
  CHECK(few.of_host({2, 4}).in(unit::GB) == Approx(70.0).epsilon(1e-12));
  // Ten ranks on four hosts: three on each of the first two.
  const CheckpointLayout uneven =
      layout_of({{"to", "scratch"}}, {{"parameters", "10e9"}}, "1", "1", 10, 3.0);
  CHECK(uneven.of_host({10, 4}).in(unit::GB) == Approx(3 * 14.0).epsilon(1e-12));
}

TEST_CASE("what a restore reads depends on who holds copies") {
  const auto read = [](const char* layout, bool once) {
    const CheckpointLayout l =
        layout_of({{"to", "scratch"}, {"layout", layout}}, {{"parameters", "10e9"}}, "2", "1", 16);
    double all = 0.0;
    for (const RankShare& share : once ? l.readers_once : l.readers_all)
      all += share.members * share.bytes.in(unit::GB);
    return all;
  };
  // 140 GB: 20 GB of weights, 120 GB of optimizer; 8 replicas of 2 ranks.
  CHECK(read("sharded", false) == Approx(140.0));
  CHECK(read("zero0", false) == Approx(8 * 140.0));
  CHECK(read("zero1", false) == Approx(8 * 20.0 + 120.0));
  CHECK(read("zero3", false) == Approx(140.0));
  CHECK(read("rank0", false) == Approx(16 * 140.0));
  CHECK(read("fsdp-hybrid", false) == Approx(2 * 140.0));
  for (const char* layout : {"sharded", "zero0", "zero1", "zero3", "rank0", "fsdp-hybrid"})
    CHECK(read(layout, true) == Approx(140.0));
}

TEST_CASE("objects of one size take the place of files") {
  // 140 GB over 16 ranks, 8.75 GB each: ceil(8.75e9 / 64 MiB) = 131 objects.
  const CheckpointLayout layout =
      layout_of({{"to", "scratch"}, {"chunk", "64 MiB"}}, {{"parameters", "10e9"}}, "1", "1", 16);
  CHECK(layout.writers[0].files == 131.0);
  CHECK(layout.files() == 16.0 * 131.0);
  // An increment of 1 % is cut into as large ones: 87.5 MB into 2.
  CHECK(layout.files(0.01) == 16.0 * 2.0);
  const CheckpointLayout halves =
      layout_of({{"to", "scratch"}, {"chunk", "64 MiB"}, {"compress.ratio", "2"}},
                {{"parameters", "10e9"}}, "1", "1", 16);
  CHECK(halves.files() == 16.0 * 66.0);
  CHECK(halves.files(0.01) == 16.0);
}

TEST_CASE("each thread of a writer has files of its own") {
  const auto files = [](Settings save) {
    return layout_of(save, {{"parameters", "10e9"}}, "1", "1", 16).files();
  };
  CHECK(files({{"to", "scratch"}, {"threads", "4"}}) == 16.0 * 4.0);
  CHECK(files({{"to", "scratch"}, {"threads", "4"}, {"files", "6"}}) == 16.0 * 6.0);
  CHECK(files({{"to", "scratch"}, {"threads", "4"}, {"layout", "zero3"}}) == 16.0 * 4.0);
  CHECK(files({{"to", "scratch"}, {"threads", "4"}, {"layout", "rank0"}}) == 4.0);
}

}  // namespace checkpoint_layout_test
