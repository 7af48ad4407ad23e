#include <catch2/catch.hpp>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/resolve/print_resolved.hpp"
#include "scenarios/resolve/ranges.hpp"
#include "scenarios/scenario_builder.hpp"
#include "tests/scenarios/support.hpp"

namespace ranges_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

/// The scenario of support.hpp with `ost` for its targets, which begin at 3:47.
std::string text_with(const std::string& ost) {
  return R"({
  "params": { "n": 8, "rate": "4 GB/s" }, "cluster": { "hosts": [ { "id": "gpu", "count": "=n" } ] },
  "storage": [ { "id": "a", "type": "lustre", )" +
         ost + R"( } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
              "dataset": { "on": "a", "format": "raw", "sample": "1 MB", "samples": "=n * 100" },
              "loader": { "workers": 4, "x-not": "=rate" } } ]
})";
}

std::string text_of_read(const std::string& read) {
  return text_with("\"ost\": { \"read\": " + read + ", \"count\": 8 }");
}

/// `rate` is used by what is no field: the parameter counts as used in all texts.
Scenario load_read(const std::string& read) {
  return testing::load_text(text_of_read(read), "test.json");
}

Value value_of(const Scenario& scenario, std::string_view key = "ost.read") {
  const Design design = design_of(scenario);
  const Value* value = design.storage[0].find(key);
  REQUIRE(value != nullptr);
  return *value;
}

Value set_value(const std::string& key, const std::string& text) {
  return value_of(load_with({"storage." + key + "=" + text}), key);
}

/// "line:column code message | hint" of the only fault.
std::string fault_of(const Scenario& scenario) {
  const std::string what = only_fault(scenario);
  const Position& at = scenario.diagnostics().items()[0].position;
  return std::to_string(at.line) + ":" + std::to_string(at.column) + " " + what;
}

}  // namespace

TEST_CASE("a value with its ends is the value, and the range it may have in truth") {
  const Scenario scenario = load_read(
      R"({ "value": "4 GB/s", "low": "3 GB/s", "high": "4.4 GB/s", "why": "three runs of IOR" })");
  const Value value = value_of(scenario);
  CHECK(value.number == 4e9);
  CHECK(value.range == Range{3e9, 4.4e9, "three runs of IOR"});
  CHECK(value.source.kind == Source::Kind::scenario);
  // the place of "4 GB/s" in the file
  CHECK(value.source.where == "test.json:3:75");
}

TEST_CASE("why may be left out, keys that begin with x- are notes, and null is not said") {
  const Value value = value_of(load_read(
      R"({ "value": "4 GB/s", "low": "3 GB/s", "high": "5 GB/s", "why": null, "x-of": "IOR" })"));
  CHECK(value.range == Range{3e9, 5e9, ""});
}

TEST_CASE("null takes a value back with its range") {
  const Scenario written = load_read(R"({ "value": "4 GB/s", "low": "3 GB/s", "high": "5 GB/s" })");
  const Scenario without =
      written.with(std::vector<Change>{{"storage.ost.read", JsonLiteral{"null"}}});
  CHECK(value_of(without).source.kind == Source::Kind::default_value);
  CHECK(value_of(without).range != value_of(written).range);
}

TEST_CASE("value, low and high are expressions as every value may be") {
  const Value rate =
      value_of(load_read(R"({ "value": "=rate", "low": "=n / 4 GB/s", "high": "=n * 1 GB/s" })"));
  CHECK(rate.number == 4e9);
  CHECK(rate.range == Range{2e9, 8e9, ""});
  CHECK(rate.source.kind == Source::Kind::expression);
  const Value count = value_of(
      testing::load_text(
          text_with(R"("ost": { "count": { "value": "=n", "low": "=n - 2", "high": "=2 * n" } })"),
          "test.json"),
      "ost.count");
  CHECK(count.number == 8);
  CHECK(count.range == Range{6, 16, ""});
}

TEST_CASE("what a ranged value needs of the parameters is known, and plan finds its parameter") {
  const std::string text = R"({
    "params": { "n": { "value": 8, "min": 2, "max": 16 } },
    "cluster": { "hosts": [ { "id": "gpu", "count": { "value": "=n", "low": 6, "high": 9 } } ] },
    "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ]
  })";
  const Scenario scenario = testing::load_text(text, "test.json");
  REQUIRE(scenario.ok());
  CHECK(scenario.written().needs.at("/cluster/hosts/0/count/value") ==
        std::vector<std::string>{"n"});
  const auto& ranged = scenario.questions().ranged;
  REQUIRE(ranged.contains("cluster.hosts[gpu].count"));
  CHECK(ranged.at("cluster.hosts[gpu].count").axis.path == "params.n");
}

