#include <catch2/catch.hpp>

#include "scenarios/questions/growth_reader.hpp"
#include "scenarios/questions/plan_reader.hpp"
#include "scenarios/questions/sweep_reader.hpp"
#include "tests/scenarios/support.hpp"

/// What a scenario asks: "plan", "sweep" and "growth", and the options that ask the same.
namespace questions_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr const char* kParams =
    R"("params": { "n": { "value": 8, "min": 4, "max": 16, "step": 4 }, "m": 2 }, )";

std::string fault(const std::string& key_and_value) {
  return remarks(load_beside(key_and_value).diagnostics());
}

/// The questions of kScenario with parameters that it uses.
Questions asked(const std::string& key_and_value) {
  std::string text = kScenario;
  text.replace(text.find("\"count\": 4"), 10, "\"count\": \"=n\", \"gpus\": \"=m\"");
  text.insert(1, kParams + key_and_value + ",");
  const Scenario loaded = load_with({}, "", text.c_str());
  (void)design_of(loaded);
  return loaded.questions();
}

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> kAll = [] {
    Parameter n;
    n.name = "n";
    n.minimum = 4;
    n.maximum = 16;
    n.unit = "GB/s";
    Parameter open;
    open.name = "open";
    return std::vector{n, open};
  }();
  return kAll;
}

}  // namespace

TEST_CASE("a plan takes names, lists and ranges of what it searches") {
  const PlanSpec one = asked(R"("plan": { "over": "n" })").plan;
  REQUIRE(one.over.size() == 1);
  CHECK(one.over[0].axis.path == "params.n");  // with the range of the parameter
  CHECK(one.over[0].axis.range->from == 4);
  CHECK(one.over[0].axis.range->to == 16);
  CHECK(one.over[0].axis.range->step == 4);

  const PlanSpec names = asked(R"("plan": { "over": ["osts", "m", "osts"] })").plan;
  REQUIRE(names.over.size() == 2);  // once each
  CHECK(names.over[0].axis.path == "osts");
  CHECK_FALSE(names.over[1].axis.range);  // "m" says no range

  const PlanSpec all =
      asked(R"("plan": { "over": { "osts": { "unit": 2 }, "workers": [4, "8"], "x-note": 1,
                 "n": { "from": 8, "to": 16, "unit": null }, "clients": null },
               "minimize": "cost.total", "maximize": "accelerators", "survive": ["oss", "ost"],
               "checks": 1, "replicas": 2, "tornado": 3, "spread": "10 %", "confidence": "90 %",
               "draws": 64 })")
          .plan;
  REQUIRE(all.over.size() == 3);
  for (const PlanDimension& dimension : all.over) {
    INFO(dimension.axis.path);
    if (dimension.axis.path == "osts") CHECK(dimension.unit == 2);
    if (dimension.axis.path == "workers") CHECK(dimension.axis.values.size() == 2);
    if (dimension.axis.path == "params.n") CHECK(dimension.axis.range->from == 8);
  }
  CHECK(all.minimize == "cost.total");
  CHECK(all.maximize == "accelerators");
  CHECK(all.survive == std::vector<std::string>{"oss", "ost"});
  CHECK(all.checks == 1);
  CHECK(all.replicas == 2);
  CHECK(all.tornado == 3);
  CHECK(all.spread == 0.1);
  CHECK(all.confidence == 0.9);
  CHECK(all.draws == 64);
  CHECK(asked(R"("plan": { "survive": "oss", "checks": null })").plan.survive ==
        std::vector<std::string>{"oss"});
  CHECK(asked(R"("plan": null)").plan.over.empty());
}

TEST_CASE("a plan that is none says where, and what to write") {
  CHECK(fault(R"("plan": 7)") ==
        "2:9 type /plan \"plan\" is an object, not a number | write { \"over\": { \"osts\": {} } "
        "}\n");
  CHECK_THAT(fault(R"("plan": { "over": 7 })"),
             StartsWith("2:19 type /plan/over \"over\" is an object of what is searched | write"));
  CHECK_THAT(fault(R"("plan": { "over": [true] })"),
             StartsWith("2:20 type /plan/over/0 a name is a text, not true or false | write"));
  CHECK_THAT(fault(R"("plan": { "over": [{ "osts": { "from": 20, "to": 400 } }] })"),
             StartsWith("2:20 type /plan/over/0 a list has names only; ranges are in one object | "
                        "write it without the list: \"over\": {\"osts\":{\"from\":20,"));
  CHECK_THAT(fault(R"("plan": { "over": { "osts": "many" } })"),
             StartsWith("2:29 type /plan/over/osts \"osts\" takes a list of values or a range"));
  CHECK_THAT(fault(R"("plan": { "over": { "osts": { "unit": 1.5 } } })"),
             Contains("/plan/over/osts/unit \"unit\" is a whole number of at least 1 | counts"));
  CHECK_THAT(fault(R"("plan": { "over": { "osts": { "unti": 2 } } })"),
             Contains("unknown key \"unti\" in the range of \"osts\" | did you mean \"unit\"?"));
  CHECK_THAT(fault(R"("plan": { "checks": -1 })"), Contains("/plan/checks"));
  CHECK_THAT(fault(R"("plan": { "survive": 7 })"), Contains("/plan/survive"));
}

