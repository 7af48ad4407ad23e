#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "stallcast/client.hpp"
#include "ui/report/report.hpp"

/// Months to each ceiling, against closed forms: docs/models/growth.md.
namespace growth_test {

using namespace stallcast;

namespace {

constexpr double kUsable = 0.97 * 0.85;  // what the file system leaves, and may be filled

// 32 GPUs read 4 samples of 8 MiB a step of 100 ms: 10.74 GB/s. 16 OSTs of 1 GB/s and 100 TB.
constexpr double kAsked = 32 * 4 * 8.0 * 1024 * 1024 / 0.1;

ScenarioFile scenario(const std::string& growth, const std::string& more = "") {
  return {.file = "growing.json", .text = R"({
  "id": "growing",
  "params": { "boxes": { "value": 16 } },
  "cluster": {
    "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ],
    "fabric": { "use": "fabric/ndr400-rail-optimized" }
  },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": "=boxes", "read": "1 GB/s", "write": "1 GB/s", "capacity": "100 TB" },
                 "oss": { "count": 4, "nic": "400 Gb/s" }, "mdt": { "count": 2 } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "model": { "use": "model/llama3-70b" }, "step": { "compute": "100 ms" },
    "dataset": { "on": "scratch", "format": "raw", "sample": "8 MiB", "size": "1 PB" },
    "loader": { "type": "pytorch", "workers": 8, "prefetch": 4, "batch": 4 }
  } ],
  "growth": )" + growth + more + R"(, "run": { "duration": "200 s" } })"};
}

client::Session session() { return client::Session({.jobs = 2, .worker = STALLCAST_SIM_PATH}); }

Result<GrowthResult> grown(const std::string& growth, const client::GrowthQuestion& wanted = {},
                           const std::string& more = "") {
  client::Session open = session();
  const client::Reading reading = open.read(scenario(growth, more));
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  return open.grow(*reading.scenario, wanted);
}

const GrowthCeiling* ceiling(const GrowthResult& growth, GrowthCeiling::Kind kind,
                             const std::string& name) {
  for (const GrowthCeiling& c : growth.ceilings)
    if (c.kind == kind && c.name == name) return &c;
  return nullptr;
}

/// A plan to `month` of what is asserted here: no replicas, designs around the answer, or bars.
client::PlanQuestion plan_until(int month) {
  client::PlanQuestion out{.over = {"osts"}, .until = month};
  out.spec.tornado = 0;
  out.spec.checks = 0;
  out.spec.replicas = 1;
  return out;
}

std::string fault_of(const std::string& growth) {
  const client::Reading reading = session().read(scenario(growth));
  return reading.scenario ? "" : reading.diagnostics.items().front().message;
}

}  // namespace

TEST_CASE("a data set of 4 % a month is full when the spreadsheet says") {
  const auto found = grown(R"({ "months": 12, "of": { "jobs.train.dataset.size": "4 %/month" } })");
  REQUIRE(found.ok());
  const double months = std::log(1600.0 * kUsable / 1000.0) / std::log(1.04);
  const GrowthCeiling* full = ceiling(*found, GrowthCeiling::Kind::space, "space on scratch");
  REQUIRE(full != nullptr);
  CHECK(full->month == static_cast<int>(std::ceil(months)));
  CHECK(full->remedy.find(std::to_string(static_cast<int>(
            std::ceil(10.0 * std::pow(1.04, 12) / kUsable)))) != std::string::npos);
  REQUIRE(found->space.size() == 1);
  for (std::size_t i = 0; i < found->months.size(); ++i)
    CHECK(*found->space[0].values[i] ==
          Approx(1000.0 * std::pow(1.04, found->months[i]) / (1600.0 * kUsable)).epsilon(1e-6));
}

TEST_CASE("what is added and never removed adds up over the months") {
  // 100 MB/s for 30.4 days are 263 TB a month, on top of a data set of 1 PB
  const auto found =
      grown(R"({ "months": 6, "of": { "jobs.train.dataset.size": "0.001 %/month" } })", {},
            R"(, "tenants": [ { "id": "in", "type": "ingest", "on": "scratch", "hosts": "gpu",
                                               "rate": "100 MB/s", "file": "256 MiB" } ])");
  REQUIRE(found.ok());
  const double a_month = 1e8 * 86400.0 * 365.25 / 12.0 / 1e12;
  const double months = (1600.0 * kUsable - 1000.0) / a_month;
  const GrowthCeiling* full = ceiling(*found, GrowthCeiling::Kind::space, "space on scratch");
  REQUIRE(full != nullptr);
  CHECK(full->month == static_cast<int>(std::ceil(months)));
  REQUIRE(found->space.size() == 1);
  CHECK(found->space[0].values.back() ==
        Approx((1000.0 + 6.0 * a_month) / (1600.0 * kUsable)).epsilon(1e-3));
}