TEST_CASE("a tolerance is a share of the value or an amount in its unit") {
  for (const char* text : {"4 GB/s +- 10 %", "4 GB/s \u00b1 10 %", "4 GB/s+-10%",
                           "4 GB/s +- 400 MB/s", "  4 GB/s  +-  3.2 Gb/s "}) {
    INFO(text);
    const Value value = set_value("ost.read", text);
    CHECK(value.number == 4e9);
    CHECK(value.range == Range{3.6e9, 4.4e9, "a stated tolerance"});
    CHECK(value.source.kind == Source::Kind::set_option);
  }
}

TEST_CASE("the tolerance of a share is in percentage points") {
  const Value value = design_of(load_with({"cluster.hosts.nic.efficiency=95 % +- 2 %"}))
                          .hosts[0]
                          .values.at("nic.efficiency");
  CHECK(value.number == 0.95);
  CHECK(value.range == Range{0.93, 0.97, "a stated tolerance"});
}

TEST_CASE("the tolerance of a count reaches the whole numbers within it") {
  const auto range = [](const char* text) { return set_value("ost.count", text).range; };
  CHECK(range("8 +- 2") == Range{6, 10, "a stated tolerance"});
  CHECK(range("8 +- 25 %") == Range{6, 10, "a stated tolerance"});
  CHECK(range("10 +- 25 %") == Range{8, 12, "a stated tolerance"});  // 7.5 to 12.5
  CHECK_FALSE(range("3 +- 10 %"));                                   // 2.7 to 3.3 holds 3 alone
}

TEST_CASE("a tolerance of nothing leaves the value exact") {
  CHECK_FALSE(set_value("ost.read", "4 GB/s +- 0 %").range);
  CHECK_FALSE(set_value("ost.read", R"({"value":"4 GB/s","low":"4 GB/s","high":"4 GB/s"})").range);
}

TEST_CASE("of a ceiling, the low end is what figures of its sort deliver at least") {
  const auto low = [](const char* key, Dimension dimension) {
    const models::Ceiling* ceiling = models::ceiling_of(
        models::Role::storage, "lustre", base::FieldInfo{key, dimension, {}, {}, {}});
    return ceiling == nullptr ? 0.7 : ceiling->low;
  };
  const Value rate = set_value("ost.read", "up to 110 GB/s");
  CHECK(rate.number == 110e9);
  REQUIRE(rate.range);
  CHECK(rate.range->low == Approx(low("ost.read", Dimension::rate) * 110e9));
  CHECK(rate.range->high == 110e9);
  CHECK_THAT(rate.range->why, Catch::StartsWith("a stated ceiling"));
  const Value opens = set_value("mdt.open", "up to 100 kops/s");
  REQUIRE(opens.range);
  CHECK(opens.range->low == Approx(low("mdt.open", Dimension::op_rate) * 100e3));
}

TEST_CASE("every dimension that is a number takes a range") {
  for (int i = 0; i <= static_cast<int>(Dimension::power); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    if (dimension == Dimension::boolean || dimension == Dimension::text ||
        dimension == Dimension::text_list)
      continue;
    base::FieldInfo field;
    field.key = "x";
    field.dimension = dimension;
    const std::string example(base::dimension_example(dimension));
    INFO(example);
    const double number = *base::parse_quantity(example, dimension).value;
    const scenarios::Json object = {{"value", example}, {"low", example}, {"high", example}};
    for (const scenarios::Json& node : {scenarios::Json(example + " +- 2 %"),
                                        scenarios::Json(example + " +- " + example), object}) {
      scenarios::Documents documents;
      const scenarios::Tree tree = scenarios::tree_from(node, {documents.add_option("x"), ""});
      Diagnostics faults;
      scenarios::Reporter report(documents, tree, faults);
      scenarios::Parameters params(tree, report);
      scenarios::ReadContext context{tree, params, report};
      const auto value = scenarios::read_ranged(
          context, field, "", node, [&](const std::string& at, const scenarios::Json& plain) {
            return scenarios::read_value(context, field, at, plain);
          });
      REQUIRE(value);
      CHECK(value->number == number);
      CHECK(value->range.has_value() == node.is_string());
      if (value->range) CHECK(value->range->low < number);
      if (value->range) CHECK(number < value->range->high);
    }
  }
}