TEST_CASE("--over adds to what a plan searches, or replaces it, and --unit counts in pairs") {
  PlanSpec spec;
  Diagnostics none;
  const auto over = [&](const char* option) {
    scenarios::add_over(option, parameters(), spec, none);
  };
  over(" osts ");
  over("n");
  over("open");
  over("osts=16..64");
  over("workers=4,8");
  CHECK(remarks(none) == "");
  REQUIRE(spec.over.size() == 4);
  CHECK(spec.over[0].axis.path == "osts");
  CHECK(spec.over[0].axis.range->to == 64);
  CHECK(spec.over[1].axis.path == "params.n");
  CHECK(spec.over[1].axis.range->unit == "GB/s");
  CHECK_FALSE(spec.over[2].axis.range);
  CHECK(spec.over[3].axis.values.size() == 2);

  scenarios::add_unit("osts=2", parameters(), spec, none);
  scenarios::add_unit("drives=12", parameters(), spec, none);
  CHECK(spec.over[0].unit == 2);
  REQUIRE(spec.over.size() == 5);
  CHECK(spec.over[4].axis.path == "drives");
  CHECK(spec.over[4].unit == 12);

  Diagnostics faults;
  scenarios::add_over("osts=", parameters(), spec, faults);
  for (const char* unit : {"osts", "osts=0", "osts=two"})
    scenarios::add_unit(unit, parameters(), spec, faults);
  REQUIRE(faults.items().size() == 4);
  CHECK(faults.items()[0].position.file == "--over osts=");
  CHECK(faults.items()[3].position.file == "--unit osts=two");
  CHECK(faults.items()[3].hint == "write --unit osts=2");
}

TEST_CASE("a sweep takes lists and ranges of fields and parameters") {
  const SweepSpec spec =
      asked(R"("sweep": { "mode": "sobol:8", "n": { "from": 4, "to": 16 }, "x-note": [1],
               "storage.ost.count": [4, 8], "jobs.loader.workers": null,
               "storage.ost.read": { "from": "500 MB/s", "to": "2 GB/s", "n": 4, "scale": "log" },
               "cluster.hosts.memory.size": { "from": "1 TB", "to": "2 TB", "step": 0.5 } })")
          .sweep;
  CHECK(spec.mode == SweepMode::sobol);
  CHECK(spec.samples == 8);
  CHECK(spec.mode_pointer == "/sweep/mode");
  REQUIRE(spec.axes.size() == 4);
  for (const SweepAxis& axis : spec.axes) {
    INFO(axis.path);
    if (axis.path == "params.n") CHECK(axis.range->step == 4);  // as the parameter says
    if (axis.path == "storage.ost.count") CHECK(axis.values.size() == 2);
    if (axis.path == "cluster.hosts.memory.size") CHECK(axis.range->step == 0.5);
    if (axis.path != "storage.ost.read") continue;
    CHECK(axis.range->n == 4);
    CHECK(axis.range->log);
    CHECK(axis.range->unit == "MB/s");
    CHECK(axis.range->to == Approx(2000));  // both ends in the unit of the first
  }
  CHECK(asked(R"("sweep": { "m": { "from": 1, "to": 2 } })").sweep.axes.at(0).range->step == 0.0);
  CHECK(asked(R"("sweep": null)").sweep.axes.empty());
}

TEST_CASE("a range keeps to the steps of its parameter, whatever units both have") {
  const auto step = [](const std::string& parameter, const std::string& range) {
    std::string text = kScenario;
    text.replace(text.find("\"4 GB/s\""), 8, "\"=rate\"");
    text.insert(1, R"("params": { "rate": { "value": "500 MB/s", "step": )" + parameter +
                       R"( } }, "sweep": { "rate": { )" + range + " } },");
    const Scenario loaded = load_with({}, "", text.c_str());
    (void)design_of(loaded);
    return loaded.questions().sweep.axes.at(0).range->step;
  };
  CHECK(step("100", R"("from": "200 MB/s", "to": "1 GB/s")") == 100);
  CHECK(step("100", R"("from": "0.2 GB/s", "to": "1 GB/s")") == Approx(0.1));
  CHECK(step(R"("8 Gb/s")", R"("from": "0.2 GB/s", "to": "1 GB/s")") == Approx(1));
  CHECK(step("100", R"("from": "0.2 GB/s", "to": "1 GB/s", "step": 0.5)") == 0.5);
}

