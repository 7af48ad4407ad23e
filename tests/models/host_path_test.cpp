#include <algorithm>
#include <catch2/catch.hpp>

#include "models/bounds/bounds.hpp"
#include "models/plant/host_path.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"

namespace host_path_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

namespace {

// One server like that of gds-bench.farmgpu.net: GPUs on PCIe Gen4 x16 (26.4 GiB/s = 28.35 GB/s
// into one of them), four D7-PS1010 in RAID 0, blocks of 16 MiB, many in flight.
Design bench(const char* gpus, const char* workers, const char* copy) {
  Design design = small_design();
  design.hosts[0] = component(Role::host, "host", "gpu",
                              {{"count", "1"}, {"gpus", gpus}, {"gpu.copy", "26.4 GiB/s"}});
  design.storage[0] = component(Role::storage, "local", "scratch",
                                {{"drive.count", "4"},
                                 {"drive.read", "14.5 GB/s"},
                                 {"drive.write", "10.5 GB/s"},
                                 {"request", "16 MiB"},
                                 {"depth", "16"},
                                 {"open", "0 s"}});
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "compute", "1 us");
  set(job.step, Role::step, "overhead", "0 s");
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"},
                           {"sample", "16 MiB"},
                           {"samples", "1000000"},
                           {"direct", "true"},
                           {"parse", "1000 TB/s"},
                           {"parse_fixed", "0 s"}});
  job.loader = component(Role::loader, "pytorch", "loader",
                         {{"batch", "8"},
                          {"workers", workers},
                          {"copy", copy},
                          {"start", "0 s"},
                          {"handover", "0 s"}});
  set(design.run, Role::run, "duration", "20 s");
  return design;
}
double gib_per_second(const RunResult& result) {
  return metric(result, "job.train.throughput.bytes") / 1073741824.0;
}

// The same server saves 420 GB of `gpus` GPUs, which nothing but the path of the bytes delays.
Design saving(const char* gpus, Settings more = {}) {
  Design design = bench(gpus, "1", "none");
  JobDesign& job = design.jobs[0];
  job.dataset.reset();
  job.loader.reset();
  set(job.step, Role::step, "compute", "10 s");
  set(design.storage[0], Role::storage, "create", "0 s");
  set(design.storage[0], Role::storage, "drive.write_latency", "0 s");
  job.checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                             {{"to", "scratch"},
                              {"every_steps", "1"},
                              {"size", "420 GB"},
                              {"serializer", "none"},
                              {"direct", "true"},
                              {"threads", "4"},
                              {"gds", "true"}});
  for (const auto& [key, text] : more) set(*job.checkpoint, Role::checkpoint, key, text);
  set(design.run, Role::run, "duration", "100 s");
  return design;
}
double stall(const Design& design) { return metric(run(design), "job.train.checkpoint.stall"); }
constexpr double kLink = 26.4 * 1.073741824;  // GB/s

}  // namespace

TEST_CASE("host path: one GPU takes in what its PCIe link carries") {
  // many readers: 26.4 GiB/s into one Gen4 x16 GPU, measured and given
  CHECK(gib_per_second(run(bench("1", "8", "gds"))) == Approx(26.4).epsilon(0.01));
}

TEST_CASE("host path: with four GPUs the drives limit, 2 % above what was measured") {
  // 4 x 26.4 > 4 x 14.5 GB/s = 54.0 GiB/s; measured 53.0
  const double read = gib_per_second(run(bench("4", "8", "gds")));
  CHECK(read == Approx(53.0).epsilon(0.03));
  CHECK(read == Approx(54.0).epsilon(0.01));
}

TEST_CASE("host path: one thread is faster without GPUDirect Storage") {
  // measured with 16 MiB blocks: 21.6 GiB/s with POSIX reads into memory, 12.6 with cuFile
  CHECK(gib_per_second(run(bench("1", "1", "none"))) == Approx(21.6).epsilon(0.01));
  CHECK(gib_per_second(run(bench("1", "1", "gds"))) == Approx(12.6).epsilon(0.01));
}

TEST_CASE("host path: from three threads on GPUDirect Storage is limited by the link") {
  CHECK(gib_per_second(run(bench("1", "2", "gds"))) == Approx(2 * 12.6).epsilon(0.01));
  CHECK(gib_per_second(run(bench("1", "3", "gds"))) == Approx(26.4).epsilon(0.01));
}

TEST_CASE("host path: across the root complex peers get a part of the link") {
  // 65 % of 26.4 GiB/s
  Design design = bench("1", "8", "gds");
  set(design.hosts[0], Role::host, "gds.p2p", "root");
  CHECK(gib_per_second(run(design)) == Approx(0.65 * 26.4).epsilon(0.01));
}

