#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "stallcast/metric.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/values.hpp"

/// What costs nothing against a neighbour on the same storage: docs/guide/explain.md, "What if".
namespace neighbour_changes_test {

using namespace stallcast;

namespace {

constexpr double kGBps = 1e9;

Value text(const char* words) {
  Value out;
  out.dimension = Dimension::text;
  out.text = words;
  return out;
}

Component tenant(const char* id) {
  Component out;
  out.id = id;
  out.kind = "fio";
  out.values["on"] = text("scratch");
  out.values["priority"] = text("normal");
  return out;
}

/// A job that loses an eighth of its time at 16 GB/s, of which it moves 7.
struct Shared {
  Shared() {
    design = testing::small_design();
    design.jobs[0].dataset.emplace();
    design.jobs[0].dataset->values["on"] = text("scratch");
    design.jobs[0].job.values["priority"] = text("normal");
    prediction.resources = {{"storage.scratch.ost", "B/s", 16 * kGBps, 16 * kGBps, 0.0, 0.9}};
    prediction.bottlenecks = {{"storage.scratch.ost", 1.0, 0.9, ""}};
    prediction.breakdown["train"] = {{"compute", 0.875}, {"data", 0.125}};
  }
  void add(const char* id, double read) {
    design.tenants.push_back(tenant(id));
    prediction.metrics[metric::of_tenant(id, "read")] = {read, "B/s", {}};
  }
  void miss() {
    AssertionOutcome missed;
    missed.id = "fed", missed.status = "fail", missed.metric = "job.train.gpu.utilization";
    missed.limited_by = "storage.scratch.ost";
    prediction.assertions = {missed};
  }
  /// Of those that cost nothing.
  [[nodiscard]] std::vector<std::string> sets() const {
    std::vector<std::string> out;
    for (const plan::Proposal& change : plan::candidate_changes(design, prediction, 8))
      if (change.relative_cost == 0.0 && change.change.path.find(".loader") == std::string::npos)
        out.push_back(text_of(change.change));
    return out;
  }
  Design design;
  Prediction prediction;
};

using Sets = std::vector<std::string>;

}  // namespace

TEST_CASE("who takes most of what a job waits for goes behind it, or gets what it leaves") {
  Shared shared;
  shared.add("noisy", 9 * kGBps);
  // 16 - 7 / (1 - 1/8) = 8 GB/s
  CHECK(shared.sets() == Sets{"tenants[noisy].priority=low", "tenants[noisy].limit=8 GB/s"});
  shared.design.tenants[0].values["priority"] = text("low");
  CHECK(shared.sets() == Sets{"tenants[noisy].limit=8 GB/s"});
  shared.design.tenants[0].values["limit"] = testing::number(4 * kGBps, Dimension::rate);
  CHECK(shared.sets().empty());
}

TEST_CASE("what is elsewhere, or moves next to nothing, is no neighbour") {
  Shared shared;
  shared.add("noisy", 0.5 * kGBps);  // of 16
  CHECK(shared.sets().empty());
  Shared elsewhere;
  elsewhere.add("noisy", 9 * kGBps);
  elsewhere.design.tenants[0].values["on"] = text("other");
  CHECK(elsewhere.sets().empty());
  Shared idle;
  idle.add("noisy", 9 * kGBps);
  idle.prediction.breakdown["train"] = {{"compute", 0.9}, {"sync", 0.1}};
  CHECK(idle.sets().empty());
}

TEST_CASE("who moves most is counted in the direction that is waited for") {
  // Writes are waited for: who reads three times as much is in nobody's way there.
  const auto of = [](const char* resource) {
    Shared shared;
    shared.add("reader", 9 * kGBps);
    shared.add("writer", 0.0);
    shared.prediction.metrics[metric::of_tenant("writer", "write")] = {3 * kGBps, "B/s", {}};
    shared.prediction.resources[0].name = shared.prediction.bottlenecks[0].resource = resource;
    return shared.sets();
  };
  CHECK(of("storage.scratch.ost").front() == "tenants[reader].priority=low");
  CHECK(of("storage.scratch.ost.read").front() == "tenants[reader].priority=low");
  CHECK(of("storage.scratch.ost.write").front() == "tenants[writer].priority=low");
}

TEST_CASE("requests that arrive on their own are not held back") {
  Shared shared;
  shared.add("web", 9 * kGBps);
  shared.prediction.metrics[metric::of_tenant("web", "asked")] = {9 * kGBps, "B/s", {}};
  CHECK(shared.sets() == Sets{"tenants[web].priority=low"});
}

TEST_CASE("the only job that misses a target goes before all others, where there are several") {
  Shared shared;
  shared.add("noisy", 7 * kGBps);
  shared.add("other", 2 * kGBps);
  shared.miss();
  const Sets sets = shared.sets();
  CHECK(sets.front() == "tenants[noisy].priority=low");
  CHECK(sets.back() == "jobs[train].priority=high");
}

TEST_CASE("whom a change slows down is told") {
  Shared shared;
  shared.add("noisy", 9 * kGBps);
  const std::string latency = metric::of_tenant("noisy", "latency");
  shared.prediction.metrics[latency] = {0.4, "s", {}};
  plan::Tried tried{{"tenant.noisy.priority normal -> low", {}}, shared.prediction};
  CHECK(plan::in_short(tried, shared.prediction).slows.empty());
  tried.prediction.metrics[latency].value = 0.5;
  const auto slows = plan::in_short(tried, shared.prediction).slows;
  REQUIRE(slows.size() == 1);
  CHECK(slows[0].first == "noisy");
  CHECK(slows[0].second == Approx(0.2));
}

}  // namespace neighbour_changes_test
