#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "calibration/measure/importers/importer.hpp"
#include "engine/base/files.hpp"

/// Fixtures of tests/calibration/data/importers: shaped like the tools' output, with figures of our
/// own that agree with each other (ops x size = rate, rate x latency = depth).
namespace stallcast::calibration {

inline std::string fixture_folder() {
  return std::string(STALLCAST_SOURCE_DIR) + "/tests/calibration/data/importers";
}

inline std::string fixture(const std::string& name) {
  const auto text = base::read_file(fixture_folder() + "/" + name);
  REQUIRE(text.ok());
  return text.value();
}

inline std::vector<std::string> all_fixtures() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fixture_folder()))
    names.insert(entry.path().filename().string());
  return {names.begin(), names.end()};
}

struct Imported {
  MeasurementSet set;
  Diagnostics diagnostics;

  [[nodiscard]] const Measurement& at(std::size_t i) const {
    REQUIRE(i < set.measurements.size());
    return set.measurements[i];
  }
  /// The first record of `operation` and, where given, `path`.
  [[nodiscard]] const Measurement& of(const std::string& operation,
                                      const std::string& path = "*") const {
    for (const Measurement& m : set.measurements)
      if (m.operation == operation && (path == "*" || m.path == path)) return m;
    FAIL("no record of " << operation << " " << path);
    return set.measurements.front();
  }
  /// "3:14 number", ...
  [[nodiscard]] std::vector<std::string> places() const {
    std::vector<std::string> out;
    for (const Diagnostic& d : diagnostics.items())
      out.push_back(std::to_string(d.position.line) + ":" + std::to_string(d.position.column) +
                    " " + d.code);
    return out;
  }
};

inline Imported import_text(const std::string& id, const std::string& text) {
  const ResultImporter* importer = find_result_importer(id);
  REQUIRE(importer != nullptr);
  Imported out;
  out.set = import_results(*importer, text, "f", out.diagnostics);
  return out;
}

inline Imported import_fixture(const std::string& id, const std::string& name) {
  return import_text(id, fixture(name));
}

inline bool flagged(const Measurement& m, const std::string& flag) {
  return std::find(m.flags.begin(), m.flags.end(), flag) != m.flags.end();
}

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

}  // namespace stallcast::calibration
