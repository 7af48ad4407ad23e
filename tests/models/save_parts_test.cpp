#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"

/// What the parts of a save take, as closed forms and as simulated. docs/models/checkpoint.md.
namespace save_parts_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 32 ranks on 4 hosts, 320 GB: 10 GB a rank, 80 GB a host.
Design saver(Settings more = {}) {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.jobs[0].job, Role::job, "parallel.tensor", "4");
  set(design.run, Role::run, "duration", "15 s");
  design.jobs[0].checkpoint = component(
      Role::checkpoint, "sync", "checkpoint",
      {{"to", "scratch"}, {"every_steps", "100"}, {"size", "320 GB"}, {"serialize", "2 GB/s"}});
  for (const auto& [key, text] : more) set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
  return design;
}

std::optional<double> form(const Design& design, const std::string& name) {
  for (const models::Derivation& d : models::bounds(design).derivations)
    if (d.name == "job.train." + name) return d.value;
  return std::nullopt;
}
std::optional<double> bound(const Design& design, const std::string& name) {
  return form(design, "checkpoint." + name);
}

double figure_of(const RunResult& result, const std::string& name) {
  const auto found = result.metrics.find(name);
  return found == result.metrics.end() ? 0.0 : found->second.value;
}

/// What the saves of a run kept these busy for, together.
double took(const RunResult& result, std::initializer_list<const char*> resources) {
  double sum = 0.0;
  for (const char* resource : resources)
    sum += figure_of(result, std::string("job.train.checkpoint.took.") + resource);
  return sum;
}

double restored(const RunResult& result) { return figure_of(result, "job.train.restore.duration"); }

}  // namespace

TEST_CASE("the closed forms of a snapshot are what is simulated, of every layout") {
  for (const char* layout :
       {"sharded", "rank0", "zero0", "zero1", "zero2", "zero3", "fsdp", "fsdp-hybrid"})
    for (const char* snapshot : {"pinned", "pageable", "none"})
      for (const char* on : {"cpu", "gpu"})
        for (const char* memory : {"400 GB/s", "4 TB/s"}) {
          CAPTURE(layout, snapshot, on, memory);
          Design design = saver({{"layout", layout},
                                 {"snapshot", snapshot},
                                 {"compress.ratio", "2"},
                                 {"compress.rate", "3 GB/s"},
                                 {"compress.on", on}});
          set(design.hosts[0], Role::host, "memory.bandwidth", memory);
          const RunResult result = run(design);
          const double copies = took(result, {"host.gpu.gpu.copy", "host.gpu.memory.snapshot"});
          const double least = bound(design, "gpu.copy.bound").value_or(0.0);
          CHECK(copies >= least * (1.0 - 1e-9));
          // Ranks that save different parts do not end together where they share the memory.
          const bool unlike = layout == std::string("zero1") || layout == std::string("zero2");
          if (!unlike || memory == std::string("4 TB/s"))
            CHECK(copies == Approx(least).epsilon(1e-9));
          CHECK(took(result, {"host.gpu.nic.read", "host.gpu.nvlink"}) ==
                Approx(bound(design, "gather.bound").value_or(0.0)).epsilon(1e-9));
          CHECK(bound(design, "gather.bound").has_value() == (layout == std::string("rank0")));
          // the longest pass names all of them
          const std::string gpu = "job.train.checkpoint.compress";
          const std::string cpu = "job.train.checkpoint.serialize";
          if (on == std::string("gpu"))
            CHECK(took(result, {gpu.c_str()}) == Approx(*bound(design, "compress.bound")));
          CHECK(took(result, {gpu.c_str(), cpu.c_str()}) ==
                Approx(bound(design, "compress.bound").value_or(0.0) +
                       bound(design, "serialize.bound").value_or(0.0)));
        }
}

