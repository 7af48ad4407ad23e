#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"

/// Saves that end in the memory of hosts. docs/models/checkpoint.md, eq. 14.
namespace memory_saves_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

using Fields = std::vector<std::pair<const char*, const char*>>;

// 4 hosts of 8 GPUs, steps of 100 ms, 60 s; 32 GB are saved every 60 steps: 1 GB a rank at
// 55 GB/s, 8 GB a host through ports of 50 GB/s x 95 %.
constexpr double kCopy = 1e9 / 55e9, kSend = 8e9 / 47.5e9;

Design saver(const char* to, const char* mode = "async", const Fields& more = {}) {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.hosts[0], Role::host, "memory.bandwidth", "1 TB/s");  // more than 8 copies take
  JobDesign& job = design.jobs[0];
  job.recovery =
      component(Role::recovery, "restart", "recovery",
                {{"detect", "1 s"}, {"replace", "2 s"}, {"start", "3 s"}, {"init", "4 s"}});
  job.checkpoint = component(Role::checkpoint, mode, "checkpoint",
                             {{"to", to}, {"every_steps", "60"}, {"size", "32 GB"}});
  for (const auto& [key, text] : more) set(*job.checkpoint, Role::checkpoint, key, text);
  return design;
}

void fail(Design& design, const char* at, const char* kind) {
  design.failures.push_back(component(Role::failure, kind, "loss", {{"at", at}}));
}

double save(const RunResult& result, const char* what) {
  return metric(result, std::string("job.train.checkpoint.") + what);
}

double written(const RunResult& result) {
  return metric(result, "resource.storage.scratch.ost.throughput") * 60.0;
}

double bound(const Design& design, const std::string& name) {
  for (const models::Derivation& d : models::bounds(design).derivations)
    if (d.name == "job.train.checkpoint." + name) return d.value;
  return -1.0;
}

}  // namespace

TEST_CASE("a save to host memory ends with the copy from the GPU") {
  for (const char* mode : {"async", "sync"}) {
    const Design design = saver("host-memory", mode);
    const RunResult result = run(design);
    INFO(mode);
    CHECK(save(result, "duration") == Approx(kCopy).epsilon(1e-9));
    CHECK(save(result, "stall") == Approx(kCopy).epsilon(1e-9));
    CHECK(save(result, "count") == 9.0);
    CHECK(save(result, "bandwidth") == Approx(32e9 / kCopy).epsilon(1e-9));
    CHECK(bound(design, "snapshot.bound") == Approx(kCopy).epsilon(1e-9));
    CHECK(metric(result, "resource.storage.scratch.ost.throughput") == 0.0);
    CHECK_FALSE(result.metrics.contains("job.train.checkpoint.files"));
    CHECK(result.limited_by.at("job.train.checkpoint.duration") == "host.gpu.gpu.copy");
  }
}

TEST_CASE("a save to peers ends when their memory has it, through the ports") {
  for (const char* peers : {"1", "2"}) {
    const Design design = saver("peer-memory", "async", {{"peers", peers}});
    const RunResult result = run(design);
    const double sent = kSend * std::stod(peers);
    CHECK(save(result, "duration") == Approx(kCopy + sent).epsilon(1e-6));
    CHECK(save(result, "stall") == Approx(kCopy).epsilon(1e-6));
    CHECK(bound(design, "save.bound") == Approx(sent).epsilon(1e-9));
    CHECK(result.limited_by.at("job.train.checkpoint.duration") == "host.gpu.nic.read");
  }
  const Design waits = saver("peer-memory", "sync");
  CHECK(save(run(waits), "stall") == Approx(kCopy + kSend).epsilon(1e-6));
  CHECK(metric(run(waits), "job.train.gpu.utilization") <= models::bounds(waits).utilization);
}

TEST_CASE("who saves most of a host has all of it when the others are done") {
  // zero1 of 32 GB: rank 0 has the weights, 4.571 GB, and each of 32 ranks 0.857 GB of the rest.
  // Its host has 11.43 GB for drives of 1 GB/s, or for a port of 1.1875 GB/s.
  const double rest = 32.0 * 12.0 / 14.0 / 32.0, fat = 32.0 * 2.0 / 14.0 + rest;
  const double of_host = fat + 7.0 * rest, port = 10.0 / 8.0 * 0.95;
  const auto design_of = [](const char* to, const char* layout, const char* stream = "100 GB/s") {
    Design design = saver(to, "sync",
                          {{"layout", layout},
                           {"snapshot", "none"},
                           {"serializer", "none"},
                           {"restore.read", "own"}});
    set(design.run, Role::run, "duration", "20 s");
    set(design.hosts[0], Role::host, "nic.rate", "10 Gb/s");
    design.storage.push_back(component(Role::storage, "local", "drives",
                                       {{"drive.count", "2"},
                                        {"drive.read", "500 MB/s"},
                                        {"drive.write", "500 MB/s"},
                                        {"drive.latency", "0 s"},
                                        {"drive.write_latency", "0 s"},
                                        {"create", "0 s"},
                                        {"open", "0 s"},
                                        {"depth", "64"},
                                        {"client.stream", stream}}));
    if (std::string(to) == "peer-memory")
      set(*design.jobs[0].checkpoint, Role::checkpoint, "restore.from", to);
    return design;
  };
  const auto saved = [&](const char* to, const char* layout, const char* stream = "100 GB/s") {
    return save(run(design_of(to, layout, stream)), "duration");
  };
  CHECK(saved("drives", "zero1") == Approx(of_host).epsilon(1e-3));
  // By one stream of 400 MB/s, what rank 0 has more than the others.
  CHECK(saved("drives", "zero1", "400 MB/s") ==
        Approx(8.0 * rest + (fat - rest) / 0.4).epsilon(1e-3));
  CHECK(saved("peer-memory", "zero1") == Approx(of_host / port).epsilon(1e-3));
  for (const char* to : {"drives", "peer-memory"}) {
    CAPTURE(to);
    const RunResult result = run(design_of(to, "zero1"));
    CHECK(metric(result, "job.train.restore.duration") ==
          Approx(save(result, "duration")).epsilon(1e-3));
    // Less to save takes no longer: rank 0 alone has all of it.
    CHECK(saved(to, "zero1") <= saved(to, "zero0"));
    CHECK(saved(to, "zero3") <= saved(to, "zero1"));
  }
}

