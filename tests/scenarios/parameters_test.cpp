#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

namespace parameters_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kText = R"({
  "params": {
    "n": { "value": 8, "min": 2, "max": 64, "step": 2, "doc": "hosts" },
    "twice": "=2 * n",
    "rate": "4 GB/s"
  },
  "cluster": { "hosts": [ { "id": "gpu", "count": "=n", "gpus": "=twice",
                            "nic": { "rate": "=rate" }, "memory": { "bandwidth": "=n * 50 GB/s" } } ] },
  "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ]
})";

Scenario load_params(const std::vector<Change>& changes) {
  return testing::load_text(kText, "test.json").with(changes);
}

}  // namespace

TEST_CASE("expressions stand for numbers, quantities and other parameters") {
  const Design design = design_of(load_params({}));
  const Component& host = design.hosts[0];
  CHECK(host.find("count")->number == 8);
  CHECK(host.find("gpus")->number == 16);
  CHECK(host.find("nic.rate")->number == 4e9);
  CHECK(host.find("memory.bandwidth")->number == 400e9);
  CHECK(host.find("count")->source.kind == Source::Kind::expression);
  CHECK(host.find("count")->source.where == "test.json:7:51");
}

TEST_CASE("a parameter without a value is a fault, not a number nobody wrote") {
  for (const std::string empty : {R"("")", R"("  ")"}) {
    std::string text = kText;
    text.replace(text.find(R"("4 GB/s")"), 8, empty);
    CHECK_THAT(remarks(testing::load_text(text, "test.json").diagnostics()),
               Contains("5:13 type /params/rate the parameter \"rate\" is empty"));
  }
}

TEST_CASE("changes of parameters reach every expression") {
  const auto loaded = load_params({{"params.n", Amount{10}}, {"params.rate", Amount{5, "GB/s"}}});
  const Design design = design_of(loaded);
  CHECK(design.hosts[0].find("gpus")->number == 20);
  CHECK(design.hosts[0].find("nic.rate")->number == 5e9);
  REQUIRE(loaded.parameters().size() == 3);
  CHECK(loaded.parameters()[0].name == "n");
  CHECK(loaded.parameters()[0].value == 10);
  CHECK(*loaded.parameters()[0].minimum == 2);
  CHECK(*loaded.parameters()[0].maximum == 64);
  CHECK(*loaded.parameters()[0].step == 2);
  CHECK(loaded.parameters()[0].doc == "hosts");
  CHECK(loaded.parameters()[1].value == 20);
}

TEST_CASE("--set takes the bare name of a parameter, as advice and sweeps write it") {
  CHECK(design_of(load_params({{"n", Amount{10}}})).hosts[0].find("gpus")->number == 20);
  CHECK(design_of(load_params({{"rate", Amount{5, "GB/s"}}})).hosts[0].find("nic.rate")->number ==
        5e9);
  CHECK_THAT(only_fault(load_params({{"twicee", Amount{1}}})),
             Contains("no parameter \"twicee\"") && Contains("did you mean \"twice\""));
  CHECK_THAT(only_fault(load_params({{"n", Amount{1}}})), Contains("below its min of 2"));
  // A section stays one, and a slip of its name is a slip of that.
  CHECK_THAT(only_fault(load_params({{"cluter", Amount{1}}})), Contains("\"cluster\""));
}

TEST_CASE("changes outside the range and of unknown parameters are faults") {
  CHECK_THAT(only_fault(load_params({{"params.n", Amount{1}}})), Contains("below its min of 2"));
  CHECK_THAT(only_fault(load_params({{"params.twicee", Amount{1}}})),
             Contains("did you mean \"twice\""));
}

TEST_CASE("an expression may hold many spaces without costing time") {
  std::string text = kText;
  text.replace(text.find("=2 * n"), 6, "=2 *" + std::string(20000, ' ') + "n");
  CHECK(design_of(testing::load_text(text, "test.json")).hosts[0].find("gpus")->number == 16);
}

