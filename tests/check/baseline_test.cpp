#include "engine/decide/check/baseline.hpp"

#include <catch2/catch.hpp>

namespace baseline_test {

using namespace stallcast;
using check::Baseline;
using check::ScenarioKey;

namespace {

const ScenarioKey kKey = {"a.json", "a"};

Design design_with(std::vector<Expectation> expect) {
  Design design;
  design.expect = std::move(expect);
  return design;
}

Prediction predicted(double stall) {
  Prediction p;
  p.design_sha256 = "abc";
  p.metrics["job.train.checkpoint.stall"] = {stall, "s", {}};
  return p;
}

const Design kDesign =
    design_with({{"stall", "job.train.checkpoint.stall < 3 s", "error", "", ""},
                 {"all", "max(job.*.checkpoint.stall) < 9 s", "error", "", ""},
                 {"rel", "job.train.checkpoint.stall <= base", "error", "", ""}});

}  // namespace

TEST_CASE("a baseline reads back what it wrote") {
  Baseline baseline;
  baseline.set(kKey, kDesign, predicted(1.0 / 3.0), "7");
  const auto back = Baseline::read(baseline.text(), "b.json");
  REQUIRE(back.ok());
  CHECK(back->text() == baseline.text());
  const check::BaselineEntry* entry = back->find({kKey, "stall"});
  REQUIRE(entry != nullptr);
  CHECK(entry->value == 1.0 / 3.0);
  CHECK(entry->unit == "s");
  CHECK_FALSE(entry->failed);
  CHECK(entry->model == "7");
  CHECK(entry->design_sha256 == "abc");
  CHECK(back->find({kKey, "all"})->metric == "max(job.*.checkpoint.stall)");
  CHECK(back->find({{"b.json", "a"}, "stall"}) == nullptr);
}

TEST_CASE("an assertion relative to the baseline has a value in it, too") {
  Baseline baseline;
  baseline.set(kKey, kDesign, predicted(2.0), "1");
  CHECK(baseline.values(kKey).at("rel") == 2.0);
}

TEST_CASE("setting a scenario again replaces all of its entries and no others") {
  Baseline baseline;
  baseline.set(kKey, kDesign, predicted(2.0), "1");
  baseline.set({"b.json", "b"}, kDesign, predicted(5.0), "1");
  baseline.set(kKey, design_with({{"only", "job.train.checkpoint.stall < 3 s", "error", "", ""}}),
               predicted(4.0), "1");
  CHECK(baseline.values(kKey) == predict::BaseValues{{"only", 4.0}});
  CHECK(baseline.values({"b.json", "b"}).size() == 3);
  CHECK(baseline.find({{"b.json", "b"}, "stall"})->failed);
}

TEST_CASE("a metric that was not predicted then has no entry") {
  Baseline baseline;
  baseline.set(kKey, design_with({{"x", "job.train.no < 3 s", "error", "", ""}}), predicted(1.0),
               "1");
  CHECK(baseline.entries().empty());
}

TEST_CASE("what is not a baseline is refused with its name") {
  for (const char* text :
       {"", "[]", "3", "{}", R"({"schema": "stallcast.baseline/2", "entries": []})",
        R"({"schema": "stallcast.baseline/1"})",
        R"({"schema": "stallcast.baseline/1", "entries": [{"scenario": 3}]})"}) {
    const auto read = Baseline::read(text, "b.json");
    REQUIRE_FALSE(read.ok());
    CHECK(read.failure().exit == ExitCode::bad_input);
    CHECK(read.failure().message.find("b.json") != std::string::npos);
  }
}

}  // namespace baseline_test