TEST_CASE("a sweep that is none says where, and what to write") {
  CHECK(fault(R"("sweep": [])") ==
        "2:10 type /sweep \"sweep\" is an object of paths and values | write { "
        "\"storage.ost.count\": [16, 32, 64] }\n");
  CHECK_THAT(fault(R"("sweep": { "mode": "sobol" })"),
             StartsWith("2:20 type /sweep/mode \"mode\" is product, zip, latin:64 or sobol:64"));
  CHECK_THAT(fault(R"("sweep": { "mode": 4 })"), StartsWith("2:20 type /sweep/mode \"mode\" is"));
  CHECK_THAT(fault(R"("sweep": { "a": [] })"), Contains("\"a\" sweeps over a list of values or a"));
  const auto range = [](const std::string& fields) {
    return fault(R"("sweep": { "a": { )" + fields + " } }");
  };
  CHECK_THAT(range(R"("to": 4)"), Contains("/sweep/a the range of \"a\" has no \"from\" | write"));
  CHECK_THAT(range(R"("from": 4)"), Contains("the range of \"a\" has no \"to\""));
  CHECK_THAT(range(R"("from": 1, "to": 4, "by": 2)"), Contains("unknown key \"by\" in the range"));
  CHECK_THAT(range(R"("from": 1, "to": 4, "scale": "linear")"),
             Contains("/sweep/a/scale \"scale\" is lin or log"));
  CHECK_THAT(range(R"("from": 1, "to": 4, "n": 0)"),
             Contains("/sweep/a/n \"n\" is a whole number"));
  CHECK_THAT(range(R"("from": 1, "to": 4, "n": "4")"), Contains("\"n\" is a whole number"));
  CHECK_THAT(range(R"("from": 1, "to": 4, "step": 0)"),
             Contains("/sweep/a/step \"step\" is a num"));
  CHECK_THAT(range(R"("from": 1, "to": 4, "step": "1")"), Contains("\"step\" is a number above 0"));
  CHECK_THAT(range(R"("from": "few", "to": 4)"),
             Contains("\"few\" is not a number and cannot be an end of a range | list the values"));
  CHECK_THAT(range(R"("from": 4, "to": "inf")"), Contains("\"inf\" is not a number"));
  CHECK_THAT(range(R"("from": "1 GB", "to": "4 s")"),
             Contains("\"1 GB\" and \"4 s\" differ in kind | give both ends the same unit"));
  CHECK_THAT(range(R"("from": 0, "to": 4, "scale": "log")"),
             Contains("equal ratios need ends above 0 | leave out the scale, or begin above 0"));
  CHECK_THAT(range(R"("from": 1, "to": 0, "scale": "log")"), Contains("equal ratios need ends"));
}

TEST_CASE("--vary that is none names the option, and what to write") {
  const auto vary = [](const std::string& option) {
    SweepSpec spec;
    Diagnostics faults;
    scenarios::add_vary(option, spec, faults);
    CHECK(spec.axes.empty());
    REQUIRE(faults.items().size() == 1);
    CHECK(faults.items()[0].position.file == "--vary " + option);
    return faults.items()[0].message + " | " + faults.items()[0].hint;
  };
  CHECK_THAT(vary("osts"), StartsWith("\"osts\" is not path=values | write --vary"));
  CHECK_THAT(vary("=4"), Contains("is not path=values"));
  CHECK_THAT(vary("osts="), Contains("is not path=values"));
  CHECK_THAT(vary("osts=4,,8"), StartsWith("a value of \"osts=4,,8\" is empty | write a,b,c"));
  CHECK_THAT(vary("osts=4..8:2:log:3"), Contains("\"4..8:2:log:3\" is not a range | write from"));
  for (const char* n : {"two", "0", "2x"})
    CHECK_THAT(vary("osts=4..8:" + std::string(n)), Contains("is not a number of values | write"));
  SweepSpec spec;
  Diagnostics none;
  scenarios::add_vary("osts=4..8:log", spec, none);  // for samples, which need no n
  scenarios::add_vary(R"(a="x,y",{"b": [1, 2]})", spec, none);
  CHECK(remarks(none) == "");
  CHECK(spec.axes.at(0).range->log);
  CHECK(spec.axes.at(0).range->n == 0);
  CHECK(spec.axes.at(1).values.size() == 2);
}

