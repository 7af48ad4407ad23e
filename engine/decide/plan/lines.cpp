#include "engine/decide/plan/lines.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stallcast::plan {
namespace {

/// Designs of which it is asked, at one time, whether bounds exclude them.
constexpr std::size_t kMostLooked = 1000;

}  // namespace

Lines::Lines(const Problem& problem, Cells& cells) : problem_(problem), cells_(cells) {
  const std::vector<Axis>& axes = problem.axes;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (axes[a].about.ordered && (!along_ || axes[a].size() > axes[*along_].size())) along_ = a;
}

bool Lines::rises(const Cell& line) const {
  double before = std::get<0>(cells_.key(line));
  for (std::size_t i = 1; i < length(); i = std::max(i + 1, 2 * i)) {
    const double cost = std::get<0>(cells_.key(at(line, i)));
    if (cost < before) return false;
    before = cost;
  }
  return std::get<0>(cells_.key(at(line, length() - 1))) >= before;
}

std::size_t Lines::better(const Cell& line, const std::optional<Cell>& best) const {
  if (!best) return length();
  const Cells::Key limit = cells_.key(*best);
  std::size_t low = 0, high = length();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (cells_.key(at(line, middle)) < limit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::vector<Cell> Lines::left_out(const std::vector<Cell>& lines, const std::optional<Cell>& best,
                                  std::size_t most) {
  std::vector<std::pair<const Cell*, std::size_t>> parts;  // line, how many of it
  std::size_t total = 0;
  for (const Cell& line : lines)
    if (const std::size_t n = better(line, best); n > 0) {
      parts.emplace_back(&line, n);
      total += n;
    }
  const std::size_t step = std::max<std::size_t>(1, total / std::max(kMostLooked, most));
  std::vector<Cell> open;
  std::size_t before = 0;  // of all that are better
  for (const auto& [line, n] : parts) {
    for (std::size_t i = (step - before % step) % step; most > 0 && i < n; i += step)
      if (Cell cell = at(*line, i); !cells_.known(cell) && !cells_.excluded(cell))
        open.push_back(std::move(cell));
    before += n;
  }
  if (open.size() <= most) return open;
  std::vector<Cell> out;
  for (std::size_t k = 0; k < most; ++k)
    out.push_back(std::move(open[(2 * k + 1) * open.size() / (2 * most)]));
  return out;
}

std::optional<std::size_t> Lines::middle(const Cell& line, std::size_t first, std::size_t end) {
  const std::size_t half = first + (end - first) / 2;
  const auto open = [&](std::size_t i) { return !cells_.excluded(at(line, i)); };
  for (std::size_t i = half; i < end && i < half + kMostLooked; ++i)
    if (open(i)) return i;
  for (std::size_t i = half; i > first && i + kMostLooked > half; --i)
    if (open(i - 1)) return i - 1;
  return std::nullopt;
}

}  // namespace stallcast::plan