TEST_CASE("no field is called as a part of a ranged value is") {
  // An object with "value" is one value, also where a field has others below it.
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role))
      for (const base::FieldInfo* field : models::fields_of(kind))
        for (const std::string& part : base::split(field->key, '.')) {
          INFO(kind.id << "." << field->key);
          CHECK((part != "value" && part != "low" && part != "high"));
        }
}

TEST_CASE("sizes, durations, rates, shares, computation and money have tolerances") {
  const std::pair<const char*, const char*> kCases[] = {
      {"cluster.hosts.memory.size", "1 TB +- 10 %"},
      {"cluster.hosts.life", "1461 d +- 365 d"},
      {"cluster.hosts[0].gpu.peak", "989 TFLOP/s +- 10 %"},
      {"cluster.hosts.cpu.smt", "1.2 +- 0.1"},
      {"cluster.hosts.price", "300 kUSD +- 10 %"},
      {"cluster.hosts.rent", "3 USD/h +- 0.5 USD/h"},
      {"jobs.model.parameters", "8B +- 10 %"},
      {"cluster.fabric.rtt", "10 us +- 2 us"}};
  for (const auto& [path, text] : kCases) {
    INFO(path);
    const Scenario scenario = load_with({std::string(path) + "=" + text});
    const Design design = design_of(scenario);
    std::size_t ranged = 0;
    for (const Component* c : {&design.hosts[0], &design.fabric, &design.jobs[0].model})
      for (const auto& [key, value] : c->values)
        if (value.range && value.range->why == "a stated tolerance") {
          ++ranged;
          CHECK(value.range->low < value.number);
          CHECK(value.number < value.range->high);
        }
    CHECK(ranged == 1);
  }
}

TEST_CASE("texts and switches have no range") {
  CHECK_THAT(only_fault(load_with({R"(jobs.dataset.format={"value":"raw"})"})),
             Contains("takes a text, not an object"));
  CHECK_THAT(only_fault(load_with({R"(cluster.fabric.converged={"value":true})"})),
             Contains("takes true or false, not an object"));
}

TEST_CASE("--set and typed changes replace the value and its range") {
  const Scenario ranged = load_read(R"({ "value": "4 GB/s", "low": "3 GB/s", "high": "5 GB/s" })");
  const auto read = [&](const Setting& setting) {
    return value_of(ranged.with(std::vector<Change>{{"storage.ost.read", setting}}));
  };
  CHECK(read(Amount{6, "GB/s"}).number == 6e9);
  CHECK_FALSE(read(Amount{6, "GB/s"}).range);
  CHECK_FALSE(read(std::string("6 GB/s")).range);
  CHECK(read(std::string("6 GB/s +- 50 %")).range == Range{3e9, 9e9, "a stated tolerance"});
  CHECK(read(JsonLiteral{R"({"value":"6 GB/s","low":"5 GB/s","high":"7 GB/s"})"}).range ==
        Range{5e9, 7e9, ""});
}

TEST_CASE("--set of the value inside keeps the range, and says so where it leaves it") {
  const Scenario ranged = load_read(R"({ "value": "4 GB/s", "low": "3 GB/s", "high": "5 GB/s" })");
  const auto with = [&](const char* path, double rate) {
    return ranged.with(std::vector<Change>{{path, Amount{rate, "GB/s"}}});
  };
  const Value value = value_of(with("storage.ost.read.value", 4.5));
  CHECK(value.number == 4.5e9);
  CHECK(value.range == Range{3e9, 5e9, ""});
  CHECK_THAT(only_fault(with("storage.ost.read.value", 6)),
             Contains("not from its \"low\", 3 GB/s") && Contains("write the value alone"));
  // Where the file has no object there is nothing inside.
  CHECK_THAT(only_fault(load_with({"storage.ost.read.value=6 GB/s"})), Contains("cannot be set"));
}