TEST_CASE("an ingest that ends adds no more, and one of an hour fills nothing") {
  for (const auto& [stop, ends] : {std::pair{"45 d", 45.0}, std::pair{"1 h", 1.0 / 24.0}}) {
    INFO(stop);
    const auto found = grown(
        R"({ "months": 6, "every": 1, "of": { "jobs.train.dataset.size": "0.001 %/month" } })", {},
        R"(, "tenants": [ { "id": "in", "type": "ingest", "on": "scratch", "hosts": "gpu",
                            "rate": "30 MB/s", "file": "256 MiB", "stop": ")" +
            std::string(stop) + "\" } ]");
    REQUIRE(found.ok());
    CHECK(ceiling(*found, GrowthCeiling::Kind::space, "space on scratch") == nullptr);
    REQUIRE(found->space.size() == 1);
    REQUIRE(found->months.size() == 7);
    for (std::size_t i = 0; i < found->months.size(); ++i) {
      const double days = std::min(ends, found->months[i] * 365.25 / 12.0);
      CHECK(*found->space[0].values[i] ==
            Approx((1000.0 + 3e7 * 86400.0 * days / 1e12) / (1600.0 * kUsable)).epsilon(1e-4));
    }
  }
}

TEST_CASE("targets on room count what was added and never removed") {
  const auto found = grown(
      R"({ "months": 4, "every": 4, "of": { "jobs.train.dataset.size": "0.001 %/month" } })", {},
      R"(, "tenants": [ { "id": "in", "type": "ingest", "on": "scratch", "hosts": "gpu",
                          "rate": "20 MB/s", "file": "256 MiB" } ],
           "expect": [ { "id": "used", "that": "storage.scratch.capacity.used <= 86 %" },
                       { "id": "full", "that": "storage.scratch.capacity.full_after >= 150 d" } ])");
  REQUIRE(found.ok());
  REQUIRE(found->targets.size() == 2);
  REQUIRE(found->space.size() == 1);
  const double a_month = 2e7 * 86400.0 * 365.25 / 12.0 / 1e12;
  for (std::size_t i = 0; i < found->months.size(); ++i) {
    CHECK(*found->targets[0].values[i] == Approx(*found->space[0].values[i]));
    const double left = 1600.0 * kUsable - 1000.0 - a_month * found->months[i];
    CHECK(*found->targets[1].values[i] == Approx(left * 1e12 / 2e7).epsilon(1e-3));
  }
  // 75.8 % now and 4 points a month; 185 days, less 30.4 a month
  const GrowthCeiling* used = ceiling(*found, GrowthCeiling::Kind::target, "used");
  const GrowthCeiling* full = ceiling(*found, GrowthCeiling::Kind::target, "full");
  REQUIRE((used != nullptr && full != nullptr));
  CHECK(used->month == 3);
  CHECK(full->month == 2);
}

TEST_CASE("a resource runs out when what is asked of it passes what it can do") {
  // By the month, samples of half as many bytes again a year.
  const auto found = grown(
      R"({ "months": 24, "of": { "jobs.train.dataset.sample": "50 %/year", "storage.ost.capacity": "x9/month" } })");
  REQUIRE(found.ok());
  const auto series = std::find_if(found->loads.begin(), found->loads.end(), [](const auto& s) {
    return s.name == "storage.scratch.ost.read";
  });
  REQUIRE(series != found->loads.end());
  // What is asked, of what 16 OSTs deliver that are not hit evenly (94 to 100 % of 16 GB/s).
  const double first = *series->values.front();
  CHECK(first >= kAsked / 16e9 * 0.99);
  CHECK(first <= kAsked / 16e9 * 1.06);
  // Beyond what they deliver it is what would be asked if nothing waited.
  CHECK(*series->values.back() == Approx(first * 2.25).epsilon(0.03));
  const GrowthCeiling* out = ceiling(*found, GrowthCeiling::Kind::load, series->name);
  REQUIRE(out != nullptr);
  CHECK(std::abs(out->month - 12.0 * std::log(1.0 / first) / std::log(1.5)) <= 1.0);
}

