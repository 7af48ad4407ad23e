#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stallcast/change.hpp"
#include "stallcast/design.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// What a search moves in: a grid of designs.
namespace stallcast::plan {

/// One dimension: its values in the order in which the targets are expected to become easier, or in
/// any order when nothing is expected of it (`about.ordered` false).
struct Axis {
  PlanAxis about;
  std::vector<Setting> values;
  std::vector<double> numbers;              ///< the same in their unit; 0 for what is not a number
  Dimension dimension = Dimension::number;  ///< of `numbers`
  std::size_t start = 0;                    ///< where the search begins
  /// The value that the scenario has, where it is one of these.
  std::optional<std::size_t> present = std::nullopt;
  bool listed = false;  ///< each value was written by itself
  [[nodiscard]] std::size_t size() const { return values.size(); }
};

/// The place on an ordered axis, after `i`, whose value is `factor` times as large or as small; the
/// last at most. Where values are not numbers, the place is doubled.
[[nodiscard]] std::size_t further(const Axis& axis, std::size_t i, double factor);
/// The same towards the first value.
[[nodiscard]] std::size_t nearer(const Axis& axis, std::size_t i, double factor);

/// One design: the place of its value on each axis.
using Cell = std::vector<std::size_t>;

/// The value of a design on each axis, as `--set` takes it.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Axis>& axes, const Cell& cell);

/// The scenario's own design, where each of its values is searched.
[[nodiscard]] std::optional<Cell> present_of(const std::vector<Axis>& axes);

/// All cells, those of the axis `along` at its first place only.
[[nodiscard]] std::vector<Cell> grid(const std::vector<Axis>& axes,
                                     std::optional<std::size_t> along);

/// Predictions of several cells, in their order, all with the same seeds.
using Evaluate = std::function<std::vector<Result<Prediction>>(std::span<const Cell>)>;

/// How a design stands to the targets.
enum class Standing {
  meets,
  misses,   ///< so does everything before it on ordered axes
  too_much  ///< only because it is more than a target allows: says nothing of others
};

/// What is searched.
struct Problem {
  std::vector<Axis> axes;
  /// What is minimized. Empty: only a simulation can say, `value` then. A cell without a valid
  /// design may give anything.
  std::function<double(const Cell&)> cost;
  /// The same from a prediction, where `cost` is empty. A design without it is left out.
  std::function<Result<double>(const Prediction&)> value;
  /// Why a cell is not a valid design; may be empty.
  std::function<std::optional<Failure>(const Cell&)> invalid;
  /// What bounds prove of a cell (`meets`: nothing); may be empty. docs/models/bounds.md.
  std::function<Standing(const Cell&)> bound;
  /// How a simulated design stands; empty: by its verdict.
  std::function<Standing(const Prediction&)> standing;
  std::int64_t checks = 0;  ///< designs simulated although a larger one misses
  /// The most of something is asked for: the answer is the best that meets, also where designs
  /// beyond it miss.
  bool most = false;
  /// What fails at a date hits the run elsewhere in each design: a larger one that misses proves
  /// nothing.
  bool dated = false;
  std::optional<Cell> present = std::nullopt;  ///< the scenario's own design, where it is searched
};

/// The design that comes nearest, where none meets the targets.
struct Nearest {
  Cell cell;
  std::optional<Cell> over = std::nullopt;  ///< the next larger one, which is over a budget
  std::size_t looked = 0;                   ///< designs that were simulated for it
  bool cut_off = false;                     ///< there are more that may come nearer
};

/// What a search found.
struct Search {
  PlanStatus status = PlanStatus::infeasible;
  std::optional<Cell> answer;
  Cell end;  ///< the largest design tried where there is no answer
  std::map<Cell, Prediction> seen;
  bool non_monotone = false;
  std::optional<Cell> contradiction;  ///< the nearest design larger than the answer that misses
  std::int64_t candidates = 0, proven = 0, invalid = 0, cheaper = 0, implied = 0;
  /// Designs whose simulation lacks what a target or `value` asks for, and what that is.
  std::map<Cell, Failure> lacking;
  std::vector<std::string> notes;
  std::optional<Nearest> nearest = std::nullopt;  ///< once looked for
};

/// The cheapest design that meets every error-level target and that no larger one is known to
/// contradict: along ordered axes a design further on that misses makes those before it unfit, and
/// they are left out unless `checks` or the guards around the answer simulate them.
///
/// Lines along the longest ordered axis are searched by their cheapest design. The first begins at
/// `start`; where that misses, the largest design of all has to meet the targets. On the others the
/// largest design that would still improve on the best comes first: where it misses, the line is
/// done. Lines are narrowed by doubling and thirds. Without ordered axes, or where the cost
/// falls along one, designs are simulated in the order of their cost; with `value`, all of them.
/// Where only designs pass that a larger one contradicts, and with `most`, the answer is the best
/// that passes; what is known to miss before it is taken to bound it, and `checks` look beyond.
/// The neighbours of the answer are always simulated. Which cells are simulated depends only on the
/// problem and the outcomes. The first failure of `evaluate` ends the search, unless it says that
/// time ran out: then what is known is given with a note.
[[nodiscard]] Result<Search> search(const Problem& problem, const Evaluate& evaluate);

/// Most designs that are looked at one by one.
inline constexpr std::int64_t kMostListed = 20'000;

/// What is searched of two systems says of which: "OSTs of cold".
void tell_apart(std::vector<Axis>& axes);

}  // namespace stallcast::plan