TEST_CASE("faults of ranges are at their place, with what to write") {
  const auto fault = [](const char* read) { return fault_of(load_read(read)); };
  CHECK_THAT(fault(R"({ "value": "4 GB/s", "low": "5 GB/s", "high": "3 GB/s" })"),
             Contains("3:92 range \"low\" of \"ost.read\" is above its \"high\": 5 GB/s is more"));
  CHECK_THAT(fault(R"({ "value": "6 GB/s", "low": "3 GB/s", "high": "5 GB/s" })"),
             Contains("3:75 range \"ost.read\" is 6 GB/s, which is not from its \"low\""));
  CHECK_THAT(fault(R"({ "value": "4 GB/s", "low": "0 GB/s", "high": "5 GB/s" })"),
             Contains("3:92 range \"ost.read\" must be above 0 B/s"));
  CHECK_THAT(fault(R"({ "value": "4 GB/s", "low": 3, "high": "5 GB/s" })"),
             Contains("3:92 unit \"ost.read\" needs a unit") && Contains("write \"3 GB/s\""));
  CHECK_THAT(fault(R"({ "value": "4 GB/s", "low": "3 GB/s" })"),
             Contains("3:64 missing \"ost.read\" has a range without \"high\""));
  CHECK_THAT(fault(R"({ "low": "3 GB/s", "high": "5 GB/s" })"),
             Contains("3:64 missing \"ost.read\" has a range without \"value\" | add \"value\": "));
  CHECK_THAT(fault(R"({ "value": "4 GB/s", "lwo": "3 GB/s", "high": "5 GB/s" })"),
             Contains("3:85 unknown-key unknown key \"lwo\" in the value of \"ost.read\"") &&
                 Contains("did you mean \"low\""));
  CHECK_THAT(fault(R"({ "value": "4 GB/s", "low": "3 GB/s", "high": "5 GB/s", "why": 3 })"),
             Contains("3:127 type \"why\" takes a text"));
  CHECK_THAT(fault(R"({ "value": "4 GB/s +- 1 %", "low": "3 GB/s", "high": "5 GB/s" })"),
             Contains("3:75 range \"value\" has a range of its own"));
  CHECK_THAT(fault(R"({ "x": 1 })"),
             Contains("3:64 type \"ost.read\" takes a rate, not an object"));
}

TEST_CASE("faults of tolerances are at their value, with what to write") {
  const auto fault = [](const std::string& read) { return fault_of(load_read('"' + read + '"')); };
  CHECK_THAT(fault("4 GB/s +-"), Contains("3:64 unit \"ost.read\" has no number after \"+-\"") &&
                                     Contains("write \"4 GB/s +- 10 %\""));
  CHECK_THAT(fault("+- 10 %"), Contains("3:64 unit \"ost.read\" has a tolerance and no value"));
  CHECK_THAT(fault("4 GB/s +- %"), Contains("3:64 unit tolerance: \"%\" is not"));
  CHECK_THAT(fault("4 GB/s +- 10"), Contains("3:64 unit tolerance: \"10\" has no unit"));
  CHECK_THAT(fault("4 GB/s +- 10 ms"), Contains("3:64 unit tolerance: \"10 ms\" is a duration"));
  CHECK_THAT(fault("4 GB/s +- -10 %"), Contains("3:64 range a tolerance is at least 0, not -10 %"));
  CHECK_THAT(fault("4 GB +- 10 %"), Contains("3:64 unit \"4 GB\" is a size"));
  CHECK_THAT(fault("4 GB/s +- 100 %"),
             Contains("3:64 range the low end of \"ost.read\" must be above 0 B/s, not 0 B/s") &&
                 Contains("{ \"value\": \"4 GB/s\", \"low\": ..., \"high\": ... }"));
  CHECK_THAT(fault("up to 4 GB/s +- 10 %"), Contains("3:64 range a ceiling takes no tolerance"));
  CHECK_THAT(fault("=rate +- 10 %"), Contains("3:64 expression an expression takes no tolerance") &&
                                         Contains("{ \"value\": \"=rate\", \"low\": ..."));
  const auto set = [](const char* option) { return only_fault(load_with({option})); };
  CHECK_THAT(set("cluster.hosts.nic.efficiency=98 % +- 5 %"),
             Contains("the high end of \"nic.efficiency\" must be") && Contains("not 103 %"));
  CHECK_THAT(set("cluster.hosts.nic.efficiency=95 % +- 2"), Contains("in percentage points"));
  CHECK_THAT(set("storage.ost.count=8 +- 2.5"), Contains("is not a whole number"));
  CHECK_THAT(
      set("jobs.step.compute=up to 100 ms"),
      Contains("\"compute\" takes a duration, and \"up to\" is for rates") && Contains("+- 10 %"));
}

TEST_CASE("a sum with a sign inside stays a sum") {
  CHECK(value_of(testing::load_text(text_with(R"("ost": { "count": "=n +-2" })"), "test.json"),
                 "ost.count")
            .number == 6);
}

