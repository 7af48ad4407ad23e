#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "stallcast/breakdown.hpp"
#include "tests/ui/report_samples.hpp"
#include "ui/report/stages.hpp"

namespace stages_report_test {

using namespace stallcast;
using namespace stallcast::report;
using Catch::Matchers::Contains;

namespace {

// 100 h in all: "clean" the first 80, "load" from 75 on, of which it waits for 20 h of 25.
Prediction two_stages() {
  constexpr double kHour = 3600.0;
  Prediction p;
  p.scenario_id = "pipeline";
  const auto set = [&](const std::string& name, double value, const char* unit) {
    p.metrics[name] = {value, unit, {}};
  };
  set("stage.clean.start", 0.0, "s");
  set("stage.clean.end", 80 * kHour, "s");
  set("stage.clean.time", 80 * kHour, "s");
  set("stage.clean.rate", 12e9, "B/s");
  set("stage.clean.waited", 0.0, "s");
  set("stage.load.start", 75 * kHour, "s");
  set("stage.load.end", 100 * kHour, "s");
  set("stage.load.time", 25 * kHour, "s");
  set("stage.load.rate", 1e9, "B/s");
  set("stage.load.waited", 20 * kHour, "s");
  set("pipeline.time", 100 * kHour, "s");
  set("pipeline.limit", 0.8, "ratio");
  p.limited_by = {{"stage.clean", "host.prep.cpu"},
                  {"stage.load", "stage.clean.rate"},
                  {"pipeline.limit", "stage.clean"},
                  {"pipeline", "host.prep.cpu"}};
  p.bottlenecks = {{"host.prep.cpu", 0.8, 0.8, "one core for each process"}};
  return p;
}

std::string rendered(Format format) {
  return render(two_stages(), report::testing::context(), format, {});
}

}  // namespace

TEST_CASE("stages are bars in the order they start, with what limits them") {
  const std::string text = rendered(Format::text);
  // Its share of the time is all of its own, of which that is only the most.
  CHECK(stage_limit(two_stages()) ==
        "clean limits: 80.0 % of the time of all stages, at 12 GB/s, above all by the CPU cores of "
        "prep hosts");
  CHECK_THAT(text, Contains("  clean         |########################      |\n"));
  CHECK_THAT(text, Contains("  load          |                       #######|\n") ||
                       Contains("  load          |                       ########|\n"));
  CHECK_THAT(text, Contains("waits 20 h for its input") && Contains("by the speed of clean"));
  CHECK(text.find("GPU") == std::string::npos);
  CHECK(text.find("clean  ") < text.find("load  "));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("a page has a drawing and a table of stages") {
  const std::string page = rendered(Format::html);
  CHECK_THAT(page, Contains("when each stage is at work") && Contains("<h2>Stages</h2>"));
  CHECK_THAT(page, Contains("pipeline takes") && Contains("waits 20 h for its input"));
}

TEST_CASE("a comment in Markdown has a row for each stage") {
  CHECK_THAT(rendered(Format::markdown),
             Contains("| load | from 3 d 3 h, takes 1 d 1 h | reads 1 GB/s | waits 20 h for its "
                      "input | speed of clean |"));
}

TEST_CASE("the result says which stage limits, and by what") {
  const auto json = nlohmann::json::parse(rendered(Format::json));
  CHECK(json["pipeline"]["limit"] == "stage.clean");
  CHECK(json["pipeline"]["limited_by"] == "host.prep.cpu");
  REQUIRE(json["pipeline"]["stages"].size() == 2);
  CHECK(json["pipeline"]["stages"][1]["id"] == "load");
  CHECK(json["pipeline"]["stages"][1]["limited_by"] == "stage.clean.rate");
  // without stages there is no such object
  const auto other = nlohmann::json::parse(
      render(report::testing::missed_target(), report::testing::context(), Format::json, {}));
  CHECK_FALSE(other.contains("pipeline"));
}

TEST_CASE("gains of stages are of the time of all of them") {
  Prediction faster = two_stages();
  faster.metrics["pipeline.time"].value *= 0.5;
  CHECK(of_pipeline(faster));
  CHECK_FALSE(of_tenants_alone(faster));
  CHECK(time_saved(two_stages(), faster) == Approx(0.5));
  CHECK(headlines(faster) == std::vector<std::string>{"pipeline.time"});
}

}  // namespace stages_report_test
