#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/runtime/codec/codec.hpp"
#include "scenarios/resolve/print_resolved.hpp"
#include "tests/scenarios/support.hpp"

namespace print_resolved_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

TEST_CASE("a resolved scenario is strict JSON and loads to the same design") {
  std::vector<std::string> files;
  for (const char* folder : {"tests/scenarios/fixtures/good", "scenarios/library", "examples"})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  for (const std::string& file : files) {
    INFO(file);
    const Design design = design_of(load_file(file));
    const std::string text = scenarios::print_resolved(design, false);
    INFO(text);
    CHECK(nlohmann::json::accept(text));
    const Scenario resolved = load_text(text, "resolved.json");
    const Design again = design_of(resolved);
    // Defaults that are written down are nobody's choice.
    for (const Diagnostic& d : resolved.diagnostics().items()) {
      const auto same = [&](const Diagnostic& of) { return of.message == d.message; };
      const auto said = load_file(file);
      CHECK(
          std::any_of(said.diagnostics().items().begin(), said.diagnostics().items().end(), same));
    }
    CHECK(codec::design_hash(again) == codec::design_hash(design));
    CHECK(scenarios::print_resolved(again, false) == text);
  }
}

TEST_CASE("targets are printed with all they say") {
  const std::string text = scenarios::print_resolved(
      design_of(load_beside(R"("expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 9 %",
        "level": "warn", "why": "slow", "confidence": "90 %", "waive": "new", "until": "2027-05-31" },
        { "that": "job.train.step.time < 1 h" } ])")),
      false);
  for (const char* part : {"\"confidence\": \"90 %\"", "\"level\": \"warn\"", "\"why\": \"slow\"",
                           "\"waive\": \"new\"", "\"until\": \"2027-05-31\""})
    CHECK_THAT(text, Contains(part));
  CHECK(text.find("confidence") == text.rfind("confidence"));
}

TEST_CASE("with provenance each value says who set it and still loads") {
  const Design design = design_of(load_with({"storage.oss.count=3"}));
  const std::string text = scenarios::print_resolved(design, true);
  CHECK_THAT(text, Contains("\"count\": 8,  // test.json:3:71"));
  CHECK_THAT(text, Contains("\"count\": 3,  // --set storage.oss.count=3"));
  CHECK_THAT(text, Contains("// default: 4.06 GB/s per OST, ALCF Eagle"));
  CHECK_THAT(text, Contains("[assumption]"));
  // A rate whose default is written in bits is printed in bits.
  CHECK_THAT(text, Contains("\"nic\": { \"value\": \"400 Gb/s\""));
  const Design again = design_of(load_text(text, "resolved.json"));
  CHECK(codec::design_hash(again) == codec::design_hash(design));
}

}  // namespace print_resolved_test