TEST_CASE("host path: between sockets peers get less, as much as crosses them") {
  // 65 % of 26.4 GiB/s for half of the data, 60 % of that for the other half, in turn
  Design design = bench("1", "8", "gds");
  set(design.hosts[0], Role::host, "gds.p2p", "root");
  set(design.hosts[0], Role::host, "numa.remote", "50 %");
  CHECK(gib_per_second(run(design)) == Approx(26.4 * 0.65 / (0.5 + 0.5 / 0.6)).epsilon(0.01));
  // that is 13.8 GB/s, of which 6.9 would cross the sockets: 5 GB/s there allow 10
  set(design.hosts[0], Role::host, "numa.link", "5 GB/s");
  CHECK(gib_per_second(run(design)) * 1.073741824 == Approx(10.0).epsilon(0.01));
  set(design.hosts[0], Role::host, "numa.link", "1 TB/s");
  set(design.hosts[0], Role::host, "numa.remote", "100 %");
  CHECK(gib_per_second(run(design)) == Approx(26.4 * 0.65 * 0.6).epsilon(0.01));
}

TEST_CASE("host path: through a GPU near the port and NVLink peers get the whole link") {
  // where the root complex gives 65 % of it; NVLink of 10 GB/s carries 85 % of that to each GPU
  Design design = bench("1", "8", "gds");
  set(design.hosts[0], Role::host, "gds.p2p", "nvlink");
  CHECK(gib_per_second(run(design)) == Approx(26.4).epsilon(0.01));
  Design slow = bench("2", "8", "gds");
  set(slow.hosts[0], Role::host, "gds.p2p", "nvlink");
  set(slow.hosts[0], Role::host, "nvlink.rate", "10 GB/s");
  CHECK(gib_per_second(run(slow)) * 1.073741824 == Approx(2 * 8.5).epsilon(0.01));
}

TEST_CASE("host path: a batch goes on to the other GPUs of a copy of the model over NVLink") {
  // 8 x 16 MiB from one reader to 7 others, each at 85 % of 10 GB/s: 15.8 ms a step of 100 ms
  Design design = bench("8", "2", "pinned");
  set(design.jobs[0].step, Role::step, "compute", "100 ms");
  const auto seconds = [&](const char* tensor, const char* nvlink) {
    set(design.jobs[0].job, Role::job, "parallel.tensor", tensor);
    set(design.hosts[0], Role::host, "nvlink.rate", nvlink);
    return metric(run(design), "job.train.step.time");
  };
  const double passing = 8 * 16 * 1.048576e-3 / 8.5;
  CHECK(seconds("8", "10 GB/s") - seconds("8", "1000 TB/s") == Approx(passing).epsilon(0.01));
  // NVLink carries two such broadcasts at a time as fast as one
  CHECK(seconds("4", "10 GB/s") - seconds("4", "1000 TB/s") == Approx(passing).epsilon(0.01));
  CHECK(seconds("1", "10 GB/s") == Approx(seconds("1", "1000 TB/s")).epsilon(1e-9));
}

TEST_CASE("host path: GPUDirect Storage spares the DRAM of the host") {
  // 4 GPUs through 40 GB/s of DRAM: 0.75 x 40 / 2 crossings = 15 GB/s; past it 54 GiB/s
  Design bounce = bench("4", "8", "pinned"), past = bench("4", "8", "gds");
  for (Design* design : {&bounce, &past})
    set(design->hosts[0], Role::host, "memory.bandwidth", "40 GB/s");
  CHECK(gib_per_second(run(bounce)) * 1.073741824 == Approx(15.0).epsilon(0.02));
  CHECK(gib_per_second(run(past)) == Approx(54.0).epsilon(0.01));
}

TEST_CASE("host path: without a path between peers reads bounce, and the report says so") {
  Design gds = bench("1", "4", "gds"), pinned = bench("1", "4", "pinned");
  set(gds.hosts[0], Role::host, "gds.p2p", "none");
  const RunResult result = run(gds);
  CHECK(gib_per_second(result) == Approx(gib_per_second(run(pinned))).epsilon(1e-9));
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].find("falls back to bounce buffers") != std::string::npos);
}

TEST_CASE("host path: samples that the CPU decodes cannot go past it") {
  Design design = bench("1", "4", "gds");
  set(*design.jobs[0].dataset, Role::dataset, "decode", "1 ms");
  const RunResult result = run(design);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].find("decoded on the CPU") != std::string::npos);
}