TEST_CASE("copies to peers cross what copies to a store do, and come back over what reads do") {
  // 8 GB leave each host, and 8 GB come to it: by 2 uplinks of 2 GB/s each way, by 2 GB/s between
  // sockets for the half that crosses these, by DRAM of 12 GB/s of which 75 % are for both, and by
  // 2 cores that move 1 GB/s of TCP each, out and in.
  const auto took = [](const Fields& of_host, const char* technology = "infiniband") {
    Design design = saver("peer-memory", "sync", {{"snapshot", "none"}});
    set(design.fabric, Role::fabric, "technology", technology);
    for (const auto& [key, text] : of_host) set(design.hosts[0], Role::host, key, text);
    const double duration = save(run(design), "duration");
    CHECK(duration >= bound(design, "save.bound") * (1.0 - 1e-9));
    if (std::string(technology) != "tcp")
      CHECK(duration == Approx(bound(design, "save.bound")).epsilon(1e-3));
    return duration;
  };
  CHECK(took({}) == Approx(kSend).epsilon(1e-6));
  CHECK(took({{"pcie.switches", "2"}, {"pcie.uplink", "2 GB/s"}}) == Approx(2.0).epsilon(1e-3));
  CHECK(took({{"numa.link", "2 GB/s"}, {"numa.remote", "50 %"}}) == Approx(2.0).epsilon(1e-3));
  CHECK(took({{"memory.bandwidth", "12 GB/s"}}) == Approx(8.0 / 4.5).epsilon(1e-3));
  const Fields cores{{"cpu.cores", "2"}, {"cpu.tcp", "8 Gb/s"}};
  CHECK(took(cores, "tcp") == Approx(16.0 / 2.0).epsilon(1e-3));
  CHECK(took(cores) == Approx(kSend).epsilon(1e-6));
}

TEST_CASE("a copy to the GPU is all that a restore from host memory takes") {
  const auto restored = [](const char* to) {
    return metric(run(saver(to, "async", {{"restore.read", "own"}})), "job.train.restore.duration");
  };
  CHECK(restored("host-memory") == Approx(kCopy).epsilon(1e-6));
}

TEST_CASE("what others lack of a save in memory is broadcast as where one replica reads") {
  // zero0: rank 0 has 32 GB, that each of the three other hosts takes in once, and passes on to its
  // other GPUs at the same time.
  for (const char* read : {"once", "all"}) {
    const RunResult result = run(saver(
        "host-memory", "async", {{"layout", "zero0"}, {"buffers", "1"}, {"restore.read", read}}));
    CAPTURE(read);
    CHECK(metric(result, "job.train.restore.duration") ==
          Approx(32.0 * kCopy + 32e9 / 47.5e9).epsilon(1e-3));
  }
}

TEST_CASE("saves that count in host memory go on to storage every n-th time") {
  // Saves 1, 5 and 9 of nine: 3 x 32 GB. Each counts after its snapshot.
  const auto drained = [](const char* every) {
    return run(saver("scratch", "async",
                     {{"tiers", "host-memory,scratch"},
                      {"durable", "host-memory"},
                      {"drain_every", every},
                      {"serializer", "none"}}));
  };
  const RunResult result = drained("4"), all = drained("1");
  CHECK(save(result, "count") == 9.0);
  CHECK(save(result, "duration") == Approx(kCopy).epsilon(1e-6));
  CHECK(written(result) == Approx(3.0 * 32e9).epsilon(0.02));
  // Those that go on take as long as where all do.
  for (const char* name : {"settled", "took.storage.scratch.ost"})
    CHECK(save(result, name) == Approx(save(all, name)).epsilon(1e-6));
}

