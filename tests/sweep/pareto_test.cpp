#include "engine/decide/sweep/pareto.hpp"

#include <catch2/catch.hpp>

#include "engine/base/random.hpp"

namespace pareto_test {

using namespace stallcast;

namespace {

using Rows = std::vector<std::vector<std::optional<double>>>;

SweepReport report_of(const std::vector<std::tuple<std::string, double, Verdict>>& rows) {
  SweepReport out;
  out.axes = {"n"};
  for (const auto& [value, utilization, verdict] : rows) {
    SweepRow& row = out.rows.emplace_back();
    row.values = {value};
    row.numbers = {sweep::number_of(value)};
    row.outcome.emplace();
    row.outcome->verdict = verdict;
    row.outcome->metrics["job.train.gpu.utilization"] = {utilization, "ratio", {}};
    row.outcome->metrics["job.train.step.time"] = {1.0, "s", {}};
  }
  return out;
}

std::string front_of(const SweepReport& report) {
  std::string out;
  for (const SweepRow& row : report.rows) out += row.pareto ? "*" : ".";
  return out;
}

std::vector<SweepColumn> columns(const SweepReport& report, std::vector<std::string> wanted) {
  std::optional<std::string> fault;
  auto out = sweep::columns_of(report, wanted, fault);
  INFO(fault.value_or(""));
  CHECK_FALSE(fault);
  return out;
}

}  // namespace

TEST_CASE("what is shown unasked is what a prediction says first") {
  const auto names = [](std::vector<std::pair<const char*, const char*>> metrics) {
    SweepReport report;
    report.axes = {"run.seed"};
    SweepRow& row = report.rows.emplace_back();
    row.values = {"1"};
    row.numbers = {sweep::number_of("1")};
    row.outcome.emplace();
    for (const auto& [name, unit] : metrics) row.outcome->metrics[name] = {1.0, unit, {}};
    std::vector<std::string> out;
    for (const SweepColumn& column : columns(report, {})) out.push_back(column.name);
    return out;
  };
  using Names = std::vector<std::string>;
  CHECK(names({{"tenant.a.latency", "s"},
               {"tenant.a.latency.p99", "s"},
               {"tenant.a.read", "B/s"},
               {"tenant.b.makespan", "s"},
               {"tenant.b.latency", "s"},
               {"cost.capex", "USD"}}) ==
        Names{"tenant.a.latency", "tenant.b.makespan", "cost.capex"});
  CHECK(names({{"pipeline.time", "s"}, {"stage.copy.time", "s"}}) == Names{"pipeline.time"});
  CHECK(names({{"job.t.gpu.utilization", "ratio"},
               {"job.t.checkpoint.stall", "s"},
               {"tenant.a.latency", "s"}}) ==
        Names{"job.t.gpu.utilization", "job.t.checkpoint.stall"});
}

TEST_CASE("unasked, goodput is shown where failures undo work, and what targets are on") {
  const auto names = [](double goodput, std::vector<SweepTarget> targets) {
    SweepReport report;
    report.axes = {"run.seed"};
    report.targets = std::move(targets);
    SweepRow& row = report.rows.emplace_back();
    row.values = {"1"};
    row.numbers = {sweep::number_of("1")};
    row.outcome.emplace();
    row.outcome->metrics = {{"job.t.gpu.utilization", {0.99, "ratio", {}}},
                            {"job.t.goodput", {goodput, "ratio", {}}},
                            {"job.t.run.days", {20.0, "d", {}}}};
    std::string out;
    for (const SweepColumn& column : columns(report, {})) out += column.name + " ";
    return out;
  };
  CHECK(names(0.99, {}) == "job.t.gpu.utilization ");
  CHECK(names(0.98, {}) == "job.t.gpu.utilization job.t.goodput ");
  CHECK(
      names(0.99, {{"days", "job.t.run.days <= 21"}, {"util", "job.*.gpu.utilization >= 90 %"}}) ==
      "job.t.gpu.utilization job.t.run.days ");
}

TEST_CASE("a point is on the front unless another is better and nowhere worse") {
  CHECK(sweep::pareto_front(Rows{{1, 4}, {2, 2}, {4, 1}, {3, 3}, {2, 5}}) ==
        std::vector<bool>{true, true, true, false, false});
}

TEST_CASE("equal points are on the front together, and one without a figure never") {
  CHECK(sweep::pareto_front(Rows{{1, 1}, {1, 1}, {1, 2}, {0, std::nullopt}}) ==
        std::vector<bool>{true, true, false, false});
}

// The definition itself, pair by pair.
TEST_CASE("the front of random points is that of the definition") {
  base::RandomStream random(3, "test", "front");
  Rows rows;
  for (int i = 0; i < 200; ++i)
    rows.push_back({static_cast<double>(random.below(12)), static_cast<double>(random.below(12)),
                    static_cast<double>(random.below(12))});
  const std::vector<bool> front = sweep::pareto_front(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bool dominated = false;
    for (const auto& other : rows) {
      bool worse = false, better = false;
      for (std::size_t g = 0; g < 3; ++g) {
        worse = worse || *other[g] > *rows[i][g];
        better = better || *other[g] < *rows[i][g];
      }
      dominated = dominated || (better && !worse);
    }
    CHECK(front[i] != dominated);
  }
}

TEST_CASE("the front is of points whose targets hold, over metrics and what is varied") {
  SweepReport report = report_of({{"8", 0.80, Verdict::fail},
                                  {"16", 0.95, Verdict::pass},
                                  {"32", 0.95, Verdict::pass},
                                  {"64", 0.99, Verdict::pass}});
  report.columns = columns(report, {"job.train.gpu.utilization:max", "n:min"});
  sweep::mark_front(report);
  CHECK(front_of(report) == ".*.*");
  report.columns = columns(report, {"job.train.gpu.utilization"});
  sweep::mark_front(report);
  CHECK(front_of(report) == "....");
}

TEST_CASE("columns are found by name and pattern, and unknown ones are said") {
  const SweepReport report = report_of({{"8", 0.8, Verdict::pass}});
  CHECK(columns(report, {}).size() == 1);         // no save, so no stall
  CHECK(columns(report, {"n:min"}).size() == 2);  // and the usual one
  CHECK(columns(report, {"job.*"}).size() == 2);
  CHECK(columns(report, {"*", "job.train.step.time:min"}).size() == 3);
  std::optional<std::string> fault;
  const std::vector<std::string> wanted = {"job.train.gpu.utilisation"};
  CHECK(sweep::columns_of(report, wanted, fault).size() == 1);
  CHECK(fault->find("did you mean \"job.train.gpu.utilization\"?") != std::string::npos);
}

TEST_CASE("a parameter that is varied is a column by its bare name, too") {
  SweepReport report = report_of({{"8", 0.5, Verdict::pass}});
  report.axes = {"params.n_ost"};
  for (const char* name : {"n_ost:min", "params.n_ost:min"}) {
    const auto found = columns(report, {name});
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].name == "params.n_ost");
    CHECK(found[0].goal == Goal::minimum);
  }
}

TEST_CASE("what is not a number cannot be a goal") {
  const SweepReport report = report_of({{"async", 0.8, Verdict::pass}});
  std::optional<std::string> fault;
  const std::vector<std::string> wanted = {"n:min"};
  static_cast<void>(sweep::columns_of(report, wanted, fault));
  CHECK(fault->find("not numbers") != std::string::npos);
}

TEST_CASE("values are numbers in base units") {
  CHECK(sweep::number_of("48")->value == 48.0);
  CHECK(sweep::number_of("5 min")->value == 300.0);
  CHECK(sweep::number_of("5 min")->unit == "s");
  CHECK(sweep::number_of("400 Gb/s")->value == 50e9);
  CHECK(sweep::number_of("4 MiB")->unit == "B");
  CHECK_FALSE(sweep::number_of("async"));
}

}  // namespace pareto_test
