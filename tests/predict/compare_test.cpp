#include "engine/decide/predict/compare.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace compare_test {

using namespace stallcast;
using metric::better;
using metric::Better;
using predict::compare;

namespace {

Effect effect(const char* metric, double before, double after, double tolerance = 0.005) {
  return compare(metric, {before, "", {}}, {after, "", {}}, tolerance).effect;
}

}  // namespace

TEST_CASE("what is finer than anything modelled is no difference") {
  const auto of = [](double before, double after, const char* unit) {
    return compare("job.train.stall.data", {before, unit, {}}, {after, unit, {}}, 0.005).effect;
  };
  CHECK(of(0.0, 0.036e-9, "s") == Effect::none);
  CHECK(of(1e-9, 37e-9, "s") == Effect::none);
  CHECK(of(1e-6, 2e-6, "s") == Effect::worse);
}

TEST_CASE("metrics know which way they should go") {
  CHECK(better("job.train.gpu.utilization") == Better::higher);
  CHECK(better("job.train.au") == Better::higher);
  CHECK(better("job.train.throughput.bytes") == Better::higher);
  CHECK(better("job.train.checkpoint.bandwidth") == Better::higher);
  CHECK(better("job.train.checkpoint.stall.p99") == Better::lower);
  CHECK(better("job.train.step.time.max") == Better::lower);
  CHECK(better("job.train.stall.data") == Better::lower);
  CHECK(better("cost.capex") == Better::lower);
  CHECK(better("storage.scratch.osts.required") == Better::lower);
  CHECK(better("tenant.logs.latency.p99") == Better::lower);
}

TEST_CASE("figures that only describe have no better way") {
  CHECK(better("job.train.checkpoint.size") == Better::neither);
  CHECK(better("job.train.checkpoint.count") == Better::neither);
  CHECK(better("resource.storage.a.ost.utilization") == Better::neither);
  CHECK(better("something.else") == Better::neither);
}

TEST_CASE("a move beyond the tolerance is better or worse by the metric's way") {
  CHECK(effect("job.a.au", 0.90, 0.89) == Effect::worse);
  CHECK(effect("job.a.au", 0.90, 0.91) == Effect::better);
  CHECK(effect("job.a.step.time", 1.0, 1.1) == Effect::worse);
  CHECK(effect("job.a.step.time", 1.0, 0.9) == Effect::better);
  CHECK(effect("job.a.checkpoint.size", 1.0, 2.0) == Effect::changed);
}

TEST_CASE("within the tolerance nothing moved") {
  CHECK(effect("job.a.au", 1.0, 0.9951) == Effect::none);
  CHECK(effect("job.a.au", 1.0, 0.9949) == Effect::worse);
  CHECK(effect("job.a.au", 1.0, 0.95, 0.1) == Effect::none);
  CHECK(effect("job.a.au", 1.0, 1.0, 0.0) == Effect::none);
}

TEST_CASE("a small share of time moves by points, not by its own fraction") {
  const auto share = [](double before, double after) {
    return compare("job.a.stall.data", {before, "ratio", {}}, {after, "ratio", {}}, 0.005).effect;
  };
  // 0.5 % of the 10 % that a smaller share is taken for: 0.05 points.
  CHECK(share(0.0010, 0.0014) == Effect::none);
  CHECK(share(0.0010, 0.0016) == Effect::worse);
  CHECK(share(0.0, 0.0004) == Effect::none);
  CHECK(share(0.5, 0.502) == Effect::none);
  CHECK(share(0.5, 0.503) == Effect::worse);
}

TEST_CASE("from nothing to something is beyond every tolerance") {
  CHECK(effect("job.a.checkpoint.stall", 0.0, 1e-6, 0.5) == Effect::worse);
  CHECK(effect("job.a.checkpoint.stall", 0.0, 0.0, 0.0) == Effect::none);
  CHECK(std::isinf(compare("x", {0.0, "", {}}, {1.0, "", {}}, 0.0).relative()));
}

TEST_CASE("the last tolerance that names a metric counts") {
  const std::vector<Tolerance> some = {{"*", 0.01}, {"cost.*", 0.05}};
  CHECK(predict::tolerance_of("job.a.au", some) == 0.01);
  CHECK(predict::tolerance_of("cost.capex", some) == 0.05);
  CHECK(predict::tolerance_of("cost.capex", {}) == predict::kDefaultTolerance);
}

TEST_CASE("a tolerance is a share, of one metric or of all") {
  CHECK(predict::parse_tolerance("cost.capex = 0.5%")->relative == Approx(0.005));
  CHECK(predict::parse_tolerance("cost.capex=1 %")->pattern == "cost.capex");
  CHECK(predict::parse_tolerance("2%")->pattern == "*");
  for (const char* text : {"", "x", "a=", "a=1", "=1%", "a=-1%"})
    CHECK(predict::parse_tolerance(text).failure().exit == ExitCode::bad_input);
}

TEST_CASE("two predictions are compared in the metrics both have in one unit") {
  const std::map<std::string, Metric> before = {
      {"job.a.au", {0.9, "ratio", {}}}, {"gone", {1, "s", {}}}, {"other", {1, "s", {}}}};
  const std::map<std::string, Metric> after = {
      {"job.a.au", {0.8, "ratio", {}}}, {"new", {1, "s", {}}}, {"other", {1, "B", {}}}};
  const auto changes = predict::compare_all(before, after, {});
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].metric == "job.a.au");
  CHECK(changes[0].difference() == Approx(-0.1));
  CHECK(changes[0].relative() == Approx(-1.0 / 9.0));
}

}  // namespace compare_test
