#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "calibration/validation/sources/source.hpp"

/// Tables of MLPerf Storage, predicted for tests.
namespace stallcast::calibration {

/// Few draws: what is tested is what they are of.
inline constexpr std::size_t kDraws = 4;

struct Predicted {
  std::optional<RowValidation> rows;
  std::vector<std::string> faults;  ///< "error t.csv:2:7 type"
};

inline Predicted predict(const std::string& text, const char* layout = "mlperf-csv",
                         std::size_t draws = kDraws) {
  Diagnostics diagnostics;
  SourceOptions options;
  options.draws = draws;
  auto result = find_source(layout)->predict(text, "t.csv", options, diagnostics);
  Predicted out;
  for (const Diagnostic& d : diagnostics.items())
    out.faults.push_back(std::string(d.severity == Severity::error ? "error " : "warning ") +
                         d.position.file + ":" + std::to_string(d.position.line) + ":" +
                         std::to_string(d.position.column) + " " + d.code);
  if (result.ok()) out.rows = *std::move(result);
  return out;
}

/// The rows of a table that has no fault. The same table is predicted once, for all tests of this
/// program.
inline const RowValidation& rows_of(const std::string& text, const char* layout = "mlperf-csv",
                                    std::size_t draws = kDraws) {
  static std::map<std::tuple<std::string, std::string, std::size_t>, Predicted> known;
  const std::tuple<std::string, std::string, std::size_t> key{text, layout, draws};
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, predict(text, layout, draws)).first;
  CHECK(found->second.faults == std::vector<std::string>{});
  REQUIRE(found->second.rows.has_value());
  return *found->second.rows;
}

inline bool has_note(const PredictedRow& row, const std::string& part) {
  return std::any_of(row.notes.begin(), row.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace stallcast::calibration