TEST_CASE("--set of a parameter is of it, also where reports call something so") {
  std::string text = testing::kScenario;
  text.insert(1, R"("params": { "host": 8, "fabric": 2 }, "x-of": "=fabric",)");
  text.replace(text.find(R"("count": 8)"), 10, R"("count": "=host")");
  const Design design = design_of(testing::load_with({"host=12"}, "", text.c_str()));
  CHECK(design.storage[0].find("ost.count")->number == 12);
}

TEST_CASE("bounds of a parameter may have another unit of the same sort") {
  const auto with = [](const std::string& rate) {
    std::string text = kText;
    const std::string before = R"("rate": "4 GB/s")";
    return testing::load_text(text.replace(text.find(before), before.size(), "\"rate\": " + rate),
                              "test.json");
  };
  const Scenario mixed =
      with(R"({ "value": "500 MB/s", "min": "0.1 GB/s", "max": "2 GB/s", "step": "8 Gb/s" })");
  REQUIRE(mixed.ok());
  const Parameter& rate = mixed.parameters()[2];
  CHECK(rate.value == 500);
  CHECK(rate.unit == "MB/s");
  CHECK(*rate.minimum == 100);
  CHECK(*rate.maximum == 2000);
  CHECK(*rate.step == 1000);
  // Bytes may have a unit that numbers have, too.
  const Scenario bytes = testing::load_text(
      R"({ "params": { "size": { "value": "4 KiB", "min": "512 B" } }, "x-of": "=size" })",
      "b.json");
  REQUIRE(bytes.parameters().size() == 1);
  CHECK(*bytes.parameters()[0].minimum == 0.5);
  // That is the one they were written beside, whatever the value becomes.
  const auto set = [](const std::string& rate) {
    std::string text = kText;
    const std::string before = R"("rate": "4 GB/s")";
    text.replace(text.find(before), before.size(),
                 R"("rate": { "value": "4 GB/s", "min": 1, "max": 8 })");
    return Scenario::read({.file = "test.json", .text = text, .sets = {"rate=" + rate}});
  };
  CHECK(set("2000 MB/s").ok());
  CHECK(*set("2000 MB/s").parameters()[2].maximum == 8000);
  CHECK_THAT(only_fault(set("500 MB/s")), Contains("is 500 MB/s, below its min of 1000 MB/s"));
  CHECK_THAT(only_fault(set("9 GB/s")), Contains("is 9 GB/s, above its max of 8 GB/s"));
  // The suffix of a plain number is a unit as well.
  const auto model = [](const std::string& parameters) {
    return testing::load_text(R"({ "params": { "n": )" + parameters + R"( }, "x-of": "=n" })",
                              "n.json");
  };
  const Scenario billions = model(R"({ "value": "70B", "min": "7B", "max": "0.4T" })");
  REQUIRE(billions.parameters().size() == 1);
  CHECK(*billions.parameters()[0].minimum == 7);
  CHECK(*billions.parameters()[0].maximum == 400);
  for (const Diagnostic& d : billions.diagnostics().items()) CHECK(d.code != "range");
  const Scenario thousands = model(R"({ "value": "8k", "min": "4000", "max": "1M" })");
  CHECK(*thousands.parameters()[0].minimum == 4);
  CHECK(*thousands.parameters()[0].maximum == 1000);
  // Without a unit they are in that of the value.
  const Scenario bare = with(R"({ "value": "500 MB/s", "max": 900 })");
  REQUIRE(bare.ok());
  CHECK(*bare.parameters()[2].maximum == 900);
  CHECK_THAT(only_fault(with(R"({ "value": "500 MB/s", "max": "0.4 GB/s" })")),
             Contains("is 500 MB/s, above its max of 400 MB/s"));
  CHECK_THAT(only_fault(with(R"({ "value": "500 MB/s", "max": "3 s" })")),
             Contains("\"max\" is 3 s, the parameter \"rate\" is 500 MB/s"));
  CHECK_THAT(only_fault(with(R"({ "value": "500 MB/s", "max": "much" })")),
             Contains("\"max\" takes a number"));
}

}  // namespace parameters_test