TEST_CASE("purchases stand in the months they are said for") {
  const auto found = grown(
      R"({ "months": 9, "every": 9, "of": { "jobs.train.dataset.size": "4 %/month", "boxes": { "6": 32 } } })");
  REQUIRE(found.ok());
  CHECK(found->months == std::vector<int>{0, 5, 6, 9});
  const auto& used = found->space.at(0).values;
  CHECK(*used[2] / *used[1] == Approx(1.04 / 2.0).epsilon(1e-6));
  CHECK(found->trends[1].first == "16");
  CHECK(found->trends[1].last == "32");
}

TEST_CASE("amounts are added, counts are whole, and the command line adds trends") {
  const auto found =
      grown(R"({ "months": 6, "of": { "storage.scratch.ost.capacity": "-2 TB/month" } })",
            {.of = {"cluster.hosts.count=+3/year", "boxes=10 %/month"}});
  REQUIRE(found.ok());
  REQUIRE(found->trends.size() == 3);
  CHECK(found->trends[0].last == "88 TB");
  CHECK(found->trends[1].last == "6");  // 5.5
  CHECK(found->trends[2].last == "28");
}

TEST_CASE("a target is missed from the month on in which it is, and the months between are found") {
  const auto found = grown(
      R"({ "months": 24, "every": 12, "of": { "jobs.train.dataset.sample": "50 %/year", "storage.ost.capacity": "x9/month" } })",
      {}, R"(, "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 90 %" } ])");
  REQUIRE(found.ok());
  REQUIRE(found->targets.size() == 1);
  const GrowthTarget& au = found->targets[0];
  const GrowthCeiling* missed = ceiling(*found, GrowthCeiling::Kind::target, "au");
  REQUIRE(missed != nullptr);
  CHECK(missed->month % 12 != 0);  // in no month that is simulated anyhow
  for (std::size_t i = 0; i < found->months.size(); ++i)
    CHECK((au.status[i] == "fail") == (found->months[i] >= missed->month));
}

TEST_CASE("a target that is too close to call does not hold") {
  const auto with_limit = [](const std::string& limit) {
    client::Session open = session();
    const client::Reading reading = open.read(
        scenario(R"({ "months": 1, "every": 1, "of": { "jobs.train.dataset.size": "1 %/month" } })",
                 R"(, "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= )" + limit +
                     "\" } ]"));
    REQUIRE(reading.scenario.has_value());
    const auto found = open.grow(*reading.scenario, {}, {.replicas = 4});
    REQUIRE(found.ok());
    return *found;
  };
  const auto text_of = [](const GrowthResult& growth) {
    return report::render(growth, report::ReportContext{}, report::Format::text, report::Style{});
  };
  const GrowthResult far = with_limit("1 %");
  CHECK(far.unsure.empty());
  CHECK(text_of(far).find("nothing runs out within 1 months\n") != std::string::npos);
  // The mean of the replicas lies between the ends of its interval.
  const GrowthResult near = with_limit(std::to_string(100.0 * *far.targets[0].values[0]) + " %");
  CHECK(near.targets[0].status[0] == "inconclusive");
  CHECK(near.unsure == std::vector<std::string>{"au"});
  CHECK(near.notes.size() == 1);
  const std::string said = text_of(near);
  CHECK(said.find("nothing runs out within 1 months, but au is too close to call") !=
        std::string::npos);
  CHECK(said.find("unsure") != std::string::npos);
}

TEST_CASE("a parameter grows by amounts in any unit of its sort") {
  ScenarioFile file = scenario(
      R"({ "of": { "rate": "+500 MB/s/month", "scale": "10 %/month", "boxes": "4 %/month" },
                   "months": 2, "every": 2 })");
  const auto put = [&](const std::string& before, const std::string& after) {
    file.text->replace(file.text->find(before), before.size(), after);
  };
  put(R"("boxes": { "value": 16 })", R"("boxes": 16, "rate": "1 GB/s", "scale": 1)");
  put(R"("read": "1 GB/s")", R"("read": "=rate")");
  put(R"("size": "1 PB")", R"("size": "=scale PB")");
  client::Session open = session();
  const client::Reading reading = open.read(file);
  REQUIRE(reading.scenario.has_value());
  const auto found = open.grow(*reading.scenario, {});
  REQUIRE(found.ok());
  const std::string said =
      report::render(*found, report::ReportContext{}, report::Format::text, report::Style{});
  CHECK(said.find("1 GB/s now, 2 GB/s in month 2") != std::string::npos);
  // Whole numbers are only of what makes counts.
  CHECK(said.find("1 now, 1.21 in month 2") != std::string::npos);
  CHECK(said.find("16 now, 17 in month 2") != std::string::npos);
}