TEST_CASE("one rank copies all of the state from pageable memory") {
  // docs/models/checkpoint.md, eq. 2: 320 GB / 8 GB/s, behind a gather; eight ranks a host share
  // nothing then.
  const Design design = saver({{"layout", "rank0"}, {"snapshot", "pageable"}});
  CHECK(*bound(design, "gpu.copy.bound") == Approx(320.0 / 8.0).epsilon(1e-12));
  // 24 of 32 parts through 47.5 GB/s; seven more from beside it over NVLink at the same time
  CHECK(*bound(design, "gather.bound") == Approx(240.0 / 47.5).epsilon(1e-12));
  CHECK(*bound(design, "snapshot.bound") == Approx(40.0 + 240.0 / 47.5).epsilon(1e-12));
}

TEST_CASE("what a save costs training at least counts phases that stream once") {
  // Young: tau = sqrt(2 stall M). 8 OSTs write 320 GB in 10 s, the CPU passes take 5 s.
  const auto stall = [](Settings more) {
    Design design = saver(more);
    set(*design.jobs[0].checkpoint, Role::checkpoint, "quiesce", "1 s");
    set(design.hosts[0], Role::host, "memory.bandwidth", "4 TB/s");
    design.failures.push_back(component(Role::failure, "host", "gpu", {{"mtbf", "320 d"}}));
    const double young = *bound(design, "interval.young");
    return young * young / (2.0 * 10.0 * 86400.0);
  };
  const double copy = 10.0 / 55.0;
  CHECK(stall({}) == Approx(1.0 + copy + 5.0 + 10.0).epsilon(1e-9));
  CHECK(stall({{"stream", "true"}}) == Approx(1.0 + 10.0).epsilon(1e-9));
  CHECK(stall({{"stream", "true"}, {"snapshot", "pageable"}, {"layout", "rank0"}}) ==
        Approx(1.0 + 160.0).epsilon(1e-9));  // the CPU passes of all of it
}

TEST_CASE("GPUs that compressed a save decompress it when it is restored") {
  // 10 GB a rank are 5 GB stored: 160 GB at 32 GB/s, half the copy, 10 GB at 4 GB/s.
  Design design = saver({{"serializer", "none"},
                         {"compress.ratio", "2"},
                         {"compress.rate", "4 GB/s"},
                         {"compress.on", "gpu"},
                         {"restore.read", "own"}});
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  set(design.storage[0], Role::storage, "client.stream_direct", "100 GB/s");
  const double copy = 5.0 * 8.0 / 300.0;
  const RunResult stored = run(design);
  CHECK(restored(stored) == Approx(160.0 / 32.0 + copy + 2.5).epsilon(1e-3));
  set(*design.jobs[0].checkpoint, Role::checkpoint, "compress.rate", "1 GB/s");
  const RunResult slow = run(design);
  CHECK(restored(slow) == Approx(160.0 / 32.0 + copy + 10.0).epsilon(1e-3));
  CHECK(slow.limited_by.at("job.train.restore.duration") == "job.train.checkpoint.compress");
  // What never left memory is stored as it left the GPU, too.
  set(*design.jobs[0].checkpoint, Role::checkpoint, "to", "host-memory");
  CHECK(restored(run(design)) == Approx(copy + 10.0).epsilon(1e-6));
}

TEST_CASE("a restore takes no less than its closed forms, and copies what they say") {
  for (const char* layout : {"sharded", "rank0", "zero0", "zero1", "zero3", "fsdp-hybrid"})
    for (const char* read : {"own", "all", "once"})
      for (const char* snapshot : {"pinned", "pageable", "none"}) {
        CAPTURE(layout, read, snapshot);
        const Design design =
            saver({{"layout", layout}, {"restore.read", read}, {"snapshot", snapshot}});
        const RunResult result = run(design);
        double least = 0.0;
        for (const char* part : {"read", "serialize", "broadcast", "gpu.copy"})
          if (const auto time = form(design, std::string("restore.") + part + ".bound"))
            least += *time;
        CHECK(least > 0.0);
        CHECK(restored(result) >= least * (1.0 - 1e-9));
        const std::string took = "job.train.restore.took.";
        CHECK(figure_of(result, took + "job.train.checkpoint.serialize") ==
              Approx(*form(design, "restore.serialize.bound")));
        if (layout != std::string("zero1"))  // whose ranks end apart
          CHECK(figure_of(result, took + "host.gpu.gpu.copy") +
                    figure_of(result, took + "host.gpu.memory.snapshot") ==
                Approx(form(design, "restore.gpu.copy.bound").value_or(0.0)));
      }
}