TEST_CASE("values grow by shares, factors and amounts, or by what they are from a month on") {
  const GrowthSpec spec = asked(R"("growth": { "months": 24, "every": 6, "of": {
               "n": "4 %/month", "jobs.train.dataset.samples": "x2 per year",
               "storage.ost.count": "+8 a quarter", "jobs.loader.workers": "-1/month",
               "cluster.hosts.cpu.cores": "-10 %/year", "storage.ost.read": { "12": "6 GB/s", "0": 4 },
               "run.seed": null, "x-why": "said so" } })")
                              .growth;
  CHECK(spec.months == 24);
  CHECK(spec.every == 6);
  REQUIRE(spec.trends.size() == 6);
  for (const GrowthTrend& trend : spec.trends) {
    INFO(trend.path);
    if (trend.path == "params.n") CHECK(trend.factor == Approx(1.04));
    if (trend.path == "jobs.train.dataset.samples")
      CHECK(trend.factor == Approx(1.0594630943592953));  // 2^(1/12)
    if (trend.path == "cluster.hosts.cpu.cores")
      CHECK(trend.factor == Approx(0.9912583822355432));  // 0.9^(1/12)
    if (trend.path == "storage.ost.count") {
      CHECK(trend.added == "8");
      CHECK(trend.months == 3);
    }
    if (trend.path == "jobs.loader.workers") CHECK(trend.added == "-1");
    if (trend.path == "storage.ost.read")
      CHECK(trend.written == "4 from month 0, 6 GB/s from month 12");
  }
  CHECK(asked(R"("growth": { "of": null, "months": null })").growth.months == 36);
  CHECK(asked(R"("growth": null)").growth.trends.empty());
}

TEST_CASE("growth that is none says where, and what to write") {
  CHECK_THAT(fault(R"("growth": 4)"),
             StartsWith("2:11 type /growth \"growth\" is an object, not a number | write"));
  CHECK_THAT(fault(R"("growth": { "of": ["osts"] })"),
             StartsWith("2:19 type /growth/of \"of\" is an object of paths and how they grow"));
  CHECK_THAT(fault(R"("growth": { "month": 4 })"), Contains("did you mean \"months\"?"));
  CHECK_THAT(fault(R"("growth": { "every": 0 })"), Contains("/growth/every"));
  const auto trend = [](const std::string& how) {
    return fault(R"("growth": { "of": { "osts": )" + how + " } }");
  };
  for (const char* how : {"4", R"("4 %")", R"("4 % yearly")", R"("/month")", R"("8/month")",
                          R"("+/month")", R"("x-2/year")", R"("x/year")", R"("much %/year")",
                          R"("-200 %/year")", R"("x1e999/year")"}) {
    INFO(how);
    CHECK_THAT(trend(how), Contains("/growth/of/osts this does not say how \"osts\" grows | write "
                                    "\"4 %/month\", \"60 %/year\""));
  }
  for (const char* month : {"soon", "1.5", "-1", "241"})
    CHECK_THAT(trend(R"({ ")" + std::string(month) + R"(": 4 })"), Contains("\" is no month | "));
  CHECK_THAT(trend(R"({ "12": [4] })"),
             Contains("/growth/of/osts/12 this takes what the value is from then on"));
  CHECK_THAT(trend("{}"), Contains("/growth/of/osts no month is said"));
}

TEST_CASE("--of adds a trend or replaces it, and months are written in some ways") {
  GrowthSpec spec;
  Diagnostics faults;
  scenarios::add_trend("n = 4 %/month", parameters(), spec, faults);
  scenarios::add_trend("osts=+8/quarter", parameters(), spec, faults);
  scenarios::add_trend("n=x2/year", parameters(), spec, faults);
  CHECK(remarks(faults) == "");
  REQUIRE(spec.trends.size() == 2);
  CHECK(spec.trends[1].path == "params.n");
  CHECK(spec.trends[1].written == "x2/year");
  for (const char* option : {"n", "=4 %/month", "n=4"})
    scenarios::add_trend(option, parameters(), spec, faults);
  REQUIRE(faults.items().size() == 3);
  CHECK(faults.items()[2].position.file == "--of n=4");
  CHECK_THAT(faults.items()[2].message, Contains("\"n=4\" does not say how a value grows"));

  for (const char* text : {"24", " 24mo", "24 months", "2y", "2 years", "2year", "24 month"}) {
    INFO(text);
    CHECK(scenarios::months_of(text) == 24);
  }
  for (const char* text : {"", "two", "0", "1.5", "241", "21y", "24 weeks"}) {
    INFO(text);
    CHECK_FALSE(scenarios::months_of(text));
  }
}

}  // namespace questions_test