TEST_CASE("parameters and what plan is told have no range for now") {
  const auto with = [](const char* param) {
    return testing::load_text(std::string(R"({ "params": { "n": )") + param + R"( },
      "cluster": { "hosts": [ { "id": "gpu", "count": "=n" } ] },
      "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ] })",
                              "test.json");
  };
  CHECK_THAT(fault_of(with(R"({ "value": 8, "low": 7 })")),
             Contains("1:34 range the parameter \"n\" cannot say how sure it is") &&
                 Contains("{ \"value\": \"=n\", \"low\": ..., \"high\": ... }"));
  CHECK_THAT(fault_of(with("\"8 +- 2\"")), Contains("1:20 range the parameter \"n\""));
  CHECK_THAT(only_fault(load_with({"plan.replicas=8 +- 2"})), Contains("unit"));
}

TEST_CASE("a range is not part of what a design is") {
  const Design exact = design_of(load_with({"storage.ost.read=4 GB/s"}));
  const Design ranged = design_of(load_with({"storage.ost.read=4 GB/s +- 10 %"}));
  CHECK(codec::design_hash(exact) == codec::design_hash(ranged));
}

TEST_CASE("a resolved scenario says the same of its ranges, and loads to them") {
  for (const char* read :
       {"\"4 GB/s +- 7 %\"", "\"up to 110 GB/s\"", "\"4 GB/s +- 333333333 B/s\"",
        R"({ "value": "=rate", "low": "3 GB/s", "high": "=n * 7.1 Gb/s", "why": "a \"run\"" })"}) {
    INFO(read);
    const Design design = design_of(load_read(read));
    const std::string text = scenarios::print_resolved(design, false);
    const Scenario again = testing::load_text(text, "resolved.json");
    CHECK(value_of(again).range == design.storage[0].find("ost.read")->range);
    CHECK(value_of(again).number == design.storage[0].find("ost.read")->number);
    CHECK(scenarios::print_resolved(design_of(again), false) == text);
    const Scenario built =
        ScenarioBuilder::from_json(scenarios::resolved_json(design), "built.json");
    CHECK(value_of(built).range == design.storage[0].find("ost.read")->range);
  }
  CHECK_THAT(scenarios::print_resolved(design_of(load_read("\"4 GB/s +- 10 %\"")), true),
             Contains("\"read\": { \"value\": \"4 GB/s\", \"low\": \"3.6 GB/s\", \"high\": "
                      "\"4.4 GB/s\", \"why\": \"a stated tolerance\" },  // test.json:3:64"));
}

TEST_CASE("what a default may be in truth is printed with it, and read again") {
  Design design = design_of(load_with({}));
  Value& write = design.storage[0].values.at("ost.write");
  REQUIRE(write.source.kind == Source::Kind::default_value);
  write.range = Range{write.number / 2.0, 12e9, "as cited"};
  const std::string text = scenarios::print_resolved(design, false);
  CHECK_THAT(text, Contains("\"high\": \"12 GB/s\", \"why\": \"as cited\""));
  CHECK(design_of(load_text(text, "resolved.json")).storage[0].find("ost.write")->range ==
        write.range);
}

TEST_CASE("a variant and a base replace ranges by values, and values by ranges") {
  const char* text = R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": { "id": "a", "type": "lustre", "ost": { "count": "8 +- 2", "read": {
        "value": "4 GB/s", "low": "3 GB/s", "high": "5 GB/s", "why": "IOR" } } },
    "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ],
    "scenarios": {
      "sure": { "storage": { "ost": { "read": { "value": "4.5 GB/s" } } } },
      "exact": { "storage": { "ost": { "count": 8, "read": "4 GB/s" } } },
      "other": { "storage": { "ost": { "count": { "value": 9, "low": 8, "high": 10 },
                                       "read": { "high": "6 GB/s" } } } }
    }
  })";
  CHECK(value_of(load_with({}, "", text), "ost.count").range == Range{6, 10, "a stated tolerance"});
  CHECK_FALSE(value_of(load_with({}, "exact", text)).range);
  CHECK_FALSE(value_of(load_with({}, "exact", text), "ost.count").range);
  CHECK(value_of(load_with({}, "other", text), "ost.count").range == Range{8, 10, ""});
  // What an end was known by is not what another end is known by.
  CHECK(value_of(load_with({}, "other", text)).range == Range{3e9, 6e9, ""});
  CHECK(value_of(load_with({}, "sure", text)).range == Range{3e9, 5e9, "IOR"});
}

}  // namespace ranges_test
