#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/ui/report_samples.hpp"

namespace report_json_test {

using namespace stallcast;
using namespace stallcast::report;
using Json = nlohmann::ordered_json;

namespace {
Json result(const Style& style = {}) {
  return Json::parse(render(testing::missed_target(), testing::context(), Format::json, style));
}
}  // namespace

TEST_CASE("a plan says of designs what is waited for most, where nothing was tried, as run does") {
  PlanResult plan = report::testing::infeasible_plan();
  const auto says = [&](Format format) {
    return render(plan, report::testing::context(), format, {});
  };
  for (const bool waited : {false, true}) {
    for (PlanPoint& point : plan.points) point.waited = waited;
    const std::string text = says(Format::text), html = says(Format::html);
    CHECK((text.find("limited by the NICs") == std::string::npos) == waited);
    CHECK((text.find("waits most for the NICs") != std::string::npos) == waited);
    CHECK((html.find("(waited for most)</td>") != std::string::npos) == waited);
    const Json json = Json::parse(says(Format::json));
    for (const Json& point : json["plan"]["points"]) {
      CHECK(point["limited_by"] == (waited ? Json() : point["binding"]));
      CHECK(point.contains("most_waited_for") == waited);
      if (waited) CHECK(point["most_waited_for"] == point["binding"]);
    }
  }
}

TEST_CASE("the result has the keys of stallcast.result/1") {
  const Json r = result();
  CHECK(r["schema"] == "stallcast.result/1");
  for (const char* key : {"tool", "scenario", "verdict", "assertions", "metrics", "breakdown",
                          "bottlenecks", "warnings", "elapsed"})
    CHECK(r.contains(key));
  CHECK(r["tool"]["profile"].is_null());
  CHECK(r["verdict"] == "fail");
  CHECK(r["assertions"][0]["status"] == "fail");
  CHECK(r["assertions"][0]["limited_by"] == "storage.scratch.oss.nic.write");
  CHECK(r["assertions"][1]["limited_by"].is_null());
  CHECK(r["bottlenecks"][0]["blamed_share"] == 0.9);
}

TEST_CASE("numbers are numbers in SI base units") {
  const Json metrics = result()["metrics"];
  CHECK(metrics["job.train.checkpoint.size"]["value"] == 1e12);
  CHECK(metrics["job.train.checkpoint.size"]["unit"] == "B");
  CHECK(metrics["job.train.gpu.utilization"]["ci95"] == Json::array({0.8691, 0.8733}));
  CHECK_FALSE(metrics["job.train.checkpoint.size"].contains("ci95"));
}

TEST_CASE("the breakdown names all causes and sums to one") {
  const Json breakdown = result()["breakdown"]["train"];
  REQUIRE(breakdown.size() == kBreakdownCauses.size());
  double sum = 0.0;
  for (const auto& [cause, share] : breakdown.items()) sum += share.get<double>();
  CHECK(sum == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("wall-clock time is in the report only when asked for") {
  CHECK(result()["elapsed"]["wall_s"].is_null());
  CHECK(result({false, true})["elapsed"]["wall_s"] == 0.25);
  CHECK(result()["elapsed"]["events"] == 123456);
}

TEST_CASE("a plan without an answer has no required count") {
  const auto plan = [](const PlanResult& p) {
    return Json::parse(render(p, testing::context(), Format::json, {}));
  };
  CHECK(plan(testing::found_plan())["plan"]["required"] == 51);
  CHECK(plan(testing::infeasible_plan())["plan"]["required"].is_null());
  CHECK(plan(testing::infeasible_plan())["plan"]["status"] == "infeasible");
  CHECK(plan(testing::found_plan())["schema"] == "stallcast.result/1");
}

TEST_CASE("a neighbour of a plan's answer that misses a target is marked") {
  PlanResult plan = testing::found_plan();
  plan.axes.push_back({.path = "storage[scratch].ost.count",
                       .name = "storage.scratch.ost.count",
                       .noun = "OSTs",
                       .owner = "storage scratch",
                       .metric = plan.metric,
                       .from = "1",
                       .to = "4096"});
  for (PlanPoint& point : plan.points) point.values = {std::to_string(point.count)};
  plan.answer = 1;
  plan.neighbours = {{0, -1, 0, 1.0, 0.022}, {0, 1, 2, 1.0, -0.02, -0.02}};
  const auto shown = [&](Format format) { return render(plan, testing::context(), format, {}); };
  CHECK(shown(Format::text).find("worse\n") != std::string::npos);
  CHECK(Json::parse(shown(Format::json))["plan"]["neighbours"][0]["misses"] == Json::array({"au"}));
  CHECK(Json::parse(shown(Format::json))["plan"]["neighbours"][1]["meets"] == true);
  PlanPoint& larger = plan.points[2];
  larger.meets = false;
  larger.targets[0].status = "fail";
  for (const Format format : {Format::text, Format::markdown, Format::csv})
    CHECK(shown(format).find("au 2.00 points worse; misses au") != std::string::npos);
  CHECK(Json::parse(shown(Format::json))["plan"]["neighbours"][1]["meets"] == false);
  // The best interval is searched without what is behind the first tier; simulated it may be worse.
  plan.intervals = {{.job = "train", .every = 180.0, .best = 46.0, .goodput = 0.954}};
  for (const auto& [goodput, keep] : {std::pair{0.944, true}, {0.964, false}}) {
    plan.intervals[0].best_goodput = goodput;
    CHECK((shown(Format::markdown).find("so keep the present one") != std::string::npos) == keep);
  }
  CHECK(Json::parse(shown(Format::json))["plan"]["neighbours"][1]["misses"] == Json::array({"au"}));
  larger.inconclusive = true;
  larger.targets[0].status = "inconclusive";
  CHECK(shown(Format::text).find("worse; may miss au\n") != std::string::npos);
}

TEST_CASE("formats that do not exist are refused with the ones that do") {
  CHECK(parse_format("json").ok());
  CHECK(parse_format("html").failure().exit == ExitCode::bad_input);
  CHECK(parse_format("html", Pages::page).ok());
  CHECK(parse_format("xml").failure().hint == "use text, json, csv or markdown");
}

}  // namespace report_json_test
