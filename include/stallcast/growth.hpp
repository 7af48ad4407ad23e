#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/change.hpp"
#include "stallcast/diagnostic.hpp"

/// How demand and the plant grow, and when what is there runs out. docs/models/growth.md.
namespace stallcast {

/// What one value of a scenario is in later months.
struct GrowthTrend {
  std::string path;        ///< as `--set` takes it; "params.n" of a parameter
  std::string written;     ///< "4 %/month"; of purchases "month 12: 24, month 24: 32"
  double factor = 1.0;     ///< by which it grows each month       [docs/models/growth.md, eq. 1]
  std::string added = {};  ///< with its unit, each month          [docs/models/growth.md, eq. 2]
  double months = 1.0;     ///< that `added` is of
  std::map<int, Setting> steps = {};  ///< from that month on      [docs/models/growth.md, eq. 3]
  std::string pointer = {};           ///< in the scenario
  Position position = {};
};

/// What a scenario says of the months to come.
struct GrowthSpec {
  std::vector<GrowthTrend> trends;
  int months = 36;  ///< how far to look
  int every = 3;    ///< months from one simulation to the next
};

/// A trend with its first and last value.
struct GrownValue {
  std::string path, written;
  std::string first, last;  ///< "1.2 M"
};

/// A figure over the months that were simulated, or over all of them.
struct GrowthSeries {
  std::string name;  ///< "space on scratch", "storage.scratch.ost", "job.train.gpu.utilization"
  std::string unit;  ///< as a Metric has it
  std::vector<std::optional<double>> values;  ///< one of each of `GrowthResult::months`
};

/// A target over the months that were simulated.
struct GrowthTarget {
  std::string id, that, level;
  std::string metric, unit;
  std::vector<std::string> status;            ///< "pass", "fail", "inconclusive"
  std::vector<std::optional<double>> values;  ///< in `unit`
};

/// Something that runs out.
struct GrowthCeiling {
  enum class Kind { space, load, target };
  Kind kind = Kind::space;
  std::string name;     ///< as that of its series; of a target its id
  int month = 0;        ///< the first in which it does
  std::string message;  ///< "scratch is to hold 1.4 PB and has room for 1.32 PB"
  std::string remedy;   ///< what would do in the last month; "" where nothing is known
};

/// When what there is runs out.
struct GrowthResult {
  std::string scenario_id, scenario_file;
  std::string profile_sha256 = {};  ///< of the calibration profile; "" without one
  int until = 0;                    ///< months
  std::vector<int> months;          ///< that were simulated, in order; the first is 0: now
  std::vector<GrownValue> trends;
  std::vector<GrowthSeries> space;  ///< of each storage system that says what it holds: used share
  std::vector<GrowthSeries>
      loads;  ///< of resources, as if nothing waited: the fullest at the end first
  std::vector<GrowthSeries> figures;  ///< headline metrics
  std::vector<GrowthTarget> targets;
  std::vector<GrowthCeiling> ceilings;  ///< the first first
  std::vector<std::string> notes;
  /// Of the simulations of months, each once: with the first month it is of, where it is not of
  /// all.
  std::vector<std::string> warnings = {};
  std::vector<std::string> undrawn = {};  ///< targets that ask for a confidence: not judged
  std::vector<std::string> unsure = {};   ///< others of level "error", undecided in some month

  [[nodiscard]] bool judges(const std::string& target) const {
    return std::find(undrawn.begin(), undrawn.end(), target) == undrawn.end();
  }
};

}  // namespace stallcast
