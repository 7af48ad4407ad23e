#include <catch2/catch.hpp>
#include <span>

#include "calibration/validation/validate.hpp"

namespace compare_test {

using namespace stallcast;
using namespace stallcast::calibration;

namespace {

Prediction prediction() {
  Prediction p;
  p.metrics["job.train.au"] = {0.90, "ratio", {{0.89, 0.91}}};
  p.metrics["job.train.first_step"] = {4.0, "s", {}};
  p.metrics["job.train.throughput.dlio"] = {110.0, "1/s", {}};
  p.metrics["cost.gpu_idle"] = {7.2, "USD/h", {}};
  p.metrics["job.train.steps"] = {50.0, "count", {}};
  p.seeds = {1, 2, 3};
  return p;
}

Case measured(std::vector<CaseFigure> figures) {
  Case c;
  c.id = "site";
  c.measured = std::move(figures);
  return c;
}

CaseFigure figure(const char* metric, const char* text) {
  return {metric, text, "/cases/0/measured", {"cases.json", 7, 9}};
}

/// A case that was predicted `factors` times too high, one figure of 100 s each.
ValidatedCase predicted_at(const std::string& job, double factor) {
  ValidatedCase c;
  c.comparisons.push_back({"job." + job + ".first_step",
                           "s",
                           100.0,
                           {100.0 * factor, "s", {}},
                           100.0 * (factor - 1.0)});
  return c;
}

}  // namespace

TEST_CASE("ratios are compared in points, everything else in percent of what was measured") {
  Diagnostics faults;
  const ValidatedCase c =
      compare(measured({figure("job.train.au", "92.5 %"), figure("job.train.first_step", "5000 ms"),
                        figure("job.train.throughput.dlio", "0.1 kops/s")}),
              prediction(), faults);
  CHECK_FALSE(faults.has_errors());
  REQUIRE(c.comparisons.size() == 3);
  CHECK(c.comparisons[0].error == Approx(-2.5));  // 90 % against 92.5 %
  CHECK(c.comparisons[0].predicted.ci95.has_value());
  CHECK(c.comparisons[1].measured == Approx(5.0));
  CHECK(c.comparisons[1].error == Approx(-20.0));  // 4 s / 5 s - 1
  CHECK(c.comparisons[2].measured == Approx(100.0));
  CHECK(c.comparisons[2].error == Approx(10.0));
  CHECK(c.replicas == 3);
}

TEST_CASE("a share of nothing is measured, too; a time of nothing is not") {
  Diagnostics faults;
  Prediction p = prediction();
  p.metrics["job.train.stall.data"] = {0.002, "ratio", {}};
  const ValidatedCase c = compare(measured({figure("job.train.stall.data", "0 %")}), p, faults);
  CHECK_FALSE(faults.has_errors());
  REQUIRE(c.comparisons.size() == 1);
  CHECK(c.comparisons[0].error == Approx(0.2));
  CHECK(summarise({&c, 1})[0].median_factor == Approx(2.0));  // of 0.1 %
  (void)compare(measured({figure("job.train.first_step", "0 s")}), p, faults);
  CHECK(faults.has_errors());
}

TEST_CASE("a prediction that was stopped early is compared and said to be unfinished") {
  Diagnostics faults;
  Prediction partial = prediction();
  partial.verdict = Verdict::inconclusive;
  partial.warnings = {"only 1 of 3 replicas finished"};
  const ValidatedCase c = compare(measured({figure("job.train.au", "92.5 %")}), partial, faults);
  CHECK_FALSE(c.finished);
  CHECK(c.warnings.size() == 1);
  CHECK(c.comparisons.size() == 1);
}

TEST_CASE("money per hour is measured per hour, a count without a unit") {
  Diagnostics faults;
  const ValidatedCase c =
      compare(measured({figure("cost.gpu_idle", "6 USD/h"), figure("job.train.steps", "40")}),
              prediction(), faults);
  REQUIRE(c.comparisons.size() == 2);
  CHECK(c.comparisons[0].error == Approx(20.0));
  CHECK(c.comparisons[1].error == Approx(25.0));
}

TEST_CASE("a metric the simulation does not yield is a fault at the measurement") {
  Diagnostics faults;
  const ValidatedCase c =
      compare(measured({figure("job.train.ua", "92.5 %"), figure("job.train.au", "92.5 s"),
                        figure("job.train.first_step", "0 s")}),
              prediction(), faults);
  CHECK(c.comparisons.empty());
  REQUIRE(faults.items().size() == 3);  // all at once
  CHECK(faults.items()[0].code == "unknown-metric");
  CHECK(faults.items()[0].message == "the simulation yields no metric \"job.train.ua\"");
  CHECK(faults.items()[0].hint == "did you mean \"job.train.au\"?");
  CHECK(faults.items()[0].position.line == 7);
  CHECK(faults.items()[1].code == "unit");
  CHECK(faults.items()[1].message == "\"92.5 s\" does not fit \"job.train.au\", which is in ratio");
  CHECK(faults.items()[2].code == "range");
}

TEST_CASE("near is a factor of 1.2: 20 % too high, and 16.7 % too low") {
  const auto near = [](double factor) {
    const ValidatedCase one = predicted_at("a", factor);
    return summarise(std::span(&one, 1))[0].within_factor;
  };
  CHECK(near(1.199) == 1.0);
  CHECK(near(1.201) == 0.0);
  CHECK(near(0.834) == 1.0);
  CHECK(near(0.832) == 0.0);
}

TEST_CASE("the summary joins the same metric of jobs with different names") {
  // Factors 1.1, 1/0.8 = 1.25, 1.2: median 1.2; two of three within 1.2; mean |error| 50/3 %.
  const std::vector<ValidatedCase> cases = {predicted_at("a", 1.1), predicted_at("b", 0.8),
                                            predicted_at("c", 1.2)};
  const std::vector<ErrorSummary> summary = summarise(cases);
  REQUIRE(summary.size() == 1);
  CHECK(summary[0].metric == "job.*.first_step");
  CHECK(summary[0].cases == 3);
  CHECK(summary[0].median_factor == Approx(1.2));
  CHECK(summary[0].within_factor == Approx(2.0 / 3.0));
  CHECK(summary[0].mean_absolute_error == Approx(50.0 / 3.0));
}

TEST_CASE("the median of an even number of cases lies between the middle two") {
  const std::vector<ValidatedCase> cases = {predicted_at("a", 1.0), predicted_at("a", 1.3),
                                            predicted_at("a", 2.0), predicted_at("a", 1.1)};
  CHECK(summarise(cases)[0].median_factor == Approx(1.2));  // (1.1 + 1.3) / 2
}

TEST_CASE("nothing compared gives an empty summary") { CHECK(summarise({}).empty()); }

}  // namespace compare_test
