#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/decide/predict/predict.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// What assertions had for values when somebody said that it was good.
namespace stallcast::check {

/// Which scenario: its file relative to the folder of the baseline, and its id.
struct ScenarioKey {
  std::string path;
  std::string id;
  [[nodiscard]] auto operator<=>(const ScenarioKey&) const = default;
};

/// Never a line number, so that a baseline outlives edits.
struct EntryKey {
  ScenarioKey scenario;
  std::string assertion;
  [[nodiscard]] auto operator<=>(const EntryKey&) const = default;
};

struct BaselineEntry {
  std::string metric;  ///< as the assertion names it, statistic and wildcards included
  double value = 0.0;
  std::string unit;
  bool failed = false;
  std::string model;          ///< version of the models that predicted it
  std::string design_sha256;  ///< of the design it was predicted for
};

class Baseline {
 public:
  /// Reads what `text` wrote. Fails with bad_input, naming `file`.
  [[nodiscard]] static Result<Baseline> read(std::string_view json, const std::string& file);
  /// JSON, sorted, one entry per line: differences are read by people.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] const BaselineEntry* find(const EntryKey& key) const;
  [[nodiscard]] const std::map<EntryKey, BaselineEntry>& entries() const { return entries_; }
  /// Replaces all entries of the scenario by what its assertions are now.
  void set(const ScenarioKey& scenario, const Design& design, const Prediction& prediction,
           std::string_view model);
  void drop(const ScenarioKey& scenario);
  /// The values of the assertions of one scenario.
  [[nodiscard]] predict::BaseValues values(const ScenarioKey& scenario) const;

 private:
  std::map<EntryKey, BaselineEntry> entries_;
};

/// The metric of an assertion as a baseline names it: "max(resource.*.utilization)".
[[nodiscard]] std::string metric_name(const base::Assertion& assertion);

}  // namespace stallcast::check
