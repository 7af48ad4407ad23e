#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/bounds/bounds.hpp"
#include "tests/contract/kinds.hpp"
#include "tests/support/designs.hpp"

namespace contract_test {

/// What every kind of every role must keep, whatever it models. A new row is tested by being there;
/// a role whose kinds have required fields gets them from `kRequiredFields`.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

double utilization(const Design& design) {
  return metric(run(design), "job.train.gpu.utilization");
}

// What a tenant or a stage read and wrote, which crosses the media.
double other(const RunResult& result) {
  double sum = 0.0;
  for (const char* name : {"tenant.other.read", "tenant.other.write"})
    if (result.metrics.contains(name)) sum += metric(result, name);
  for (const char* name : {"stage.move.read", "stage.move.written"})
    if (result.metrics.contains(name)) sum += metric(result, name) / result.simulated_s;
  return sum;
}

}  // namespace

TEST_CASE("every kind: the same seed gives the same bits") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const RunResult a = run(design_of(kinds), 5), b = run(design_of(kinds), 5);
    REQUIRE(a.metrics.size() == b.metrics.size());
    for (const auto& [name, value] : a.metrics) CHECK(value.value == b.metrics.at(name).value);
  }
}

TEST_CASE("every kind: loaders that keep up read as one, or it is found that they do not") {
  std::size_t as_one = 0;
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    set(design.run, models::Role::run, "detail", "32");
    set(design.hosts[0], models::Role::host, "gpus", "4");
    set(*design.jobs[0].dataset, models::Role::dataset, "sample", "100 kB");
    set(*design.jobs[0].dataset, models::Role::dataset, "sample_stdev", "0 B");
    set(*design.jobs[0].dataset, models::Role::dataset, "samples", "10000000");  // one epoch
    const RunResult apart = run(design);
    RunResult result;
    try {
      result = run(design, 1, {.loaders_keep_up = true});
    } catch (const models::Refuted& refuted) {
      CHECK(refuted.which == models::Presumption::loaders_keep_up);
      continue;
    }
    CHECK(result.events <= apart.events);
    as_one += result.events < apart.events ? 1 : 0;
    for (const char* figure : {"step.time", "gpu.utilization", "throughput.samples"}) {
      INFO(figure);
      const std::string name = std::string("job.train.") + figure;
      CHECK(metric(result, name) == Approx(metric(apart, name)).epsilon(1e-2));
    }
  }
  CHECK(as_one > 10);
}

TEST_CASE("every kind: counted cores give what shared ones give, or say that they are waited for") {
  std::size_t counted = 0;
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const Design design = design_of(kinds);
    const RunResult shared = run(design);
    RunResult result;
    try {
      result = run(design, 1, {.cores_suffice = true});
    } catch (const models::Refuted&) {
      continue;
    }
    ++counted;
    for (const char* figure : {"step.time", "gpu.utilization", "throughput.samples"}) {
      INFO(figure);
      const std::string name = std::string("job.train.") + figure;
      // Shared, threads that move data take more cores for a moment than ports bring work for.
      CHECK(metric(result, name) == Approx(metric(shared, name)).epsilon(2e-3));
    }
  }
  CHECK(counted > 10);
}

TEST_CASE("every kind: shares of wall time sum to one") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const RunResult result = run(design_of(kinds));
    double sum = 0.0;
    for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
    CHECK(sum == Approx(1.0).epsilon(1e-9));
  }
}

TEST_CASE("every kind: no faster than the bound of max flow") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const Design design = design_of(kinds);
    CHECK(utilization(design) <= models::bounds(design).utilization + 1e-9);
  }
}

TEST_CASE("every kind: bytes delivered are bytes read from the media") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    design.jobs[0].checkpoint.reset();
    design.run.values.erase("duration");
    set(design.jobs[0].job, Role::job, "epochs", "1");
    set(design.jobs[0].dataset.value(), Role::dataset, "samples", "16000");
    const std::string media = storage_names(kinds.storage).media;
    const auto carried = [&](const RunResult& result) {
      return metric(result, "resource.storage.scratch." + media + ".throughput");
    };
    const auto delivered = [&](const RunResult& result, double tenants) {
      return metric(result, "job.train.throughput.bytes") + tenants * other(result);
    };
    const RunResult result = run(design);
    // What a tenant has under way when the run ends is carried, and delivered to nobody.
    CHECK(carried(result) >= delivered(result, 1.0) * (1.0 - 1e-9));
    CHECK(carried(result) ==
          Approx(delivered(result, 1.0)).epsilon(design.tenants.empty() ? 1e-9 : 0.05));
    if (design.tenants.empty()) continue;
    set(design.tenants[0], Role::tenant, "stop", "3 s");
    const RunResult ended = run(design);
    CHECK(carried(ended) ==
          Approx(delivered(ended, 3.0 / metric(ended, "job.train.time.wall"))).epsilon(1e-9));
  }
}

