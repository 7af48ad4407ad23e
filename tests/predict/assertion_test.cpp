#include "engine/base/assertion.hpp"

#include <catch2/catch.hpp>

#include "engine/decide/predict/predict.hpp"

namespace assertion_test {

using namespace stallcast;
using base::parse_assertion;
using base::relative_limits;

namespace {

Prediction measured() {
  Prediction p;
  p.metrics["job.train.step.time"] = {1.5, "s", {{1.4, 1.6}}};
  p.metrics["cost.capex"] = {105.0, "USD", {}};
  p.metrics["cost.gpu_idle"] = {20.0, "USD/h", {}};
  p.metrics["resource.a.utilization"] = {0.2, "ratio", {}};
  p.metrics["resource.b.utilization"] = {0.6, "ratio", {}};
  return p;
}

std::vector<AssertionOutcome> outcomes(const std::string& that, const predict::BaseValues* base,
                                       Diagnostics& diags) {
  Design design;
  design.expect.push_back({"e", that, "error", "", "/expect/0"});
  return predict::check(design, measured(), diags, base);
}

std::string status(const std::string& that, const predict::BaseValues* base = nullptr) {
  Diagnostics diags;
  const auto found = outcomes(that, base, diags);
  if (!diags.items().empty()) return diags.items()[0].code;
  return found.empty() ? "left out" : found.at(0).status;
}

}  // namespace

TEST_CASE("a range has both its ends") {
  const auto a = parse_assertion("job.train.step.time in [1 s, 2000 ms]");
  REQUIRE(a.ok());
  CHECK(a->op == "in");
  CHECK(a->limit == 1.0);
  CHECK(a->upper == 2.0);
  CHECK(status("cost.capex in [105 USD, 105 USD]") == "pass");
  CHECK(status("cost.capex in [0 USD, 104 USD]") == "fail");
  CHECK(status("cost.gpu_idle in [20 USD/h, 21 USD/h]") == "pass");
}

TEST_CASE("an interval is in a range only with both its ends") {
  CHECK(status("job.train.step.time in [1.4 s, 1.6 s]") == "pass");
  CHECK(status("job.train.step.time in [1.5 s, 2 s]") == "inconclusive");
  // The interval reaches beyond both ends.
  CHECK(status("job.train.step.time in [1.45 s, 1.55 s]") == "inconclusive");
  CHECK(status("job.train.step.time in [1.7 s, 2 s]") == "fail");
}

TEST_CASE("a range that is none says how to write one") {
  for (const char* that : {"job.a.au in 1 s", "job.a.au in [1 s]", "job.a.au in [2 s, 1 s]",
                           "job.a.au in [1 s, 2 B]", "job.a.au in [1 s, soon]"})
    CHECK(parse_assertion(that).failure().exit == ExitCode::bad_input);
}

TEST_CASE("a statistic is of all metrics that match") {
  CHECK(status("mean(resource.*.utilization) <= 40 %") == "pass");
  CHECK(status("max(resource.*.utilization) <= 59 %") == "fail");
  CHECK(status("min(resource.*.utilization) > 20 %") == "fail");
  CHECK(status("total(resource.*.utilization) == 80 %") == "pass");
  CHECK(status("max(resource.*.queue) < 1") == "unknown-metric");
  CHECK_FALSE(parse_assertion("median(job.a.au) > 3").ok());
  Diagnostics diags;
  CHECK(outcomes("max(resource.*.utilization) < 1 %", nullptr, diags).at(0).metric ==
        "max(resource.*.utilization)");
}

TEST_CASE("the hint of an unknown metric names those that share the most words with it") {
  const auto hint = [](const std::string& metric) {
    Design design;
    design.expect.push_back({"e", metric + " < 1 s", "error", "", "/expect/0"});
    Prediction p;
    for (const char* name :
         {"job.train.au", "job.train.checkpoint.buffers", "job.train.checkpoint.settled",
          "job.train.checkpoint.stall", "job.train.restore.duration"})
      p.metrics[name] = {1.0, "s", {}};
    Diagnostics diags;
    static_cast<void>(predict::check(design, p, diags, nullptr));
    return diags.items().at(0).hint;
  };
  CHECK(hint("job.train.checkpoint.settled.max") == "known metrics: job.train.checkpoint.settled");
  CHECK(hint("job.train.checkpoint.restore.duration") ==
        "known metrics: job.train.restore.duration");
  CHECK(hint("job.train.checkpoint.nonsense") ==
        "known metrics: job.train.checkpoint.buffers, job.train.checkpoint.settled, "
        "job.train.checkpoint.stall");
}

TEST_CASE("figures of what did not come in what is simulated say so") {
  const auto hint = [](const std::string& metric, double saves) {
    Design design;
    design.expect.push_back({"e", metric + " < 1 s", "error", "", "/expect/0"});
    Prediction p = measured();
    p.metrics["job.train.checkpoint.count"] = {saves, "", {}};
    Diagnostics diags;
    static_cast<void>(predict::check(design, p, diags, nullptr));
    return diags.items().at(0).hint;
  };
  CHECK(
      hint("job.train.checkpoint.duration", 0.0) ==
      "no save of job \"train\" ends in what is simulated: let it last longer, or save more often");
  CHECK(hint("job.train.checkpoint.duration", 2.0) == "known metrics: job.train.checkpoint.count");
  CHECK(
      hint("job.train.restore.duration", 2.0) ==
      "nothing of job \"train\" is restored in what is simulated: give its \"checkpoint\" a "
      "\"restore\": { \"read\": \"all\" }, which simulates one after the run, or a failure a date "
      "(\"at\") after its first save");
}

TEST_CASE("the mean of a distribution is the metric itself") {
  CHECK(status("job.train.step.time.mean <= 1.6 s") == "pass");
  CHECK(status("job.train.step.time.p99.9 <= 1.6 s") == "unknown-metric");
}

TEST_CASE("a limit relative to a baseline is an expression of its value") {
  const predict::BaseValues base = {{"e", 100.0}};
  CHECK(status("cost.capex <= base * 1.05", &base) == "pass");
  CHECK(status("cost.capex <= base * 1.04", &base) == "fail");
  CHECK(status("cost.capex <= max(base, 110)", &base) == "pass");
  CHECK(status("cost.capex < base + 5 USD", &base) == "fail");
  CHECK(status("cost.capex <= base + 5 USD", &base) == "pass");
  CHECK(status("cost.capex <= base + 5 s", &base) == "expect");
  // 20 USD/h against 19 + 2 of the same.
  const predict::BaseValues idle = {{"e", 19.0}};
  CHECK(status("cost.gpu_idle < base + 2 USD/h", &idle) == "pass");
}

TEST_CASE("quantities relative to the baseline are taken in the unit of the metric") {
  const auto points = parse_assertion("job.train.gpu.utilization >= base - 1.5 %");
  REQUIRE(points.ok());
  CHECK(relative_limits(*points, "ratio", 0.95).value().limit == Approx(0.935));
  const auto time = parse_assertion("job.train.step.time < 2 * base + 250 ms / 2");
  CHECK(relative_limits(*time, "s", 1.0).value().limit == Approx(2.125));
  // A figure that may be negative: 5 % either way of -0.2.
  const auto around = parse_assertion("job.train.gpu.utilization in [base * 0.95, base * 1.05]");
  const auto ends = relative_limits(*around, "ratio", -0.2).value();
  CHECK(ends.limit == Approx(-0.21));
  CHECK(ends.upper.value() == Approx(-0.19));
}

TEST_CASE("without a baseline such an assertion is left out, and without its value not decided") {
  CHECK(status("cost.capex <= base") == "left out");
  const predict::BaseValues none;
  CHECK(status("cost.capex <= base", &none) == "inconclusive");
  CHECK(status("cost.no <= base", &none) == "unknown-metric");
}

TEST_CASE("an expression that cannot be computed is a fault of the assertion") {
  CHECK_FALSE(parse_assertion("cost.capex <= base *").ok());
  CHECK_FALSE(parse_assertion("cost.capex <= base * factor").ok());
  CHECK_FALSE(parse_assertion("cost.capex <= basement").ok());
  CHECK(parse_assertion("cost.capex <= (base + 3 USD) / 2").ok());
}

TEST_CASE("what a hint says to write is accepted") {
  const auto hint = [](const std::string& that, std::string_view unit) -> std::string {
    const auto said = [](const auto& found) { return found.ok() ? "" : found.failure().hint; };
    const auto asked = parse_assertion(that);
    if (!asked.ok()) return said(asked);
    return asked->relative.empty() ? said(base::limit_in(*asked, unit))
                                   : said(relative_limits(*asked, unit, 1.0));
  };
  const auto written = [&](const std::string& that, std::string_view unit) {
    const std::string said = hint(that, unit);
    const std::size_t begin = said.find('"') + 1;
    return said.substr(begin, said.rfind('"') - begin);
  };
  CHECK(written("job.a.step.time in [base, 3 GB]", "s") ==
        "job.a.step.time in [base, base + 200 ms]");
  CHECK(written("max(job.*.step.time) in [base, 3 GB]", "s") ==
        "max(job.*.step.time) in [base, base + 200 ms]");
  CHECK(written("job.a.step.time in [, base]", "s") ==
        "job.a.step.time in [base * 0.95, base * 1.05]");
  CHECK(written("job.a.step.time <= base *", "s") == "job.a.step.time <= base * 1.05");
  for (const char* that : {"job.a.step.time in [base, 3 GB]", "job.a.step.time in [3 GB, base * 2]",
                           "job.a.step.time in [, base]", "job.a.step.time in [base, ]",
                           "job.a.step.time in [base *, base]", "job.a.step.time in [1, 2]",
                           "max(job.*.step.time) < base + 3 GB", "job.a.step.time <= base *"}) {
    INFO(that);
    CHECK(hint(written(that, "s"), "s").empty());
  }
  for (const char* that : {"job.a.au in [0.9, 0.95]", "job.a.au in [0.96, 1.05]",
                           "job.a.au in [96, 98]", "job.a.au in [base, 2 s]"}) {
    INFO(that);
    CHECK(hint(written(that, "ratio"), "ratio").empty());
  }
}

}  // namespace assertion_test
