#include <catch2/catch.hpp>

#include "models/contract/registry.hpp"
#include "tests/contract/kinds.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/programs.hpp"

/// What is read in sequence is asked for ahead.    [docs/models/replay.md, eq. 2]
namespace replay_ahead_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

/// A thread that reads `steps` from a storage of this kind alone.
double makespan(Design design, const std::vector<ReplayStep>& steps) {
  design.jobs.clear();
  design.run.values.erase("duration");
  Component tenant = component(Role::tenant, "replay", "replay", {});
  set(tenant, Role::tenant, "on", "scratch");
  set(tenant, Role::tenant, "hosts", "gpu");
  set(tenant, Role::tenant, "program", program_file({{0, steps}}).c_str());
  design.tenants = {tenant};
  return testing::metric(testing::run(design), "tenant.replay.makespan");
}

std::vector<ReplayStep> in_sequence(std::uint64_t count, std::uint64_t bytes) {
  std::vector<ReplayStep> out = random_reads(static_cast<int>(count), bytes, 0.0);
  for (std::uint64_t i = 0; i < count; ++i) out[i].offset = i * bytes, out[i].goes_on = i > 0;
  return out;
}

}  // namespace

TEST_CASE("calls in sequence take as long as the request that they are together, on every kind") {
  for (const models::KindInfo& kind : models::kinds(Role::storage)) {
    Kinds kinds;
    kinds.storage = std::string(kind.id);
    INFO(kinds.storage);
    const Design design = design_of(kinds);
    const double apart = makespan(design, in_sequence(1000, 4096));
    const double together = makespan(design, in_sequence(1, 4096000));
    CHECK(apart > 0.3 * together);
    CHECK(apart < 1.5 * together);  // the first waits for its turn, and S3 draws delays
  }
}

TEST_CASE("what is read ahead has its part of requests, and no latency of its own") {
  // 1 ms and 400 MB/s, a request of 128 KiB at a time.
  Design design = design_of({.storage = "measured"});
  const double bytes = 4096.0, rate = 400e6, turn = 1e-3, request = 131072.0;
  const double first = turn + bytes / rate, next = bytes / request * turn + bytes / rate;
  for (const char* law : {"line", "fifo"}) {
    INFO(law);
    design.storage[0] = component(Role::storage, "measured", "scratch",
                                  {{"scope", "shared"},
                                   {"read.law", law},
                                   {"read.latency", "1 ms"},
                                   {"read.rate", "400 MB/s"},
                                   {"request", "128 KiB"},
                                   {"depth", "1"},
                                   {"jitter", "0 %"}});
    CHECK(makespan(design, in_sequence(1000, 4096)) == Approx(first + 999 * next).epsilon(1e-3));
  }
  // Of a file that pays once nothing is left but the bytes.
  set(design.storage[0], Role::storage, "read.latency_of", "file");
  CHECK(makespan(design, in_sequence(1000, 4096)) ==
        Approx(first + 999 * bytes / rate).epsilon(1e-3));
}

TEST_CASE("a disk seeks once for what is read in sequence") {
  Design design = design_of({.storage = "local"});
  design.storage[0] = component(Role::storage, "local", "scratch",
                                {{"drive.count", "1"},
                                 {"drive.read", "200 MB/s"},
                                 {"drive.read_iops", "100 ops/s"},
                                 {"drive.latency", "0.1 ms"},
                                 {"drive.seek", "8 ms"},
                                 {"request", "128 KiB"},
                                 {"depth", "2"}});
  // 1000 reads of 4 KiB are 31.25 requests of the 100 a second, where each alone would be one.
  const double time = makespan(design, in_sequence(1000, 4096));
  CHECK(time == Approx(8e-3 + 10e-3 + 999 * 4096.0 / 131072.0 / 100.0).epsilon(0.02));
}

}  // namespace replay_ahead_test
