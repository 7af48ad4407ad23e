#include <algorithm>
#include <catch2/catch.hpp>

#include "calibration/validation/validate.hpp"
#include "tests/run/support.hpp"

namespace load_cases_test {

using namespace stallcast;
using namespace stallcast::calibration;
using stallcast::testing::TempFolder;
using stallcast::testing::write_all;

namespace {

constexpr const char* kScenario = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" }, "epochs": 1, "steps": 9 } ],
  "scenarios": { "slow": { "jobs": [ { "id": "train", "step": { "compute": "200 ms" } } ] } },
  "expect": [ { "id": "e", "that": "job.train.gpu.utilization >= 10 %" } ]
})";

/// Writes a scenario and a case file next to it, and reads the latter.
LoadedCases load(const std::string& text, const char* scenario = kScenario) {
  const TempFolder folder;
  write_all(folder.file("s.json"), scenario);
  write_all(folder.file("cases.json"), text);
  const std::vector<std::string> paths = {folder.file("cases.json")};
  LoadedCases out = load_cases(open_files(paths));
  for (Diagnostic& d : out.diagnostics.items())
    d.position.file = std::filesystem::path(d.position.file).filename().string();
  return out;
}

std::vector<std::string> faults_of(const LoadedCases& loaded) {
  std::vector<std::string> out;
  for (const Diagnostic& d : loaded.diagnostics.items())
    out.push_back(d.position.file + ":" + std::to_string(d.position.line) + ":" +
                  std::to_string(d.position.column) + " " + d.pointer + " " + d.code);
  return out;
}

}  // namespace

TEST_CASE("a case file names scenarios next to it, variants and options") {
  const LoadedCases loaded = load(R"({ // comments are allowed
    "id": "f", "title": "T", "source": "S", "note": "N",
    "cases": [ { "id": "a", "scenario": "s.json", "variant": "slow", "set": ["cluster.hosts[gpu].count=2"],
                 "source": "x", "measured": { "job.train.au": "93.5 %" }, "note": "n" },
               { "id": "b", "scenario": "s.json", "source": "y", "measured": { "job.train.au": "9 %" } } ],
  })");
  CHECK(faults_of(loaded) == std::vector<std::string>{});
  REQUIRE(loaded.cases.size() == 2);
  CHECK(loaded.files[0].title == "T");
  const Case& a = loaded.cases[0];
  CHECK(a.design.jobs[0].step.find("compute")->number == Approx(0.2));
  CHECK(a.design.hosts[0].find("count")->number == 2.0);
  CHECK(a.design.expect.empty());  // a validation asserts nothing
  CHECK(a.measured[0].text == "93.5 %");
  CHECK(a.measured[0].position.line == 4);
  CHECK(loaded.cases[1].design.jobs[0].step.find("compute")->number == Approx(0.1));
}

TEST_CASE("every fault of a case file is said at once, with its place") {
  const LoadedCases loaded = load(R"({
"title": "T", "tilte": 1,
"cases": [
{ "id": "a", "scenario": "s.json", "source": "x",
  "measured": { "m.a": 93.5,
                "m.b": "fast" } },
{ "id": "a", "scenario": "gone.json", "source": "x", "measured": {} },
3,
{ "scenario": "s.json", "set": "x", "source": "y", "measured": { "m": "1 s" } } ] })");
  CHECK(faults_of(loaded) == std::vector<std::string>{
                                 "cases.json:2:15 /tilte unknown-key",
                                 "cases.json:1:1  missing",
                                 "cases.json:5:24 /cases/0/measured/m.a unit",
                                 "cases.json:6:24 /cases/0/measured/m.b unit",
                                 "cases.json:7:9 /cases/1/id duplicate-id",
                                 "cases.json:7:66 /cases/1/measured type",
                                 "cases.json:7:26 /cases/1/scenario file",
                                 "cases.json:8:1 /cases/2 type",
                                 "cases.json:9:1 /cases/3 missing",
                                 "cases.json:9:32 /cases/3/set type",
                             });
  CHECK(loaded.diagnostics.items()[0].hint == "did you mean \"title\"?");
}

TEST_CASE("a measured figure without a unit is told with that of its metric") {
  const LoadedCases loaded = load(R"({ "id": "f", "title": "T", "cases": [
    { "id": "a", "scenario": "s.json", "source": "x", "measured": {
      "job.train.gpu.utilization": 37.5, "job.train.au": 0.375, "job.train.steady.step.time": 0.5,
      "job.train.throughput.bytes": 7685e6, "cost.hourly": 12 } } ] })");
  std::vector<std::string> hints;
  for (const Diagnostic& d : loaded.diagnostics.items()) hints.push_back(d.hint);
  std::sort(hints.begin(), hints.end());
  CHECK(hints == std::vector<std::string>{"write \"12 USD/h\", in the unit of the metric",
                                          "write \"37.5 %\", in the unit of the metric",
                                          "write \"37.5 %\", in the unit of the metric",
                                          "write \"500 ms\", in the unit of the metric",
                                          "write \"7685 MB/s\", in the unit of the metric"});
}

TEST_CASE("faults of a scenario keep their place and are said once for all cases") {
  const LoadedCases loaded = load(R"({ "id": "f", "title": "T", "cases": [
    { "id": "a", "scenario": "s.json", "source": "x", "measured": { "m": "1 s" } },
    { "id": "b", "scenario": "s.json", "source": "x", "measured": { "m": "1 s" } } ] })",
                                  R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
  "jobs": [ { "id": "train", "hosts": "gpu",
              "step": { "compute": "fast" } } ] })");
  CHECK(faults_of(loaded) == std::vector<std::string>{"s.json:4:36 /jobs/0/step/compute unit"});
  CHECK(loaded.cases.empty());
}

TEST_CASE("a scenario in place of a case file is said to be one, once") {
  const LoadedCases loaded = load(kScenario);
  REQUIRE(loaded.diagnostics.items().size() == 1);
  CHECK(loaded.diagnostics.items()[0].message == "this is a scenario, not a file of cases");
  CHECK(loaded.diagnostics.items()[0].position.line == 1);
}

TEST_CASE("an unknown variant is a fault of its case") {
  const LoadedCases loaded = load(R"({ "id": "f", "title": "T", "cases": [
{ "id": "a", "scenario": "s.json", "variant": "fast", "source": "x", "measured": { "m": "1 s" } } ] })");
  REQUIRE(loaded.diagnostics.items().size() == 1);
  CHECK(loaded.diagnostics.has_errors());
}

TEST_CASE("what is not a case file at all is a fault, not an exception") {
  CHECK(faults_of(load("[]")) == std::vector<std::string>{"cases.json:1:1  type"});
  CHECK(faults_of(load(R"({"id":"f","title":"T","cases":[]})")) ==
        std::vector<std::string>{"cases.json:1:31 /cases type"});
  CHECK(load("{").diagnostics.has_errors());
  const std::vector<std::string> none = {"/nonexistent/cases.json"};
  CHECK(load_cases(open_files(none)).diagnostics.items()[0].code == "file");
}

}  // namespace load_cases_test