TEST_CASE("host path: two GPUs behind one uplink copy at half its rate each") {
  // batches of 128 MiB from storage of no cost: two copies share 26.4 GiB/s, 2 x 125 / 26.4 ms;
  // with a switch for each GPU 125 / 26.4 ms
  const auto copying = [](const char* switches) {
    Design design = bench("2", "8", "pinned");
    set(design.hosts[0], Role::host, "pcie.switches", switches);
    set(design.hosts[0], Role::host, "pcie.uplink", "26.4 GiB/s");
    set(design.hosts[0], Role::host, "cpu.cores", "256");
    set(design.storage[0], Role::storage, "drive.count", "64");
    return run(design);
  };
  const RunResult apart = copying("2"), together = copying("1");
  CHECK(metric(apart, "job.train.step.time") == Approx(0.125 / 26.4).epsilon(0.02));
  CHECK(metric(together, "job.train.step.time") == Approx(2 * 0.125 / 26.4).epsilon(0.02));
  CHECK(together.limited_by.at("job.train") == "host.gpu.pcie.down");
}

TEST_CASE("host path: data that crosses the sockets shares the link between them") {
  // half of the data over 10 GB/s: 20 GB/s in all
  Design design = bench("1", "8", "none");
  set(design.hosts[0], Role::host, "numa.link", "10 GB/s");
  set(design.hosts[0], Role::host, "numa.remote", "50 %");
  CHECK(gib_per_second(run(design)) * 1.073741824 == Approx(20.0).epsilon(0.01));
}

TEST_CASE("host path: reading through the page cache takes a core 0.4 s per GB") {
  // 2.5 GB/s per worker; 8 workers on 4 cores have half of it each
  Design design = bench("1", "8", "none");
  set(*design.jobs[0].dataset, Role::dataset, "direct", "false");
  set(design.storage[0], Role::storage, "client.stream", "1000 GB/s");
  CHECK(gib_per_second(run(design)) * 1.073741824 == Approx(8 * 2.5).epsilon(0.01));
  set(design.hosts[0], Role::host, "cpu.cores", "5");
  set(design.hosts[0], Role::host, "cpu.reserved", "1");  // for the training process
  CHECK(gib_per_second(run(design)) * 1.073741824 == Approx(4 * 2.5).epsilon(0.01));
}

TEST_CASE("host path: a save past host memory is one stream from the GPUs to the drives") {
  // 4 x 10.5 GB/s take 10 s; by way of host memory 4 links of 28.35 GB/s copy it first
  CHECK(stall(saving("4")) == Approx(10.0).epsilon(1e-3));
  CHECK(stall(saving("4", {{"gds", "false"}})) == Approx(10.0 + 420 / (4 * kLink)).epsilon(1e-3));
}

TEST_CASE("host path: a save past host memory goes through no page cache") {
  // 0.5 GB/s of a buffered stream would hold 4 threads of each of 4 GPUs to 8 GB/s.
  Design design = saving("4", {{"direct", "false"}, {"restore.read", "own"}});
  set(design.storage[0], Role::storage, "client.stream", "0.5 GB/s");
  CHECK(stall(design) == Approx(10.0).epsilon(1e-3));
  CHECK(metric(run(design), "job.train.restore.duration") == Approx(420 / 58.0).epsilon(2e-3));
}

TEST_CASE("host path: a save past host memory does not see its bandwidth") {
  // 20 GB/s x 0.75 are 28 s for the copy, and with two crossings 56 s for the write
  const auto slow = [](const char* gds) {
    Design design = saving("4", {{"gds", gds}});
    set(design.hosts[0], Role::host, "memory.bandwidth", "20 GB/s");
    return stall(design);
  };
  CHECK(slow("true") == Approx(10.0).epsilon(1e-3));
  CHECK(slow("false") == Approx(28.0 + 56.0).epsilon(1e-3));
}

TEST_CASE("host path: threads write out of a GPU at cuFile's rate up to its link") {
  // 12.6 GiB/s a thread, 26.4 GiB/s the link; across the root complex 65 % of that
  CHECK(stall(saving("1", {{"threads", "1"}})) == Approx(420 / (12.6 * 1.073741824)).epsilon(1e-3));
  CHECK(stall(saving("1", {{"threads", "2"}})) == Approx(420 / (25.2 * 1.073741824)).epsilon(1e-3));
  CHECK(stall(saving("1")) == Approx(420 / kLink).epsilon(1e-3));
  Design root = saving("1");
  set(root.hosts[0], Role::host, "gds.p2p", "root");
  CHECK(stall(root) == Approx(420 / (0.65 * kLink)).epsilon(1e-3));
  Design proxy = saving("1");  // NVLink of 10 GB/s carries 85 % of that
  set(proxy.hosts[0], Role::host, "gds.p2p", "nvlink");
  set(proxy.hosts[0], Role::host, "nvlink.rate", "10 GB/s");
  CHECK(stall(proxy) == Approx(420 / 8.5).epsilon(1e-3));
}

