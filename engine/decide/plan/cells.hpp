#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "engine/decide/plan/space.hpp"

namespace stallcast::plan {

/// The designs simulated so far, and what follows from them.
class Cells {
 public:
  Cells(const Problem& problem, const Evaluate& evaluate)
      : problem_(problem), evaluate_(evaluate) {}

  /// Simulates those of `cells` that are new, valid and, unless `all`, not excluded, in one batch.
  /// False on a failure.
  bool visit(const std::vector<Cell>& cells, bool all = false);

  [[nodiscard]] bool passes(const Cell& cell) const;
  /// It passes, and nothing larger is known to miss.
  [[nodiscard]] bool meets(const Cell& cell) const { return passes(cell) && !shadowed(cell); }
  /// A larger cell, or this one, misses.
  [[nodiscard]] bool shadowed(const Cell& cell) const;
  /// The nearest larger cell that misses; a simulated one where there is one.
  [[nodiscard]] std::optional<Cell> contradiction(const Cell& cell) const;
  [[nodiscard]] bool known(const Cell& cell) const;
  /// It is no valid design, or bounds exclude it and nothing was simulated: one look, remembered.
  [[nodiscard]] bool excluded(const Cell& cell);
  /// It is not a valid design, or more than a target allows: nothing follows for others.
  [[nodiscard]] bool says_nothing(const Cell& cell) const {
    return invalid_.contains(cell) || unfit_.contains(cell);
  }
  /// The last place on `axis` of the line through `cell` at which something is known to miss.
  [[nodiscard]] std::optional<std::size_t> last_miss(const Cell& cell, std::size_t axis) const;

  /// Of those simulated, the furthest on along the ordered axes. REQUIRES: there is one.
  [[nodiscard]] Cell largest() const;

  /// Order of designs: by cost, then by how little of everything, then by place.
  using Key = std::tuple<double, double, Cell>;
  [[nodiscard]] Key key(const Cell& cell) const;
  /// The cheapest of those simulated that `fits`.
  template <class Fits>
  [[nodiscard]] std::optional<Cell> cheapest(const Fits& fits) const {
    std::optional<Cell> best;
    for (const auto& [cell, prediction] : seen_)
      if (fits(cell) && (!best || key(cell) < key(*best))) best = cell;
    return best;
  }

  /// Calls `use` with each cell that was simulated, is excluded, or is not a design.
  template <class Use>
  void for_known(const Use& use) const {
    for (const auto& [cell, prediction] : seen_) use(cell);
    for (const Cell& cell : proven_)
      if (!seen_.contains(cell)) use(cell);
    for (const Cell& cell : invalid_) use(cell);
  }

  [[nodiscard]] const std::map<Cell, Prediction>& seen() const { return seen_; }
  [[nodiscard]] std::map<Cell, Prediction> take() { return std::move(seen_); }
  [[nodiscard]] std::int64_t proven() const { return static_cast<std::int64_t>(proven_.size()); }
  [[nodiscard]] std::int64_t invalid() const { return static_cast<std::int64_t>(invalid_.size()); }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  /// Cells whose simulation lacks what is asked for, and what that is; they are no designs.
  [[nodiscard]] const std::map<Cell, Failure>& lacking() const { return lacking_; }
  /// Why the first cell that is none was not a valid design.
  [[nodiscard]] const std::optional<Failure>& fault() const { return fault_; }

 private:
  /// Those of `cells` that `visit` has to simulate.
  [[nodiscard]] std::vector<Cell> fresh_of(const std::vector<Cell>& cells, bool all);
  /// False on a failure.
  bool simulate(const std::vector<Cell>& cells);
  /// What bounds say of a cell; none of what is no valid design.
  std::optional<Standing> look(const Cell& cell);
  void exclude(const Cell& cell, Standing bound);
  void miss(const Cell& cell);
  /// `large` is at least as easy as `small`.
  [[nodiscard]] bool covers(const Cell& large, const Cell& small) const;

  const Problem& problem_;
  const Evaluate& evaluate_;
  std::map<Cell, Prediction> seen_;
  std::set<Cell> proven_, invalid_, unfit_;
  std::map<Cell, Failure> lacking_;
  std::vector<Cell> misses_;  ///< the largest only
  mutable std::map<Cell, double> costs_;
  std::optional<Failure> failure_, fault_;
};

}  // namespace stallcast::plan
