#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/decide/plan/cells.hpp"
#include "engine/decide/plan/space.hpp"

namespace stallcast::plan {

/// The lines of a grid: designs that differ along the longest ordered axis alone. A line is named
/// by its first cell.
class Lines {
 public:
  Lines(const Problem& problem, Cells& cells);

  /// The axis; none without ordered ones.
  [[nodiscard]] const std::optional<std::size_t>& along() const { return along_; }
  [[nodiscard]] std::size_t length() const {
    return along_ ? problem_.axes[*along_].size() : std::size_t{1};
  }
  [[nodiscard]] Cell at(const Cell& line, std::size_t i) const {
    Cell cell = line;
    if (along_) cell[*along_] = i;
    return cell;
  }

  /// Whether the cost never falls along a line, by samples at doubling distances.
  [[nodiscard]] bool rises(const Cell& line) const;
  /// How many designs of a line, from its first, are better than `best`.
  [[nodiscard]] std::size_t better(const Cell& line, const std::optional<Cell>& best) const;
  /// So many of the designs of `lines` better than `best` that nothing is known of and bounds do
  /// not exclude, evenly.
  [[nodiscard]] std::vector<Cell> left_out(const std::vector<Cell>& lines,
                                           const std::optional<Cell>& best, std::size_t most);
  /// Of the places from `first` to before `end` the one nearest to the middle that bounds do not
  /// exclude; none where that is so of all, or of very many.
  [[nodiscard]] std::optional<std::size_t> middle(const Cell& line, std::size_t first,
                                                  std::size_t end);

 private:
  const Problem& problem_;
  Cells& cells_;
  std::optional<std::size_t> along_;
};

}  // namespace stallcast::plan
