#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/change.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Many designs that differ in a few values: what is varied, and what came of it.
namespace stallcast {

/// A value, and where it was written.
struct SweepValue {
  Setting value;
  std::string pointer;
  Position position;
};

/// Values from one number to another.
struct SweepRange {
  double from = 0.0, to = 0.0;
  std::string unit;    ///< written behind each number; "" = none
  std::int64_t n = 0;  ///< how many, both ends included; 0: not given, as samples need none
  bool log = false;    ///< equal ratios instead of equal differences
  double step = 0.0;   ///< values are multiples of it; 0: any
  Setting exact[2];    ///< the two ends as they were written
};

/// One thing that is varied: a list of values, or a range.
struct SweepAxis {
  std::string path;  ///< as `--set` takes it
  std::vector<SweepValue> values;
  std::optional<SweepRange> range;
  std::string pointer;  ///< "" when it comes from the command line
  Position position;
};

/// How the values of several axes are combined.
enum class SweepMode {
  product,  ///< each with each
  zip,      ///< the first of each, the second of each, ...
  latin,    ///< a Latin hypercube of so many samples
  sobol     ///< so many points of Sobol's sequence
};

/// What a sweep varies.
struct SweepSpec {
  std::vector<SweepAxis> axes;
  SweepMode mode = SweepMode::product;
  std::int64_t samples = 0;  ///< of latin and sobol
  std::string mode_pointer;
  Position mode_position;
};

/// What came of one design.
struct SweepOutcome {
  bool failed = false;  ///< it crashed, or its targets cannot be judged
  ExitCode exit = ExitCode::ok;
  std::string message;                ///< why it failed
  std::vector<std::string> warnings;  ///< of what was predicted
  Verdict verdict = Verdict::none;
  /// Whether all targets hold, or it has none.
  [[nodiscard]] bool meets() const {
    return !failed && (verdict == Verdict::pass || verdict == Verdict::none);
  }
  /// What limits it, as `run` names it, where that is known without trying what would help: a
  /// resource, "failures", "GPU compute". "" where it is not.
  std::string limited_by;
  std::string most_waited_for;  ///< a resource, where that is all that is known; else ""
  std::map<std::string, Metric> metrics;
};

/// A number in a base unit ("s", "B/s", ...; "" = none).
struct SweepFigure {
  double value = 0.0;
  std::string unit;
};

/// One point: the values of all axes, and what came of them.
struct SweepRow {
  std::vector<std::string> values;                  ///< by axis, as `--set` takes them
  std::vector<std::optional<SweepFigure>> numbers;  ///< the same as numbers, where they are
  std::string key;                                  ///< SHA-256 of the design
  std::optional<SweepOutcome> outcome;
  bool pareto = false;  ///< no other point is better in one goal and as good in the rest
};

/// Where a figure should go.
enum class Goal { none, minimum, maximum };

/// A figure that is shown, a metric or something that is varied.
struct SweepColumn {
  std::string name;
  Goal goal = Goal::none;
};

/// A target of the first point's design.
struct SweepTarget {
  std::string id, that;
};

/// A sweep with the results it has so far.
struct SweepReport {
  std::string scenario_id;
  std::string scenario_file;
  std::string version, model_version;  ///< that planned it
  std::string sha256;                  ///< of all its points
  std::string profile_sha256;          ///< empty without a calibration profile
  std::size_t draws = 0;               ///< of every point; 0: each is simulated as it is
  std::vector<std::string> axes;       ///< paths
  std::vector<SweepColumn> columns;
  std::vector<SweepRow> rows;
  std::vector<SweepTarget> targets;
  std::size_t parts = 0;          ///< files of shards that have what the file of the sweep lacks
  std::vector<Failure> left_out;  ///< files of shards that are damaged, or not of this sweep

  struct Counts {
    std::size_t done = 0, failed = 0, missing = 0, meet = 0, miss = 0, unsure = 0;
  };
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] bool has_goals() const;
};

inline SweepReport::Counts SweepReport::counts() const {
  Counts out;
  for (const SweepRow& row : rows) {
    if (!row.outcome)
      ++out.missing;
    else if (row.outcome->failed)
      ++out.failed;
    else
      ++out.done;
    if (!row.outcome || row.outcome->failed) continue;
    if (row.outcome->verdict == Verdict::pass) ++out.meet;
    if (row.outcome->verdict == Verdict::fail) ++out.miss;
    if (row.outcome->verdict == Verdict::inconclusive) ++out.unsure;
  }
  return out;
}

inline bool SweepReport::has_goals() const {
  for (const SweepColumn& column : columns)
    if (column.goal != Goal::none) return true;
  return false;
}

}  // namespace stallcast
