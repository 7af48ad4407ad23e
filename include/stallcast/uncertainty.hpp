#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/design.hpp"

/// How sure a prediction is: what its inputs may be in truth, and what that does to its figures.
namespace stallcast {

/// Nine times in ten between the two.
struct Interval {
  double low = 0.0;
  double high = 0.0;
};

/// Parts of all outcomes, and for each the interval in the middle of them that holds it.
inline constexpr std::array<double, 6> kLevels = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
using LevelIntervals = std::array<Interval, kLevels.size()>;
inline constexpr std::size_t kNineInTen = 4;  ///< of kLevels: what is printed

/// A figure of a run that was observed, in the unit of its metric.
struct ObservedFigure {
  std::string metric;
  double value = 0.0;
  Interval within;      ///< the measurement's own 90 % interval, `value` inside
  std::string at = {};  ///< where it is said: "seen.csv:3:1"; "" where nobody knows
};

/// An input that is not exact. Values of one kind with the same figure and range are one input.
struct UncertainInput {
  std::string path;        ///< of the first value that it is: "storage[scratch].ost.read"
  std::size_t places = 1;  ///< how many values it is
  Dimension dimension = Dimension::number;
  double nominal = 0.0;  ///< what a simulation takes, base unit
  Range range;
  Source::Kind from = Source::Kind::default_value;
  std::string measure_with;  ///< a command, or what to ask; "" where nothing is known
};

/// Part of the variance of a figure that an input causes.
struct InputShare {
  std::size_t input = 0;  ///< of Uncertainty::inputs
  double first = 0.0;     ///< by itself
  double total = 0.0;     ///< with what it does together with others
  Interval rest = {};     ///< what would remain of all outcomes, were it known
};

/// What one input alone does to a figure, simulated at both ends of what it may be.
struct InputSwing {
  UncertainInput input;
  std::string metric;
  double at_low = 0.0, at_high = 0.0;  ///< of `metric`
};

/// Shares that account for less of the variance of a figure are no ground to measure anything.
inline constexpr double kExplained = 0.3;

/// What one figure may turn out to be, in the unit of its metric.
struct Spread {
  double median = 0.0;         ///< of all draws, and of what luck makes of each
  Interval all;                ///< inputs, luck, seeds and model together
  Interval known = {};         ///< what would remain of `all`, were every input known
  Interval half;               ///< as `all`, every second time
  LevelIntervals levels = {};  ///< as `all`, by kLevels
  Interval inputs;             ///< with the inputs drawn, one seed
  Interval seeds;  ///< of single runs of the design as it is; as `median` with one replica
  std::optional<Interval> luck = std::nullopt;  ///< of the design as it is; of months of failures
  double model = 0.0;              ///< half width of what no input explains, on the scale of `all`
  double model_probed = 0.0;       ///< the same once the loader is probed: as `model`, or less
  std::vector<InputShare> shares;  ///< largest first, of the headline figures
  double explained = 0.0;          ///< part of the variance that the shares account for
};

/// Whether outcomes are less wide with `rest` left of them by enough to measure for it: a fiftieth.
/// Where seeds and the model make most of the width, no input narrows it.
[[nodiscard]] inline bool narrows(const Interval& rest, const Interval& all) {
  return rest.high - rest.low < 0.98 * (all.high - all.low);
}

/// Whether the draws tell at least one input to measure for a figure.
[[nodiscard]] inline bool tells_inputs(const Spread& spread) {
  return !spread.shares.empty() && spread.explained >= kExplained &&
         narrows(spread.shares.front().rest, spread.all);
}

/// What comes of drawing the inputs of a design.
struct Uncertainty {
  std::size_t draws = 0;    ///< simulated designs
  std::size_t broken = 0;   ///< draws that made no valid design, which are left out
  std::size_t cut_off = 0;  ///< draws that had not ended at the time limit, or when interrupted
  std::size_t fitted = 0;   ///< values that a profile drew, jointly, besides `inputs`
  std::string why_few;      ///< why there are fewer than a small design would get; "" otherwise
  std::vector<UncertainInput> inputs;
  std::map<std::string, Spread> metrics;  ///< by name, of those every draw has
  /// That a target holds, by its id; empty where draws were cut off: those that end are no sample.
  std::map<std::string, double> probability;
  std::optional<double> all_hold = std::nullopt;  ///< that all error-level targets hold together
};

}  // namespace stallcast
