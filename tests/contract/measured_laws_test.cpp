#include <catch2/catch.hpp>

#include "models/bounds/bounds.hpp"
#include "tests/contract/kinds.hpp"
#include "tests/support/designs.hpp"

namespace measured_laws_test {

/// The laws of measured storage are not rows of the registry, but keep what rows keep.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

Design design_of_law(const char* law) {
  Kinds kinds;
  kinds.storage = "measured";
  Design design = design_of(kinds);
  for (const char* way : {"read.law", "write.law"}) set(design.storage[0], Role::storage, way, law);
  set(design.storage[0], Role::storage, "read.stream", "2 GB/s");
  set(design.storage[0], Role::storage, "write.stream", "2 GB/s");
  set(design.storage[0], Role::storage, "mixed.coupling", "1.5");
  for (const char* way : {"read.lanes", "write.lanes"})
    set(design.storage[0], Role::storage, way, "3");
  set(design.storage[0], Role::storage, "read.private", "40 %");
  set(design.storage[0], Role::storage, "read.readers", "4");
  return design;
}

constexpr const char* kLaws[] = {"line", "mva", "roofline", "throttle"};

}  // namespace

TEST_CASE("measured laws: half the rates and twice the delays take twice the time, to the bit") {
  for (const char* law : kLaws) {
    const Design design = design_of_law(law);
    const RunResult fast = run(design), slow = run(half_as_fast(design));
    REQUIRE(fast.metrics.size() == slow.metrics.size());
    for (const auto& [name, figure] : fast.metrics) {
      INFO(law << " " << name);
      CHECK(slow.metrics.at(name).value == figure.value * slow_factor(figure.unit));
    }
  }
}

TEST_CASE("measured laws: no faster than the bound, and no slower on more servers") {
  for (const char* law : kLaws) {
    INFO(law);
    Design design = design_of_law(law);
    CHECK(metric(run(design), "job.train.gpu.utilization") <=
          models::bounds(design).utilization + 1e-9);
    give_work(design, "40");
    leave_no_races(design);
    Seconds before = Seconds::infinity();
    for (const char* count : {"2", "3", "4", "8", "16", "32", "64"}) {
      INFO(count);
      set(design.storage[0], Role::storage, "servers", count);
      const Seconds now = work_time(run(design));
      CHECK(now <= before * (1.0 + 1e-12));
      before = now;
    }
  }
}

}  // namespace measured_laws_test