TEST_CASE("every kind: the same work takes no longer on more storage servers") {
  // Where reads do not race, dates only come down; see docs/models/laws.md, law 5.
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    give_work(design, "40");
    leave_no_races(design);
    Seconds before = Seconds::infinity();
    for (const char* count : {"2", "3", "4", "6", "8", "12", "16", "24", "32", "48", "64"}) {
      INFO(count);
      set(design.storage[0], Role::storage, storage_names(kinds.storage).count, count);
      const Seconds now = work_time(run(design));
      CHECK(now <= before * (1.0 + 1e-12));
      before = now;
    }
  }
}

TEST_CASE("every kind: where reads race, more storage servers cost at most what is in flight") {
  // docs/models/laws.md, law 6.
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    give_work(design, "60");
    Seconds before = Seconds::infinity();
    for (const char* count : {"2", "4", "8", "16", "24", "48", "64"}) {
      INFO(count);
      set(design.storage[0], Role::storage, storage_names(kinds.storage).count, count);
      const RunResult result = run(design);
      const Seconds now = work_time(result);
      CHECK(now <= before + Seconds::from(metric(result, "job.train.first_batch"), unit::s));
      before = now;
    }
  }
}

namespace {

// Every figure of a design and of the same one at half the speed, to the last bit: all arithmetic
// is homogeneous in time, and a factor of two rounds nothing.    [docs/models/laws.md, law 4]
void check_half_as_fast(const Design& design) {
  const RunResult fast = run(design), slow = run(half_as_fast(design));
  REQUIRE(fast.metrics.size() == slow.metrics.size());
  for (const auto& [name, figure] : fast.metrics) {
    INFO(name);
    CHECK(slow.metrics.at(name).value == figure.value * slow_factor(figure.unit));
  }
}

}  // namespace

TEST_CASE("every kind: half the rates and twice the delays take twice the time, to the bit") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    check_half_as_fast(design);
    set(*design.jobs[0].dataset, Role::dataset, "round_trips", "100");
    check_half_as_fast(design);
  }
}

// Where reads race rounding grows, and a run leaves its repeating course in the end by rounding
// alone (docs/models/laws.md, law 3): nothing races here.
TEST_CASE("every kind: what repeats is counted as it would be simulated") {
  int skipping = 0;
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    leave_no_races(design);
    set(design.run, Role::run, "duration", "200 s");
    const RunResult some = run(design);
    if (some.skipped_s > 0.0) ++skipping;
    set(design.run, Role::run, "fast_forward", "false");
    const RunResult all = run(design);
    REQUIRE(some.metrics.size() == all.metrics.size());
    for (const auto& [name, figure] : all.metrics) {
      INFO(name);
      // What follows in months of drawn failures adds up thousands of dates.
      const double precision = name.find(".failures.") == std::string::npos ? 1e-9 : 1e-7;
      CHECK(some.metrics.at(name).value == Approx(figure.value).epsilon(precision).margin(1e-9));
    }
    CHECK(some.simulated_s == Approx(all.simulated_s).epsilon(1e-9));
    CHECK(some.limited_by == all.limited_by);
  }
  CHECK(skipping >= 20);  // or the test shows nothing
}

TEST_CASE("every kind of every role is in one of the designs") {
  std::map<std::pair<Role, std::string>, bool> missing;
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role))
      missing[{role.role, std::string(kind.id)}] = true;
  for (const Kinds& kinds : all_kinds()) {
    Design design = design_of(kinds);
    for_each_component(design, [&](Role role, Component& component) {
      missing.erase({role, component.kind});
    });
  }
  for (const auto& [row, unused] : missing) {
    INFO(models::role_info(row.first).id << " " << row.second);
    CHECK_FALSE(unused);
  }
}

}  // namespace contract_test
