#include <catch2/catch.hpp>

#include "scenarios/rules/rules.hpp"
#include "tests/scenarios/support.hpp"

/// What is said of data sets and loaders, of storage they are on, and of designs made by programs.
namespace data_rules_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A job that reads a "dataset" from Lustre; "drives" are in the hosts.
std::string remark(const std::string& dataset, const std::string& in_job = "",
                   const std::string& drives = "") {
  const std::string whole = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "gpus": 8 } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } },
               { "id": "drives", "type": "local", "drive": { "count": 4 } )" +
                            drives + R"( } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
              "dataset": { "on": "scratch", )" +
                            dataset + "} " + in_job + R"( } ],
  "run": { "duration": "1 h" }
})";
  return remarks(load_with({}, "", whole.c_str()).diagnostics());
}

constexpr const char* kRaw = R"("format": "raw", "sample": "1 MB")";

}  // namespace

// 1 MB files of one stripe on 8 OSTs: one on an eighth, four on half of them.
TEST_CASE("a data set that lies on few targets is warned of") {
  const auto said = [](const char* in_file) {
    return remark(R"("format": "hdf5", "sample": "1 MB", "samples": 100000, "samples_per_file": )" +
                  std::string(in_file));
  };
  CHECK_THAT(said("100000"),
             Contains("rule /jobs/0/dataset the data set of job \"train\" is 1 file, which lies on "
                      "12.5 % of the OSTs of \"scratch\": it is read from no others | write "
                      "\"stripe\": { \"count\": 0 } for \"scratch\", which lays a file on all, or "
                      "store the data set in more files"));
  CHECK_THAT(said("25000"), Contains("is 4 files, which lie on 50.0 % of the OSTs"));
  CHECK(said("1000") == "");
}

TEST_CASE("a data set holds a sample, a shard and a row group") {
  const std::string raw = std::string(kRaw) + ", ";
  CHECK(remark(raw + R"("size": "1 TB")") == "");
  CHECK_THAT(remark(raw + R"("size": "999 kB")"),
             Contains("6:88 rule /jobs/0/dataset/size the dataset is smaller than one sample | "
                      "\"size\" is of the whole data set"));
  // Both say the same, to one percent.
  const std::string wrong = remark(raw + R"("samples": -5)");
  CHECK_THAT(wrong, Contains("\"samples\" must be at least 1, not -5") && !Contains("neither"));
  CHECK(remark(raw + R"("size": "1.005 TB", "samples": 1000000)") == "");
  CHECK(remark(raw + R"("size": "0.995 TB", "samples": 1000000)") == "");
  for (const char* size : {"1.02 TB", "0.98 TB"})
    CHECK_THAT(remark(raw + R"("samples": 1000000, "size": ")" + size + "\""),
               Contains("the dataset has two sizes") && Contains("is 1 TB | give \"size\""));
  const std::string tar = R"("format": "webdataset", "sample": "1 MB", "size": "1 TB", )";
  CHECK_THAT(remark(tar + R"("shard": "2 TB")"),
             Contains("rule /jobs/0/dataset/shard a shard is larger than the data set | all "
                      "workers read one file; lower \"shard\""));
  CHECK_THAT(remark(R"("format": "parquet", "sample": "1 MB", "size": "1 TB",
                       "row_group": "2 TB")"),
             Contains("a row group is larger than the data set"));
  CHECK_THAT(remark(raw + R"("size": "1 TB", "cache": { "policy": "lru", "size": "900 kB" })"),
             Contains("a cache of 900 kB does not hold one sample of 1 MB | raise \"cache.size\""));
  CHECK_THAT(remark(R"("format": "parquet", "sample": "1 MB", "size": "1 TB", "row_group": "100 MB",
                       "cache": { "policy": "lru", "size": "90 MB" })"),
             Contains("does not hold one row group of 100 MB"));
}

TEST_CASE("a scan of objects that are opened without a request is warned of") {
  const auto of = [](const std::string& scan, const std::string& bucket) {
    const std::string whole = R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] },
      "storage": [ { "id": "b", "type": "s3")" +
                              bucket + R"( } ],
      "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" },
                  "dataset": { "on": "b", "format": "raw", "sample": "1 MB", "size": "1 TB")" +
                              scan + " } } ] }";
    return remarks(load_with({}, "", whole.c_str()).diagnostics());
  };
  CHECK(of("", "") == "");
  for (const std::string scan : {"list", "stat"})
    CHECK_THAT(of(R"(, "scan": ")" + scan + "\"", ""),
               Contains("/jobs/0/dataset/scan the scan takes no time"));
  CHECK(of(R"(, "scan": "stat")", R"(, "open": { "requests": 1 })") == "");
}