TEST_CASE("saves that count at peers are no files there, and those that go on are") {
  // Nothing coordinates a copy; of nine saves 1, 5 and 9 are files on the storage.
  const RunResult result = run(saver("scratch", "async",
                                     {{"tiers", "host-memory,peer-memory,scratch"},
                                      {"durable", "peer-memory"},
                                      {"drain_every", "4"},
                                      {"coordinate", "3 s"},
                                      {"serializer", "none"}}));
  CHECK(save(result, "count") == 9.0);
  CHECK(save(result, "duration") == Approx(kCopy + kSend).epsilon(1e-6));
  CHECK(save(result, "held") == Approx(3.0 * 32e9));
  CHECK(save(result, "settled") > 3.0);
}

TEST_CASE("copies at peers are as they left the GPU, whether saves go on or not") {
  // 1 GB a rank: 1 s of torch.save and 2 s of compression come behind the copy that counts, and of
  // saves 1, 5 and 9 of nine.
  const Fields going_on = {{"tiers", "host-memory,peer-memory,scratch"},
                           {"durable", "peer-memory"},
                           {"drain_every", "4"},
                           {"serialize", "1 GB/s"},
                           {"compress.ratio", "2"},
                           {"compress.rate", "500 MB/s"},
                           {"restore.read", "own"},
                           {"restore.from", "peer-memory"}};
  const RunResult result = run(saver("scratch", "async", going_on));
  CHECK(save(result, "duration") == Approx(kCopy + kSend).epsilon(1e-6));
  CHECK(result.limited_by.at("job.train.checkpoint.duration") == "host.gpu.nic.read");
  CHECK(save(result, "settled") > kCopy + kSend + 3.0);
  CHECK(save(result, "took.job.train.checkpoint.compress") == Approx(3.0));
  CHECK(metric(result, "job.train.restore.duration") == Approx(kCopy + kSend).epsilon(1e-6));
  CHECK(metric(result, "job.train.restore.read") == Approx(32e9));
}

TEST_CASE("of saves that count on drives the storage deletes those that came to it") {
  // Of nine saves in files of 32 ranks 1, 5 and 9 are on the storage, which opens 64 of the two old
  // ones to delete them; without `keep` none.
  const auto opened = [](const char* keep) {
    Design design = saver("scratch", "async",
                          {{"tiers", "host-memory,local-nvme,scratch"},
                           {"durable", "local-nvme"},
                           {"drain_every", "4"},
                           {"keep.last", keep},
                           {"serializer", "none"}});
    for (const char* rate : {"nvme.read", "nvme.write"})
      set(design.hosts[0], Role::host, rate, "20 GB/s");
    return metric(run(design), "resource.storage.scratch.mdt.throughput") * 60.0;
  };
  CHECK(opened("1") - opened("9") == Approx(64.0).epsilon(0.02));
}

TEST_CASE("a host that is lost takes its own copies along, and not those of its peers") {
  // The failure at 20.05 s: saves began after 60, 120 and 180 steps, about 6, 12 and 18 s. Lost is
  // what came after the third, or all.
  const auto lost = [](const char* to, const char* kind) {
    Design design = saver(to);
    fail(design, "20.05 s", kind);
    return metric(run(design), "job.train.restart.lost_work");
  };
  CHECK(lost("peer-memory", "host") == Approx(2.0).epsilon(0.05));
  CHECK(lost("host-memory", "process") == Approx(2.0).epsilon(0.05));
  CHECK(lost("host-memory", "host") == Approx(20.0).epsilon(0.01));
  CHECK(lost("peer-memory", "rack") == Approx(20.0).epsilon(0.01));
  Design design = saver("peer-memory");
  fail(design, "20.05 s", "host");
  // the new host takes in 8 GB through its ports, then all copy to their GPUs
  CHECK(metric(run(design), "job.train.restart.restore.duration") ==
        Approx(kSend + kCopy).epsilon(0.01));
}

TEST_CASE("over months a failure goes back to the last save that was drained") {
  // Every 6 s of work a save, every fourth to storage: a lost host loses between 0 and 24 s and a
  // little, 12 s on average; where each goes to storage half of 6 s.
  const auto lost = [](const char* every) {
    Design design = saver("scratch", "async",
                          {{"tiers", "host-memory,scratch"},
                           {"durable", "host-memory"},
                           {"drain_every", every},
                           {"serializer", "none"}});
    set(design.run, Role::run, "duration", "120 s");
    set(design.storage[0], Role::storage, "stripe.count", "0");
    set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
    design.failures.push_back(component(Role::failure, "host", "loss", {{"mtbf", "3200 h"}}));
    return metric(run(design), "job.train.failures.lost_work");
  };
  CHECK(lost("1") == Approx(3.0 + 1.0).epsilon(0.05));  // a save is there after 1 s
  CHECK(lost("4") - lost("1") == Approx(9.0).epsilon(0.05));
}

TEST_CASE("over months nothing is left of saves that a failure takes along") {
  const auto goodput = [](const char* to) {
    Design design = saver(to);
    design.failures.push_back(
        component(Role::failure, "host", "loss", {{"mtbf", "320 h"}, {"correlated", "0 %"}}));
    return metric(run(design), "job.train.goodput");
  };
  CHECK(goodput("peer-memory") > 0.9);
  CHECK(goodput("host-memory") < 0.1);
}

}  // namespace memory_saves_test
