#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/resolve/parameters.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"
#include "stallcast/sweep.hpp"

/// From a scenario file to a Design: read (JSONC, `extends`), choose a variant, apply `--set`,
/// evaluate `params`, expand catalogue references, check against the field tables, apply defaults,
/// check the rules that span fields.
namespace stallcast::scenarios {

struct LoadOptions {
  std::vector<std::string> sets;  ///< "storage.ost.count=48", in order
  std::string variant;            ///< key of `scenarios`; "" = the base scenario
  std::vector<std::pair<std::string, double>>
      params;                                   ///< overrides of `params` values (plan, sweep)
  const CalibrationProfile* profile = nullptr;  ///< fitted values; must outlive the call
  bool extend_files = true;      ///< false: `extends` may name catalogue entries only (servers)
  std::string extend_root = {};  ///< with a folder, `extends` may name files in it only
};

/// What a design no longer knows of the text it was made of.
struct Written {
  /// By the pointer of a value that is an expression: the parameters it depends on, also through
  /// others.
  std::map<std::string, std::vector<std::string>> needs;
  /// "file:line:column" of each component and of its `use`, by pointer.
  std::map<std::string, std::string> where;
};

/// What came of loading. `design` is there exactly when there is no error.
struct Loaded {
  std::optional<Design> design;
  std::vector<Parameter> params;
  std::vector<std::string> variants;  ///< keys of `scenarios`
  Written written;
  SweepSpec sweep;  ///< what `sweep` says; nothing is varied without it
  PlanSpec plan;    ///< what `plan` says; nothing is asked for without it
  /// Values that are nothing but one parameter that says its min and max, by path
  /// ("storage[scratch].ost.count"): how they are searched.
  std::map<std::string, PlanDimension> ranged;
  Diagnostics diagnostics;  ///< with file, line and column, sorted by place
};

/// Never throws on any input.
[[nodiscard]] Loaded load_file(const std::string& path, const LoadOptions& options = {});
/// For tests and servers: `text` as if it stood in `file`; `extends` is relative to that file's
/// folder.
[[nodiscard]] Loaded load_text(std::string text, const std::string& file,
                               const LoadOptions& options = {});

}  // namespace stallcast::scenarios