TEST_CASE("host path: what is read or written past host memory names what holds it") {
  const auto limit = [](const Design& design) {
    return run(design).limited_by.at("job.train.checkpoint.duration");
  };
  CHECK(limit(saving("1", {{"threads", "1"}})) == "host.gpu.gds");
  CHECK(limit(saving("1", {{"threads", "2"}})) == "host.gpu.gds");
  CHECK(limit(saving("1")) == "host.gpu.gpu.peer.write");
  Design root = saving("1"), proxy = saving("1");
  set(root.hosts[0], Role::host, "gds.p2p", "root");
  CHECK(limit(root) == "host.gpu.gpu.peer.write");
  set(proxy.hosts[0], Role::host, "gds.p2p", "nvlink");
  set(proxy.hosts[0], Role::host, "nvlink.rate", "10 GB/s");
  CHECK(limit(proxy) == "host.gpu.nvlink.write");
  CHECK(run(bench("1", "1", "gds")).limited_by.at("job.train") == "host.gpu.gds");
  // The closed form of the first is by the same name, down to the input.
  const auto forms = models::bounds(saving("1", {{"threads", "1"}})).derivations;
  const auto least = std::find_if(forms.begin(), forms.end(), [](const models::Derivation& d) {
    return d.name == "job.train.checkpoint.save.bound";
  });
  REQUIRE(least != forms.end());
  CHECK(std::any_of(least->rule.terms.begin(), least->rule.terms.end(),
                    [](const auto& term) { return term.from == "cluster.hosts[gpu].gds.stream"; }));
}

TEST_CASE("host path: rank 0 writes its file alone over its own link") {
  // one of four GPUs has all 420 GB, gathered over NVLink from the three others of its host
  CHECK(stall(saving("4", {{"layout", "rank0"}})) ==
        Approx(315 / 382.5 + 420 / kLink).epsilon(1e-3));
}

TEST_CASE("host path: no core sees what goes past host memory, whatever the client checks") {
  // Checksums of 3.5 GB/s a core would hold a host of 4 cores to 14 GB/s.
  const auto stalled = [](const char* gds, const char* checksums) {
    Design design = saving("4", {{"gds", gds}});
    design.storage[0] = small_design().storage[0];
    set(design.storage[0], Role::storage, "ost.count", "64");
    set(design.storage[0], Role::storage, "client.stream_direct", "50 GB/s");
    set(design.storage[0], Role::storage, "client.checksums", checksums);
    set(design.hosts[0], Role::host, "cpu.cores", "4");
    return stall(design);
  };
  CHECK(stalled("true", "true") == Approx(stalled("true", "false")).epsilon(1e-9));
  CHECK(stalled("false", "true") > 1.3 * stalled("false", "false"));
}

TEST_CASE("host path: a restore past host memory needs no copy either") {
  // 4 x 14.5 GB/s
  const RunResult result = run(saving("4", {{"restore.read", "own"}}));
  CHECK(metric(result, "job.train.restore.duration") == Approx(420 / 58.0).epsilon(2e-3));
}

TEST_CASE("host path: saves that the CPU works on bounce, and the report says so") {
  const auto bounces = [](Settings more, const char* why) {
    Design plain = saving("4", more);
    const RunResult result = run(plain);
    REQUIRE(result.warnings.size() == 1);
    CHECK(result.warnings[0].find("falls back to bounce buffers") != std::string::npos);
    CHECK(result.warnings[0].find(why) != std::string::npos);
    set(*plain.jobs[0].checkpoint, Role::checkpoint, "gds", "false");
    CHECK(metric(result, "job.train.checkpoint.stall") == Approx(stall(plain)).epsilon(1e-9));
  };
  bounces({{"serializer", "torch"}}, "(serialize): \"serializer\": \"none\" has no such pass");
  bounces({{"checksum", "10 GB/s"}}, "(checksum)");
  bounces({{"compress.ratio", "2"}}, "(compress)");
  bounces({{"snapshot", "none"}}, "written from host memory");
  // what GPUs compress goes past it: 2 TB/s of one core's worth are 0.05 s, then half the bytes
  const Design packed = saving(
      "4", {{"compress.ratio", "2"}, {"compress.on", "gpu"}, {"compress.rate", "2100 GB/s"}});
  CHECK(stall(packed) == Approx(0.05 + 5.0).epsilon(1e-3));
}

TEST_CASE("host path: bounds of saves past host memory leave the copy out") {
  // 10 s of compute, then 10 s of save; the step in which the 100 s pass may be one more
  const Design design = saving("4");
  const double step = design.jobs[0].step.find("compute")->number;
  CHECK(models::bounds(design).utilization == Approx(0.5 + step / 100.0).epsilon(1e-3));
}

}  // namespace host_path_test
