#include "engine/decide/plan/cells.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace stallcast::plan {

namespace {

/// Where the first designs cannot be judged, so many places of each axis are tried before all is
/// given up.
constexpr std::size_t kProbes = 8;

/// A search of so few designs goes through all of them, else through the ends of all axes, where
/// these are no more.
constexpr std::size_t kFew = 256;
constexpr std::size_t kCellsAtATime = 16;  ///< of these in one batch

/// `cell` with each axis at places that are spread evenly over it.
std::vector<Cell> spread_from(const Cell& cell, const std::vector<Axis>& axes) {
  std::vector<Cell> out;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::size_t last = axes[a].size() - 1, steps = std::min(last, kProbes - 1);
    for (std::size_t i = 0; i <= steps; ++i) {
      out.push_back(cell);
      out.back()[a] = steps == 0 ? 0 : i * last / steps;
    }
  }
  return out;
}

/// All designs, or what has the first or the last of each axis; none where those are too many.
std::vector<Cell> all_or_corners(const std::vector<Axis>& axes) {
  std::vector<Axis> of = axes;
  const auto many = [&] {
    double size = 1.0;
    for (const Axis& axis : of) size *= static_cast<double>(axis.size());
    return size > static_cast<double>(kFew);
  };
  if (!many()) return grid(of, std::nullopt);
  for (Axis& axis : of) axis.values.resize(std::min<std::size_t>(axis.size(), 2));
  if (many()) return {};
  std::vector<Cell> out = grid(of, std::nullopt);
  for (Cell& cell : out)
    for (std::size_t a = 0; a < cell.size(); ++a)
      if (cell[a] > 0) cell[a] = axes[a].size() - 1;
  return out;
}

}  // namespace

std::vector<Cell> Cells::fresh_of(const std::vector<Cell>& cells, bool all) {
  std::vector<Cell> fresh;
  for (const Cell& cell : cells) {
    if ((all ? seen_.contains(cell) || invalid_.contains(cell) : known(cell)) ||
        std::find(fresh.begin(), fresh.end(), cell) != fresh.end())
      continue;
    const std::optional<Standing> bound = look(cell);
    if (!bound) continue;
    if (*bound != Standing::meets && !all) {
      exclude(cell, *bound);
      continue;
    }
    fresh.push_back(cell);
  }
  return fresh;
}

bool Cells::visit(const std::vector<Cell>& cells, bool all) {
  const std::vector<Cell> fresh = fresh_of(cells, all);
  if (fresh.empty()) return true;
  if (!simulate(fresh)) return false;
  if (!seen_.empty()) return true;
  // None of these can be judged. Is there any that can?
  if (!simulate(fresh_of(spread_from(fresh.front(), problem_.axes), false))) return false;
  const std::vector<Cell> others = all_or_corners(problem_.axes);
  for (std::size_t i = 0; i < others.size() && seen_.empty(); i += kCellsAtATime)
    if (!simulate(fresh_of({others.begin() + static_cast<std::ptrdiff_t>(i),
                            others.begin() + static_cast<std::ptrdiff_t>(
                                                 std::min(i + kCellsAtATime, others.size()))},
                           false)))
      return false;
  if (seen_.empty()) failure_ = lacking_.at(fresh.front());
  return !seen_.empty();
}

bool Cells::simulate(const std::vector<Cell>& cells) {
  if (cells.empty()) return true;
  std::vector<Result<Prediction>> results = evaluate_(cells);
  assert(results.size() == cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::optional<Failure> failure;
    if (!results[i].ok())
      failure = results[i].failure();
    else if (problem_.value)
      if (const Result<double> of = problem_.value(*results[i]); !of.ok()) failure = of.failure();
    if (failure && failure->exit == ExitCode::bad_input) {
      // It lacks what a target or the objective asks for, such as a save that ended; others may
      // have it.
      if (!fault_) fault_ = failure;
      invalid_.insert(cells[i]);
      lacking_.emplace(cells[i], *std::move(failure));
      continue;
    }
    if (failure) {
      failure_ = std::move(failure);
      return false;
    }
    const Standing standing = problem_.standing ? problem_.standing(*results[i])
                              : results[i]->verdict == Verdict::pass ? Standing::meets
                                                                     : Standing::misses;
    seen_.emplace(cells[i], std::move(results[i]).value());
    if (standing == Standing::misses && !unfit_.contains(cells[i])) miss(cells[i]);
    if (standing == Standing::too_much) unfit_.insert(cells[i]);
  }
  return true;
}