TEST_CASE("what cannot grow is said with its place") {
  CHECK(fault_of(R"({ "of": { "boxes": "fast" } })").find("does not say how") != std::string::npos);
  CHECK(fault_of(R"({ "of": { "boxes": "-100 %/month" } })").find("does not say how") !=
        std::string::npos);
  CHECK(fault_of(R"({ "of": { "boxes": { "soon": 3 } } })").find("no month") != std::string::npos);
  CHECK(fault_of(R"({ "of": { "boxes": {} } })").find("no month") != std::string::npos);
  CHECK(fault_of(R"({ "if": {} })").find("if") != std::string::npos);
  const auto says = [](const std::string& growth) {
    const auto found = grown(growth);
    REQUIRE_FALSE(found.ok());
    CHECK(found.failure().exit == ExitCode::bad_input);
    return found.failure().message + " " + found.failure().hint;
  };
  const auto refused = [&](const std::string& growth, const char* why) {
    return says(growth).find(why) != std::string::npos;
  };
  // What it proposes is of this scenario; a data set that says its size has no number of samples.
  CHECK((refused("{}", "does not say what grows") && refused("{}", "\"jobs.train.dataset.size\"")));
  CHECK(refused(R"({ "of": { "jobs.train.dataset.samples": "4 %/month" } })",
                "did you mean \"jobs.train.dataset.size\"?"));
  const char* unknown = R"({ "of": { "jobs.train.dataset.sizes": "4 %/month" } })";
  CHECK((refused(unknown, "growing.json:") && refused(unknown, "jobs.train.dataset.size")));
  CHECK(refused(R"({ "of": { "jobs.train.dataset.on": "4 %/month" } })", "not a number"));
  // The hint is a trend again.
  CHECK(refused(R"({ "of": { "storage.ost.read": "+3/month" } })", "\"+25 GB/s/month\""));
  CHECK(refused(
      R"({ "of": { "storage.ost.read": "4 %/month", "storage.scratch.ost.read": "x2/year" } })",
      "two ways"));
  // A parameter makes the value that grows, too.
  CHECK(refused(R"({ "of": { "boxes": "+4/month", "storage.ost.count": { "3": 24 } } })",
                "by itself, and by \"params.boxes\""));
  // What it becomes is checked as any value is.
  CHECK(says(R"({ "of": { "boxes": "-3/month" } })").find("in month 6") != std::string::npos);
}

TEST_CASE("--of takes the place of what the scenario says, by every spelling of the path") {
  for (const char* path : {"storage.ost.read", "storage.scratch.ost.read",
                           "storage[scratch].ost.read", "storage[scratch].ost.read "}) {
    INFO(path);
    client::GrowthQuestion wanted{.of = {std::string(path) + "=x2/year"}, .months = 12};
    const auto found = grown(R"({ "of": { "storage.scratch.ost.read": "4 %/month" } })", wanted);
    REQUIRE(found.ok());
    REQUIRE(found->trends.size() == 1);
    CHECK(found->trends[0].written == "x2/year");
    wanted.of = {"storage.ost.read=4 %/month", std::string(path) + "=x2/year"};
    CHECK(grown(R"({ "of": { "boxes": "1 %/month" } })", wanted)->trends.size() == 2);
  }
}

