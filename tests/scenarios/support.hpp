#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "scenarios/load.hpp"

/// Scenarios for tests of the loader.
namespace stallcast::testing {

inline const char* const kScenario = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8, "read": "4 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
              "dataset": { "on": "scratch", "format": "raw", "sample": "1 MB", "samples": 1000 },
              "loader": { "workers": 4 } } ]
})";

/// The design, or a failed test that says why there is none.
inline Design design_of(const scenarios::Loaded& loaded) {
  for (const Diagnostic& d : loaded.diagnostics.items())
    UNSCOPED_INFO(d.position.file << ":" << d.position.line << ":" << d.position.column << " "
                                  << d.code << " " << d.pointer << ": " << d.message << " | "
                                  << d.hint);
  REQUIRE(loaded.design.has_value());
  return *loaded.design;
}

/// The only diagnostic, as "code message | hint".
inline std::string only_fault(const scenarios::Loaded& loaded) {
  for (const Diagnostic& d : loaded.diagnostics.items())
    UNSCOPED_INFO(d.code << " " << d.pointer << ": " << d.message << " | " << d.hint);
  REQUIRE(loaded.diagnostics.items().size() == 1);
  CHECK_FALSE(loaded.design.has_value());
  const Diagnostic& d = loaded.diagnostics.items()[0];
  return d.code + " " + d.message + " | " + d.hint;
}

inline scenarios::Loaded load_with(std::vector<std::string> sets, std::string variant = "",
                                   const char* text = kScenario) {
  scenarios::LoadOptions options;
  options.sets = std::move(sets);
  options.variant = std::move(variant);
  return scenarios::load_text(text, "test.json", options);
}

}  // namespace stallcast::testing