std::optional<Standing> Cells::look(const Cell& cell) {
  if (problem_.invalid) {
    if (std::optional<Failure> fault = problem_.invalid(cell)) {
      if (!fault_) fault_ = std::move(fault);
      invalid_.insert(cell);
      return std::nullopt;
    }
  }
  const Standing bound = problem_.bound ? problem_.bound(cell) : Standing::meets;
  if (bound == Standing::too_much) unfit_.insert(cell);
  return bound;
}

void Cells::exclude(const Cell& cell, Standing bound) {
  proven_.insert(cell);
  if (bound == Standing::misses) miss(cell);
}

bool Cells::excluded(const Cell& cell) {
  if (known(cell)) return !seen_.contains(cell);
  const std::optional<Standing> bound = look(cell);
  if (bound && *bound != Standing::meets) exclude(cell, *bound);
  return bound != Standing::meets;
}

bool Cells::passes(const Cell& cell) const {
  const auto found = seen_.find(cell);
  return found != seen_.end() && found->second.verdict == Verdict::pass;
}

bool Cells::known(const Cell& cell) const {
  return seen_.contains(cell) || proven_.contains(cell) || invalid_.contains(cell);
}

bool Cells::covers(const Cell& large, const Cell& small) const {
  for (std::size_t a = 0; a < large.size(); ++a)
    if (problem_.axes[a].about.ordered ? large[a] < small[a] : large[a] != small[a]) return false;
  return true;
}

bool Cells::shadowed(const Cell& cell) const {
  return std::any_of(misses_.begin(), misses_.end(),
                     [&](const Cell& m) { return covers(m, cell); });
}

std::optional<Cell> Cells::contradiction(const Cell& cell) const {
  std::optional<Cell> nearest;
  const auto distance = [&](const Cell& other) {
    std::size_t sum = 0;
    for (std::size_t a = 0; a < cell.size(); ++a)
      sum += std::max(other[a], cell[a]) - std::min(other[a], cell[a]);
    return sum;
  };
  const auto look_at = [&](const Cell& other) {
    if (other == cell || !covers(other, cell)) return;
    if (!nearest || distance(other) < distance(*nearest)) nearest = other;
  };
  for (const auto& [other, prediction] : seen_)
    if (!passes(other) && !unfit_.contains(other)) look_at(other);
  if (!nearest)
    for (const Cell& m : misses_) look_at(m);
  return nearest;
}

std::optional<std::size_t> Cells::last_miss(const Cell& cell, std::size_t axis) const {
  std::optional<std::size_t> last;
  Cell first = cell;
  first[axis] = 0;
  for (const Cell& m : misses_)
    if (covers(m, first)) last = std::max(last.value_or(0), m[axis]);
  return last;
}

void Cells::miss(const Cell& cell) {
  if (shadowed(cell)) return;
  std::erase_if(misses_, [&](const Cell& m) { return covers(cell, m); });
  misses_.push_back(cell);
}

Cell Cells::largest() const {
  Cell out;
  std::size_t most = 0;
  for (const auto& [cell, prediction] : seen_) {
    std::size_t sum = 1;
    for (std::size_t a = 0; a < cell.size(); ++a)
      if (problem_.axes[a].about.ordered) sum += cell[a];
    if (sum > most) {
      most = sum;
      out = cell;
    }
  }
  return out;
}

Cells::Key Cells::key(const Cell& cell) const {
  double cost = 0.0;
  if (problem_.cost) {
    const auto known_cost = costs_.find(cell);
    cost = known_cost != costs_.end() ? known_cost->second
                                      : costs_.emplace(cell, problem_.cost(cell)).first->second;
  } else if (const auto found = seen_.find(cell); found != seen_.end() && problem_.value) {
    cost = *problem_.value(found->second);
  } else {
    cost = std::numeric_limits<double>::infinity();
  }
  double amount = 0.0;
  for (std::size_t a = 0; a < cell.size(); ++a)
    amount += static_cast<double>(cell[a]) / static_cast<double>(problem_.axes[a].size());
  return {cost, amount, cell};
}

}  // namespace stallcast::plan
