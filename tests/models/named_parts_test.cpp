#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

/// Of what stands in a row, the part that gives least is what limits, by its own name.
/// docs/models/blame.md.
namespace named_parts_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

using Fields = std::vector<std::pair<const char*, const char*>>;

// 80 GB, every second of compute; hosts do not limit.
Design saver(const char* kind, const Fields& settings) {
  Design design = design_with_storage(kind, settings);
  set(design.storage[0], Role::storage, "commit", "0 s");
  set(design.fabric, Role::fabric, "rtt", "0 s");
  for (const char* rate : {"cpu.tcp", "nic.rate"})
    set(design.hosts[0], Role::host, rate, "100 GB/s");
  set(design.hosts[0], Role::host, "cpu.cores", "1000");
  design.jobs[0].checkpoint = component(
      Role::checkpoint, "sync", "checkpoint",
      {{"to", "scratch"}, {"every_steps", "10"}, {"size", "80 GB"}, {"serializer", "none"}});
  return design;
}

const ResourceUse& use_of(const RunResult& result, const std::string& name) {
  for (const ResourceUse& use : result.resources)
    if (use.name == name) return use;
  throw std::out_of_range(name);
}

}  // namespace

TEST_CASE("writes that the servers' networks carry more than once are limited by these") {
  // Seconds for 80 GB: bytes between servers included, over the network of all of them.
  struct Case {
    const char* kind;
    Fields settings;
    const char* part;
    double seconds;
  };
  const Case cases[] = {
      {"cephfs",  // two further copies of each byte over 6 x 5 GB/s
       {{"osd.count", "48"},
        {"osd.write", "1 GB/s"},
        {"pg.deviation", "0"},
        {"server.count", "6"},
        {"server.nic", "5 GB/s"},
        {"client.stream", "100 GB/s"}},
       "server.nic.write",
       80.0 * 3 / 30},
      {"cephfs",  // of their own: 6 x 2 GB/s for two copies
       {{"osd.count", "48"},
        {"osd.write", "1 GB/s"},
        {"pg.deviation", "0"},
        {"server.count", "6"},
        {"server.nic", "25 GB/s"},
        {"server.back_nic", "2 GB/s"},
        {"client.stream", "100 GB/s"}},
       "server.back_nic.write",
       80.0 * 2 / 12},
      {"weka",  // 4+2: 2.5 bytes over 6 x 5 GB/s
       {{"backend.count", "6"},
        {"backend.write", "30 GB/s"},
        {"backend.nic", "5 GB/s"},
        {"client.cores", "16"}},
       "backend.nic.write",
       80.0 * 2.5 / 30},
      {"hdfs",  // three copies over 6 x 2.5 GB/s
       {{"datanode.count", "6"},
        {"datanode.write", "40 GB/s"},
        {"datanode.read", "40 GB/s"},
        {"datanode.nic", "2.5 GB/s"},
        {"datanode.disks", "48"},
        {"client.stream", "40 GB/s"},
        {"client.parallel", "8"}},
       "datanode.nic.write",
       80.0 * 3 / 15},
      {"chunkstore",  // three copies over 4 x 5 GB/s
       {{"node.count", "4"},
        {"node.write", "80 GB/s"},
        {"node.nic", "5 GB/s"},
        {"client.stream", "100 GB/s"},
        {"client.in_flight", "64"}},
       "node.nic.write",
       80.0 * 3 / 20},
      {"nfs",  // reads of the shelves are more than the heads pass on, writes less
       {{"head.count", "4"},
        {"head.read", "4 GB/s"},
        {"head.write", "4 GB/s"},
        {"shelf.count", "2"},
        {"shelf.read", "10 GB/s"},
        {"shelf.write", "4 GB/s"},
        {"client.connection", "10 GB/s"}},
       "shelf.write",
       80.0 / 8}};
  for (const Case& one : cases) {
    INFO(one.kind << " " << one.part);
    const RunResult result = run(saver(one.kind, one.settings));
    const std::string part = std::string("storage.scratch.") + one.part;
    CHECK(result.limited_by.at("job.train.checkpoint.duration") == part);
    CHECK(metric(result, "job.train.checkpoint.duration") == Approx(one.seconds).epsilon(0.05));
    // Nothing is left while it is in use: all who wait, wait for it.
    const ResourceUse& use = use_of(result, part);
    CHECK(use.capacity == Approx(80e9 / one.seconds));
    CHECK(use.throughput / use.capacity == Approx(metric(result, "job.train.time.checkpoint") /
                                                  metric(result, "job.train.time.wall"))
                                               .epsilon(0.05));
  }
}

TEST_CASE("saves past host memory name what holds a thread, not its stream") {
  // 32 GPUs, 2.5 GB each: cuFile at 4 GB/s, the path of a GPU at 3 GB/s, NVLink at 85 % of 2 GB/s.
  const auto save = [](const Fields& host) {
    Design design = saver("lustre", {{"ost.count", "64"},
                                     {"ost.read", "10 GB/s"},
                                     {"ost.write", "10 GB/s"},
                                     {"client.stream_direct", "100 GB/s"}});
    set(*design.jobs[0].checkpoint, Role::checkpoint, "gds", "true");
    set(*design.jobs[0].checkpoint, Role::checkpoint, "direct", "true");
    for (const auto& [key, text] : host) set(design.hosts[0], Role::host, key, text);
    return run(design);
  };
  const auto check = [](const RunResult& result, const char* part, double seconds) {
    CHECK(result.limited_by.at("job.train.checkpoint.duration") == part);
    CHECK(metric(result, "job.train.checkpoint.duration") == Approx(seconds).epsilon(0.05));
  };
  check(save({{"gds.stream", "4 GB/s"}}), "host.gpu.gds", 2.5 / 4);
  check(save({{"gpu.copy", "3 GB/s"}}), "host.gpu.gpu.peer.write", 2.5 / 3);
  check(save({{"gds.p2p", "nvlink"}, {"nvlink.rate", "2 GB/s"}}), "host.gpu.nvlink.write",
        2.5 / 1.7);
}

TEST_CASE("a pass that waits for cores is one part of a save, which may be the largest") {
  // 4 threads of 8 ranks on 16 cores: 2.5 GB / 4 / 0.25 GB/s of work, twice as long on half the
  // cores; heads write 80 GB in 2.6 s, more than either half.
  Design design = saver("nfs", {{"head.count", "4"},
                                {"head.read", "10 GB/s"},
                                {"head.write", "7.7 GB/s"},
                                {"client.transport", "rdma"},
                                {"client.connection", "100 GB/s"}});
  set(*design.jobs[0].checkpoint, Role::checkpoint, "serializer", "torch");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "serialize", "0.25 GB/s");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "threads", "4");
  set(design.hosts[0], Role::host, "cpu.cores", "16");
  set(design.hosts[0], Role::host, "cpu.smt", "1");
  const RunResult result = run(design);
  const std::string took = "job.train.checkpoint.took.";
  CHECK(metric(result, took + "job.train.checkpoint.serialize") == Approx(2.5).epsilon(1e-3));
  CHECK(metric(result, took + "host.gpu.cpu") == Approx(2.5).epsilon(0.1));
  CHECK(metric(result, took + "storage.scratch.head.write") > 2.55);
  for (const char* figure : {"duration", "stall"})
    CHECK(result.limited_by.at(std::string("job.train.checkpoint.") + figure) ==
          "job.train.checkpoint.serialize");
}

}  // namespace named_parts_test