TEST_CASE("columns of the table stand apart, and the lines stay within the page") {
  client::GrowthQuestion wanted{.months = 12};
  auto found = grown(R"({ "of": { "jobs.train.dataset.size": "4 %/month" } })", wanted);
  REQUIRE(found.ok());
  GrowthSeries series{"cost.capex", "USD", {}};
  for (std::size_t i = 0; i < found->months.size(); ++i)
    series.values.push_back(24.2e6 + 1e6 * static_cast<double>(i));
  found->figures.push_back(series);
  series = {"job.train.run.time", "s", {}};
  for (std::size_t i = 0; i < found->months.size(); ++i)
    series.values.push_back(38880.0 + 60.0 * static_cast<double>(i));
  found->figures.push_back(series);
  const std::string text = report::render(*found, {}, report::Format::text, {});
  INFO(text);
  CHECK(text.find("10 h 48 min ") != std::string::npos);
  CHECK(text.find("MUSD2") == std::string::npos);
  CHECK(text.find("min1") == std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("a plan for a later month holds what has grown until then") {
  client::Session open = session();
  const client::Reading reading = open.read(
      scenario(R"({ "of": { "jobs.train.dataset.size": "4 %/month" } })",
               R"(, "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 50 %" } ])"));
  REQUIRE(reading.scenario.has_value());
  const auto plan = open.plan(*reading.scenario, plan_until(24), {.replicas = 1});
  REQUIRE(plan.ok());
  const auto holds = [](int month) {
    return std::to_string(static_cast<int>(std::ceil(10.0 * std::pow(1.04, month) / kUsable))) +
           " OSTs";
  };
  CHECK(plan->until == 24);
  REQUIRE(plan->stages.size() == 5);
  for (const PlanStage& stage : plan->stages) CHECK(stage.amounts == holds(stage.month));
  CHECK(plan->stages.back().by == "capacity");
}

TEST_CASE("a plan for a later month holds what was added and never removed until then") {
  // 20 MB/s on top of a data set of 1 PB, a tenth more each month, and 60 MB/s from month 9 on.
  const std::string ingest =
      R"(, "tenants": [ { "id": "in", "type": "ingest", "on": "scratch", "hosts": "gpu",
                          "rate": "20 MB/s", "file": "256 MiB" } ])";
  const double a_month = 86400.0 * 365.25 / 12.0 / 1e6;  // TB of 1 MB/s
  for (const bool steps : {false, true}) {
    client::Session open = session();
    ScenarioFile file = scenario(
        steps ? R"({ "of": { "tenants.in.rate": { "9": "60 MB/s" } } })"
              : R"({ "of": { "tenants.in.rate": "10 %/month" } })",
        ingest + R"(, "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 50 %" } ])");
    file.sets = {"run.duration=40 s"};
    const client::Reading reading = open.read(file);
    REQUIRE(reading.scenario.has_value());
    const auto plan = open.plan(*reading.scenario, plan_until(12), {.replicas = 1});
    REQUIRE(plan.ok());
    REQUIRE(plan->stages.size() == 5);
    for (const PlanStage& stage : plan->stages) {
      double stored = 1000.0;
      for (int month = 0; month < stage.month; ++month)
        stored += a_month * (!steps ? 20.0 * std::pow(1.1, month) : month >= 9 ? 60.0 : 20.0);
      CHECK(stage.amounts ==
            std::to_string(static_cast<int>(std::ceil(stored / 100.0 / kUsable))) + " OSTs");
    }
    // As "grow" says of the answer.
    const auto changed =
        parse_change("storage.scratch.ost.count=" + plan->points.at(*plan->answer).values.at(0));
    REQUIRE(changed.ok());
    const auto grown =
        open.grow(reading.scenario->with({&*changed, 1}), {.months = 12}, {.replicas = 1});
    REQUIRE(grown.ok());
    CHECK(*grown->space.at(0).values.back() ==
          Approx(plan->prediction.metrics.at("storage.scratch.capacity.used").value));
    CHECK(plan->notes.back().starts_with("on scratch lie also "));
  }
}

TEST_CASE("where the last month needs less, those before are said to need more") {
  client::Session open = session();
  const client::Reading reading = open.read(
      scenario(R"({ "of": { "jobs.train.dataset.size": { "12": "0.5 PB" } } })",
               R"(, "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 50 %" } ])"));
  REQUIRE(reading.scenario.has_value());
  const auto plan = open.plan(*reading.scenario, plan_until(24), {.replicas = 1});
  REQUIRE(plan.ok());
  REQUIRE(plan->stages.size() == 5);
  for (const PlanStage& stage : plan->stages) CHECK(stage.enough == (stage.month >= 12));
  const std::string said =
      report::render(*plan, report::ReportContext{}, report::Format::text, report::Style{});
  CHECK(said.find("that is for month 24 alone: not all targets") != std::string::npos);
  CHECK(said.find("; not with " + plan->stages.back().amounts) != std::string::npos);
}

}  // namespace growth_test
