#include <catch2/catch.hpp>

#include "engine/decide/predict/predict.hpp"

namespace expect_test {

using namespace stallcast;
using base::parse_assertion;
using predict::check;

namespace {

Design expecting(std::vector<std::string> lines) {
  Design design;
  for (std::size_t i = 0; i < lines.size(); ++i)
    design.expect.push_back(
        {"e" + std::to_string(i), lines[i], "error", "", "/expect/" + std::to_string(i)});
  return design;
}

Prediction measured() {
  Prediction p;
  p.metrics["job.train.gpu.utilization"] = {0.95, "ratio", {{0.94, 0.96}}};
  p.metrics["job.train.checkpoint.stall.p99"] = {4.0, "s", {}};
  p.metrics["resource.storage.a.oss.nic.utilization"] = {0.5, "ratio", {}};
  p.metrics["resource.storage.a.ost.utilization"] = {0.9, "ratio", {}};
  p.metrics["cost.per_useful_gpu_hour"] = {3.0, "USD", {}};
  p.metrics["cost.gpu_idle"] = {20.0, "USD/h", {}};
  p.metrics["storage.a.servers"] = {12.0, "count", {}};
  p.bottlenecks.push_back({"storage.a.ost", 0.9, 0.7, ""});
  p.breakdown["train"] = {{"compute", 0.95}, {"data", 0.05}};
  p.limited_by["job.train.checkpoint"] = "storage.a.ost";  // what saves say of themselves
  return p;
}

std::string status(const std::string& line) {
  Diagnostics diags;
  const auto outcomes = check(expecting({line}), measured(), diags);
  if (outcomes.empty()) return diags.items().at(0).code;
  return outcomes.at(0).status;
}

}  // namespace

TEST_CASE("an assertion is a metric, a comparison and a quantity") {
  const auto a = parse_assertion(" job.train.gpu.utilization>=95 % ");
  REQUIRE(a.ok());
  CHECK(a->metric == "job.train.gpu.utilization");
  CHECK(a->op == ">=");
  CHECK(a->limit == Approx(0.95));
  CHECK(a->dimension == Dimension::ratio);
}

TEST_CASE("what is not an assertion says why") {
  CHECK(parse_assertion("job.train.au").failure().message == "\"job.train.au\" compares nothing");
  CHECK(parse_assertion("job.train.au = 3 s").failure().hint == "use one of < <= > >= == in");
  CHECK(parse_assertion("job.train.au != 3 s").failure().hint == "use one of < <= > >= == in");
  CHECK(parse_assertion("job.train.au > soon").failure().message == "\"soon\" is not a quantity");
  CHECK(parse_assertion("job.train.au > soon").failure().hint.find("80 kops/s") !=
        std::string::npos);
  CHECK(parse_assertion("job.train.throughput.samples >= 30 1/s").ok());
  CHECK(parse_assertion("> 3 s").failure().exit == ExitCode::bad_input);
}

TEST_CASE("the whole interval must lie on the good side of the limit") {
  CHECK(status("job.train.gpu.utilization >= 94 %") == "pass");
  CHECK(status("job.train.gpu.utilization >= 95 %") == "inconclusive");
  CHECK(status("job.train.gpu.utilization >= 96.5 %") == "fail");
  CHECK(status("job.train.gpu.utilization < 96 %") == "inconclusive");
  CHECK(status("job.train.gpu.utilization < 97 %") == "pass");
}

TEST_CASE("a figure without interval is compared itself") {
  CHECK(status("job.train.checkpoint.stall.p99 <= 4 s") == "pass");
  CHECK(status("job.train.checkpoint.stall.p99 < 4 s") == "fail");
  CHECK(status("job.train.checkpoint.stall.p99 == 4000 ms") == "pass");
}

TEST_CASE("an unknown metric is an error that names the nearest one") {
  Diagnostics diags;
  CHECK(check(expecting({"job.train.gpu.utilisation >= 95 %"}), measured(), diags).empty());
  REQUIRE(diags.items().size() == 1);
  CHECK(diags.items()[0].code == "unknown-metric");
  CHECK(diags.items()[0].pointer == "/expect/0/that");
  CHECK(diags.items()[0].hint == "did you mean \"job.train.gpu.utilization\"?");
}

TEST_CASE("a metric that only plan computes says so") {
  Diagnostics diags;
  CHECK(check(expecting({"storage.a.osts.required <= 48"}), measured(), diags).empty());
  CHECK(diags.items().at(0).hint == "only \"stallcast plan\" computes it");
}

TEST_CASE("units that do not fit the metric are errors") {
  CHECK(status("job.train.gpu.utilization >= 95") == "expect");
  CHECK(status("job.train.gpu.utilization >= 95 s") == "expect");
  CHECK(status("job.train.checkpoint.stall.p99 < 5") == "expect");
  CHECK(status("storage.a.servers < 13") == "pass");
}

TEST_CASE("a wildcard holds only if it holds everywhere, and reports the worst") {
  Diagnostics diags;
  const auto outcomes = check(expecting({"resource.*.utilization < 85 %"}), measured(), diags);
  REQUIRE(outcomes.size() == 1);
  CHECK(outcomes[0].status == "fail");
  CHECK(outcomes[0].value == 0.9);
  CHECK(outcomes[0].limited_by == "storage.a.ost");
  CHECK(status("resource.*.utilization < 91 %") == "pass");
  CHECK(status("resource.*.queue < 3") == "unknown-metric");
}

TEST_CASE("a failed target names the resource most to blame") {
  Diagnostics diags;
  const auto outcomes =
      check(expecting({"job.train.checkpoint.stall.p99 < 1 s"}), measured(), diags);
  CHECK(outcomes.at(0).limited_by == "storage.a.ost");
}

TEST_CASE("a target that ranks waiting for each other cost names the barrier") {
  Prediction p = measured();
  p.breakdown["train"] = {{"compute", 0.94}, {"cpu", 0.01}, {"sync", 0.05}};
  CHECK(predict::limiter(p, "job.train.gpu.utilization") == "job.train.barrier");
  // Neither all the time of the job nor told by a row of its own: nobody knows.
  CHECK(predict::limiter(p, "job.train.first_batch").empty());
  p.breakdown["train"] = {{"compute", 0.94}, {"cpu", 0.05}, {"sync", 0.01}};
  CHECK(predict::limiter(p, "job.train.gpu.utilization") == "storage.a.ost");
}

TEST_CASE("where nothing was tried it is only known what was waited for most") {
  Prediction p = measured();
  AssertionOutcome missed;
  missed.metric = "job.train.gpu.utilization";
  predict::name_limit(p, missed);
  CHECK((missed.limited_by == "storage.a.ost" && missed.waited));
  p.gains = Gains{};
  predict::name_limit(p, missed);
  CHECK(missed.waited);  // there was no room for any
  p.gains->simulated = 3;
  predict::name_limit(p, missed);
  CHECK((missed.limited_by == "storage.a.ost" && !missed.waited));
  p.gains.reset();
  p.limited_by["job.train.checkpoint"] = "storage.a.oss";  // what saves said of themselves
  missed.metric = "job.train.checkpoint.stall.p99";
  predict::name_limit(p, missed);
  CHECK((missed.limited_by == "storage.a.oss" && !missed.waited));
  p.breakdown["train"] = {{"compute", 0.94}, {"cpu", 0.01}, {"sync", 0.05}};
  missed.metric = "job.train.gpu.utilization";
  predict::name_limit(p, missed);
  CHECK((missed.limited_by == "job.train.barrier" && !missed.waited));
}

TEST_CASE("the time of a whole run is limited by what its job gains most from") {
  Prediction p = measured();
  p.breakdown["train"] = {{"compute", 0.88}, {"cpu", 0.02}, {"restart", 0.10}};
  p.gains = Gains{};
  p.bottlenecks.push_back({"job.train.failures", 0.0, 0.0, ""});
  p.bottlenecks[0].gain = Gain{0.01, 0.0, "storage[a].ost", ""};
  p.bottlenecks[1].gain = Gain{0.10, 0.0, "job[train].failures", ""};
  for (const char* metric :
       {"job.train.goodput", "job.train.run.time", "job.train.checkpoint.best_interval.goodput"})
    CHECK(predict::limiter(p, metric) == "job.train.failures");
  // A save is no part of that.
  CHECK(predict::limiter(p, "job.train.checkpoint.settled") == "storage.a.ost");
  p.metrics["job.train.run.energy"] = {2e6, "kWh", {}};
  CHECK(predict::limiter(p, "job.train.run.energy").empty());
}

TEST_CASE("a whole run that compute alone makes too long is limited by no failure") {
  Prediction p = measured();
  p.metrics["job.train.run.days"] = {25.0, "d", {}};
  p.metrics["job.train.goodput"] = {0.8, "ratio", {}};
  p.limited_by["job.train.run.days"] = "job.train.failures";
  const auto limited = [&](const char* that) {
    Diagnostics diags;
    return check(expecting({that}), p, diags).at(0).limited_by;
  };
  // GPUs that never wait need 20 d of the 25.
  CHECK(limited("job.train.run.days <= 21") == "job.train.failures");
  CHECK(limited("job.train.run.days <= 19") == "job.train.compute");
  CHECK(limited("job.train.run.days <= 26") == "job.train.failures");
  CHECK(limited("job.train.run.days >= 30") == "job.train.failures");
}

TEST_CASE("why there is no whole run is said by what takes its time") {
  Prediction p = measured();
  p.metrics["job.train.goodput"] = {0.0, "ratio", {}};
  const auto hint = [&] { return predict::metric_hint("job.train.run.time", p); };
  CHECK(hint().find("save more often") != std::string::npos);
  p.metrics["job.train.failures.waiting.share"] = {0.99, "ratio", {}};
  CHECK(hint().find("more \"spares\"") != std::string::npos);
  // Of a job whose saves do not come there is nothing of either.
  p.metrics.erase("job.train.goodput");
  p.metrics["job.train.checkpoint.count"] = {0.0, "count", {}};
  CHECK(hint().find("no save of job \"train\"") == 0);
}

TEST_CASE("what something costs and how many there are is limited by no resource") {
  Prediction p = measured();
  p.metrics["cost.capex"] = {50e3, "USD", {}};
  p.metrics["job.train.checkpoint.count"] = {6.0, "count", {}};
  p.metrics["storage.a.capacity.usable"] = {1e12, "B", {}};
  p.metrics["storage.a.capacity.headroom"] = {-1e12, "B", {}};
  p.metrics["power.total"] = {9e3, "W", {}};
  p.limited_by["job.train"] = "storage.a.ost";   // it waits for them
  p.limited_by["cost.capex"] = "storage.a.ost";  // most is paid for it
  p.limited_by["storage.a.capacity.headroom"] = "storage.a.capacity";
  for (const char* metric :
       {"cost.capex", "cost.gpu_idle", "cost.per_useful_gpu_hour", "power.total",
        "job.train.checkpoint.count", "storage.a.capacity.usable"}) {
    INFO(metric);
    CHECK(predict::limiter(p, metric).empty());
  }
  // The run itself knows that there is too little room.
  CHECK(predict::limiter(p, "storage.a.capacity.headroom") == "storage.a.capacity");
}

TEST_CASE("an outcome carries its limit and the interval of its value") {
  Diagnostics diags;
  const auto outcomes = check(expecting({"resource.*.utilization < 85 %"}), measured(), diags);
  CHECK(outcomes.at(0).limit == 0.85);
  CHECK_FALSE(outcomes.at(0).ci95.has_value());
}

TEST_CASE("money rates are compared per hour") {
  CHECK(status("cost.gpu_idle < 21 USD/h") == "pass");
  CHECK(status("cost.gpu_idle < 19 USD/h") == "fail");
}

TEST_CASE("only error-level outcomes decide the verdict") {
  AssertionOutcome pass, fail, warn, unsure;
  pass.status = "pass";
  fail.status = warn.status = "fail";
  unsure.status = "inconclusive";
  pass.level = fail.level = unsure.level = "error";
  warn.level = "warn";
  using V = std::vector<AssertionOutcome>;
  CHECK(predict::verdict_of(V{}) == Verdict::none);
  CHECK(predict::verdict_of(V{pass, warn}) == Verdict::pass);
  CHECK(predict::verdict_of(V{pass, unsure}) == Verdict::inconclusive);
  CHECK(predict::verdict_of(V{unsure, fail, pass}) == Verdict::fail);
}

TEST_CASE("the margin is positive on the good side") {
  const auto a = parse_assertion("x.y <= 10 s");
  CHECK(base::margin(*a, 8.0, 10.0) == Approx(0.2));
  CHECK(base::margin(*a, 12.0, 10.0) == Approx(-0.2));
}

TEST_CASE("the margin of a range is to its nearest end, in the unit of the metric") {
  // In minutes: 3 to 5 of them are 180 s to 300 s in base units.
  const auto a = parse_assertion("x.y in [3 min, 5 min]");
  const std::optional<double> upper = 5.0;
  CHECK(base::margin(*a, 3.3, 3.0, upper) == Approx(0.1));
  CHECK(base::margin(*a, 4.5, 3.0, upper) == Approx(0.1));
  CHECK(base::margin(*a, 6.0, 3.0, upper) == Approx(-0.2));
  CHECK(base::margin(*a, 2.4, 3.0, upper) == Approx(-0.2));
  CHECK(base::nearest_end(*a, 3.9, 3.0, upper) == 3.0);
  CHECK(base::nearest_end(*a, 6.0, 3.0, upper) == 5.0);
}

}  // namespace expect_test
