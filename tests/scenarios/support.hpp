#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "stallcast/scenario.hpp"

/// Scenarios for tests of the loader.
namespace stallcast::testing {

inline const char* const kScenario = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8, "read": "4 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
              "dataset": { "on": "scratch", "format": "raw", "sample": "1 MB", "samples": 1000 },
              "loader": { "workers": 4 } } ]
})";

[[nodiscard]] inline Scenario load_text(std::string text, const std::string& file) {
  return Scenario::read({.file = file, .text = std::move(text)});
}
[[nodiscard]] inline Scenario load_file(const std::string& path) {
  return Scenario::read({.file = path});
}

/// The design, or a failed test that says why there is none.
inline Design design_of(const Scenario& loaded) {
  for (const Diagnostic& d : loaded.diagnostics().items())
    UNSCOPED_INFO(d.position.file << ":" << d.position.line << ":" << d.position.column << " "
                                  << d.code << " " << d.pointer << ": " << d.message << " | "
                                  << d.hint);
  REQUIRE(loaded.ok());
  return loaded.design();
}

/// The only diagnostic, as "code message | hint".
inline std::string only_fault(const Scenario& loaded) {
  for (const Diagnostic& d : loaded.diagnostics().items())
    UNSCOPED_INFO(d.code << " " << d.pointer << ": " << d.message << " | " << d.hint);
  REQUIRE(loaded.diagnostics().items().size() == 1);
  CHECK_FALSE(loaded.ok());
  const Diagnostic& d = loaded.diagnostics().items()[0];
  return d.code + " " + d.message + " | " + d.hint;
}

inline Scenario load_with(std::vector<std::string> sets, std::string variant = "",
                          const char* text = kScenario) {
  return Scenario::read(
      {.file = "test.json", .text = text, .sets = std::move(sets), .variant = std::move(variant)});
}

/// All that is said of a scenario, one a line: "2:7 code /pointer message | hint".
inline std::string remarks(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.items())
    out += std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " +
           d.code + " " + d.pointer + " " + d.message + " | " + d.hint + "\n";
  return out;
}

/// kScenario with another key, on the second line.
inline Scenario load_beside(const std::string& key_and_value) {
  return load_with({}, "", ("{\n" + key_and_value + "," + (kScenario + 1)).c_str());
}

}  // namespace stallcast::testing
