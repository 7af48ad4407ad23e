#include "engine/decide/plan/cells.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace stallcast::plan {

bool Cells::visit(const std::vector<Cell>& cells, bool all) {
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
  if (fresh.empty()) return true;
  std::vector<Result<Prediction>> results = evaluate_(fresh);
  assert(results.size() == fresh.size());
  const bool judged = !seen_.empty() || std::any_of(results.begin(), results.end(),
                                                    [](const auto& r) { return r.ok(); });
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (!results[i].ok() && results[i].failure().exit == ExitCode::bad_input && judged) {
      // Others can be judged: this one lacks what a target asks for, such as a save that ended.
      if (!fault_) fault_ = results[i].failure();
      invalid_.insert(fresh[i]);
      continue;
    }
    if (!results[i].ok()) {
      failure_ = results[i].failure();
      return false;
    }
    const Standing standing = problem_.standing ? problem_.standing(*results[i])
                              : results[i]->verdict == Verdict::pass ? Standing::meets
                                                                     : Standing::misses;
    seen_.emplace(fresh[i], std::move(results[i]).value());
    if (standing == Standing::misses && !unfit_.contains(fresh[i])) miss(fresh[i]);
    if (standing == Standing::too_much) unfit_.insert(fresh[i]);
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
    cost = problem_.value(found->second);
  } else {
    cost = std::numeric_limits<double>::infinity();
  }
  double amount = 0.0;
  for (std::size_t a = 0; a < cell.size(); ++a)
    amount += static_cast<double>(cell[a]) / static_cast<double>(problem_.axes[a].size());
  return {cost, amount, cell};
}

}  // namespace stallcast::plan
