#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/bounds.hpp"
#include "tests/contract/kinds.hpp"
#include "tests/support/designs.hpp"

/// What every kind of every role must keep, whatever it models. A new row is tested by being there;
/// a role whose kinds have required fields gets them from `kRequiredFields`.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

double utilization(const Design& design) {
  return metric(run(design), "job.train.gpu.utilization");
}

void for_each_component(Design& design, const std::function<void(Component&)>& visit) {
  for (Component& host : design.hosts) visit(host);
  visit(design.fabric);
  for (Component& storage : design.storage) visit(storage);
  for (JobDesign& job : design.jobs) {
    visit(job.job), visit(job.model), visit(job.step);
    if (job.dataset) visit(*job.dataset), visit(*job.loader);
    if (job.checkpoint) visit(*job.checkpoint);
    if (job.communication) visit(*job.communication);
    if (job.recovery) visit(*job.recovery);
  }
  for (Component& tenant : design.tenants) visit(tenant);
  for (Component& failure : design.failures) visit(failure);
  visit(design.run);
}

// What a tenant read and wrote, both of which cross the media.
double other(const RunResult& result) {
  double sum = 0.0;
  for (const char* name : {"tenant.other.read", "tenant.other.write"})
    if (result.metrics.contains(name)) sum += metric(result, name);
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
    const RunResult result = run(design);
    const std::string media = storage_names(kinds.storage).media;
    CHECK(metric(result, "resource.storage.scratch." + media + ".throughput") ==
          Approx(metric(result, "job.train.throughput.bytes") + other(result)).epsilon(1e-9));
  }
}

TEST_CASE("every kind: more storage servers are never slower") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    double before = 0.0;
    for (const char* count : {"2", "4", "8", "16", "64"}) {
      set(design.storage[0], Role::storage, storage_names(kinds.storage).count, count);
      const double now = utilization(design);
      CHECK(now >= before - 1e-3);  // an epoch's last step may fall on either side of a save
      before = now;
    }
  }
}

TEST_CASE("every kind: half the rates and twice the delays take twice the time") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const Design design = design_of(kinds);
    Design slow = design;
    for_each_component(slow, [](Component& component) {
      for (auto& [key, value] : component.values) {
        if (value.dimension == Dimension::time) value.number *= 2.0;
        if (value.dimension == Dimension::rate || value.dimension == Dimension::op_rate ||
            value.dimension == Dimension::flop_rate)
          value.number *= 0.5;
      }
      // cores are a rate too: core-seconds per second are the same in slow time, so work doubles by
      // itself
    });
    const RunResult a = run(design), b = run(slow);
    for (const char* name :
         {"job.train.step.time", "job.train.first_batch", "job.train.checkpoint.stall"})
      CHECK(metric(b, name) == Approx(2.0 * metric(a, name)).epsilon(1e-6));
    CHECK(metric(b, "job.train.gpu.utilization") ==
          Approx(metric(a, "job.train.gpu.utilization")).epsilon(1e-6));
  }
}