TEST_CASE("a rank that restores more than others copies through the memory of its host") {
  // Its weights and a 32nd of the rest by 75 % of 20 GB/s: the others have copied theirs before.
  Design design = saver({{"layout", "zero1"}, {"restore.read", "own"}, {"serializer", "none"}});
  set(design.jobs[0].job, Role::job, "parallel.tensor", "1");
  set(design.hosts[0], Role::host, "memory.bandwidth", "20 GB/s");
  const double least = *form(design, "restore.size.rank") / 15e9;
  CHECK(*form(design, "restore.gpu.copy.bound") == Approx(least));
  CHECK(figure_of(run(design), "job.train.restore.took.host.gpu.memory.snapshot") == Approx(least));
}

TEST_CASE("one reader of a save is held to its stream, and hands on what the others lack") {
  // 320 GB in one stream of 2.5 GB/s; 24 of 32 parts of 10 GB through 47.5 GB/s.
  const Design design = saver({{"layout", "rank0"}, {"restore.read", "once"}});
  CHECK(*form(design, "restore.read.bound") == Approx(128.0));
  CHECK(*form(design, "restore.broadcast.bound") == Approx(240.0 / 47.5));
}

TEST_CASE("a file that all ranks share is one file, renamed once") {
  // opens' worth of operations that a save has more where files are renamed: 32 and the create of a
  // marker, or one
  const auto renames = [](const char* shared) {
    const auto operations = [&](const char* commit) {
      const RunResult result = run(saver({{"shared", shared}, {"commit", commit}}));
      CHECK(figure_of(result, "job.train.checkpoint.count") == 1.0);
      return figure_of(result, "resource.storage.scratch.mdt.throughput") *
             figure_of(result, "job.train.time.wall");
    };
    return operations("rename") - operations("fsync");
  };
  CHECK(renames("no") == Approx(33.5).margin(0.5));
  CHECK(renames("aligned") == Approx(1.0));
  for (const char* shared : {"aligned", "interleaved"})
    CHECK(figure_of(run(saver({{"shared", shared}})), "job.train.checkpoint.files") == 1.0);
}

TEST_CASE("a flush that is held back takes as long in every layout") {
  // 320 GB at 10 GB/s, all writers together, whatever each of them has
  for (const char* layout : {"sharded", "zero1", "zero2", "fsdp-hybrid"}) {
    CAPTURE(layout);
    Design design = saver({});
    design.jobs[0].checkpoint = component(Role::checkpoint, "async", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "100"},
                                           {"size", "320 GB"},
                                           {"serializer", "none"},
                                           {"layout", layout},
                                           {"flush_rate", "10 GB/s"}});
    CHECK(*bound(design, "flush_rate.bound") == Approx(32.0));
    CHECK(took(run(design), {"job.train.checkpoint.flush_rate"}) == Approx(32.0).epsilon(1e-3));
  }
}

TEST_CASE("what GPUs decompress is broadcast as it is stored") {
  // a quarter of the bytes, from one reader and from all of one replica
  const auto broadcast = [](const char* layout, const char* ratio) {
    const Design design = saver({{"layout", layout},
                                 {"restore.read", "once"},
                                 {"restore.broadcast", "nics"},
                                 {"compress.ratio", ratio},
                                 {"compress.on", "gpu"}});
    const RunResult result = run(design);
    const double time = figure_of(result, "job.train.restore.took.host.gpu.nic.read") +
                        figure_of(result, "job.train.restore.took.host.gpu.nic.write");
    CHECK(time >= *form(design, "restore.broadcast.bound") * (1.0 - 1e-9));
    return time;
  };
  CHECK(broadcast("rank0", "4") == Approx(240.0 / 4 / 47.5));
  for (const char* layout : {"zero0", "fsdp-hybrid"})
    CHECK(broadcast(layout, "4") == Approx(broadcast(layout, "1") / 4));
}

}  // namespace save_parts_test