TEST_CASE("drives that decode do so for the whole data set") {
  const std::string both =
      std::string(kRaw) + R"(, "size": "1 TB", "also": { "on": "drives", "share": "30 %" })";
  const std::string decode = R"(, "device": { "decode": "1 GB/s" })";
  CHECK(remark(both) == "");
  CHECK_THAT(remark(both, "", decode),
             Contains("rule /jobs/0/dataset/also/on drives of \"drives\" decode samples, those of "
                      "the other system do not | let all"));
  CHECK(remark(
            std::string(kRaw) + R"(, "size": "1 TB", "also": { "on": "drives", "share": "100 %" })",
            "", decode) == "");
}

TEST_CASE("drives have a tail above their latency") {
  const auto tail = [&](const std::string& p99) {
    std::string text = R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 1 } ] },
      "storage": [ { "id": "drives", "type": "local",
                     "drive": { "count": 4, "latency": "100 us", "latency_p99": ")" +
                       p99 + R"(" } } ],
      "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ] })";
    return remarks(load_with({}, "", text.c_str()).diagnostics());
  };
  CHECK(tail("100 us") == "");
  CHECK_THAT(tail("90 us"), StartsWith("3:81 rule /storage/0/drive/latency_p99 the 99th percentile "
                                       "of the latency is below the latency | \"drive.latency\""));
}

TEST_CASE("communication is known from the size or the shape of the model") {
  const std::string data = std::string(kRaw) + R"(, "size": "1 TB")";
  const auto of = [&](const std::string& model, const std::string& communication) {
    return remark(data, R"(, "communication": { )" + communication + " }" +
                            (model.empty() ? "" : R"(, "model": { )" + model + " }"));
  };
  const std::string shape =
      R"("shape": { "vocabulary": 1000, "hidden": 64, "ffn": 256, "heads": 8, "kv_heads": 8,
                    "layers": 4 })";
  CHECK_THAT(of("", R"("type": "ddp")"),
             Contains("rule /jobs/0/communication communication of type \"ddp\" of job \"train\" "
                      "needs the number of parameters of the model | add \"model\""));
  CHECK(of(R"("parameters": "7B")", R"("type": "ddp")") == "");
  CHECK(of(shape, R"("type": "ddp")") == "");
  CHECK(of("", R"("type": "given", "exposed": "10 ms")") == "");
  CHECK_THAT(of(R"("parameters": "7B")", R"("type": "megatron", "microbatches": 4, "tokens": 8)"),
             Contains("needs the model's layers and hidden size | add \"model\"") &&
                 Contains("or a \"shape\" of vocabulary, hidden, ffn, heads, kv_heads and layers"));
  CHECK(of(shape, R"("type": "megatron", "microbatches": 4, "tokens": 8)") == "");
}

TEST_CASE("designs that a program makes are held to the same rules") {
  const Design good = design_of(load_with({}));
  CHECK(scenarios::fault_of(good) == "");
  const auto changed = [&](auto change) {
    Design design = good;
    change(design);
    return scenarios::fault_of(design);
  };
  CHECK(changed([](Design& d) { d.hosts.clear(); }) == "the scenario has no host class");
  CHECK(changed([](Design& d) { d.jobs.clear(); }) ==
        "the scenario has neither a job nor a tenant nor a stage");
  CHECK(changed([](Design& d) { d.storage[0].values.erase("ost.count"); }) ==
        "storage[scratch] lacks a field that it needs");
  CHECK(changed([](Design& d) { d.storage[0].kind = "nowhere"; }) ==
        "storage[scratch] lacks a field that it needs");
  // What it should reach is another question.
  CHECK(changed([](Design& d) {
          Expectation e;
          e.that = "job.nobody.gpu.utilization > 1";
          d.expect.push_back(e);
        }) == "");
}

TEST_CASE("a client that asks again takes some time for a query") {
  const auto asked = [](const std::string& more) {
    return load_text(R"({ "cluster": { "hosts": [ { "id": "h", "count": 1, "gpus": 0 } ] },
      "storage": [ { "id": "l", "type": "local", "drive": { "count": 2 } } ],
      "tenants": [ { "id": "t", "type": "vector_database", "on": "l", "hosts": "h")" +
                         more + R"( } ], "run": { "duration": "1 s" } })",
                     "test.json");
  };
  CHECK_THAT(only_fault(asked(R"(, "cached": "100 %", "compute": "0 ms")")),
             Contains("a query of \"t\" takes no time") && Contains("give \"compute\""));
  CHECK(asked(R"(, "cached": "100 %", "compute": "1 ms")").ok());
  CHECK(asked(R"(, "cached": "99 %", "compute": "0 ms")").ok());
  CHECK(asked(R"(, "cached": "100 %", "compute": "0 ms", "rate": "9 ops/s")").ok());
}

}  // namespace data_rules_test
