#include "engine/decide/plan/space.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace stallcast::plan {

std::size_t further(const Axis& axis, std::size_t i, double factor) {
  const double from = std::abs(axis.numbers[i]);
  std::size_t j = i + 1;
  const auto reached = [&](std::size_t k) {
    const double to = std::abs(axis.numbers[k]);
    return from > 0.0 && to > 0.0 ? std::max(to / from, from / to) >= factor : k >= 2 * i + 1;
  };
  // Numbers of an ordered axis rise or fall, so this may be bisected.
  std::size_t low = j, high = axis.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (reached(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return std::min(std::max(low, j), axis.size() - 1);
}

std::size_t nearer(const Axis& axis, std::size_t i, double factor) {
  const double from = std::abs(axis.numbers[i]);
  if (i == 0) return 0;
  std::size_t low = 0, high = i - 1;  // the last that is far enough
  const auto reached = [&](std::size_t k) {
    const double to = std::abs(axis.numbers[k]);
    return from > 0.0 && to > 0.0 ? std::max(to / from, from / to) >= factor : k <= i / 2;
  };
  while (low < high) {
    const std::size_t middle = low + (high - low + 1) / 2;
    if (reached(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

std::vector<std::string> texts_of(const std::vector<Axis>& axes, const Cell& cell) {
  std::vector<std::string> out;
  for (std::size_t a = 0; a < cell.size(); ++a) out.push_back(text_of(axes[a].values[cell[a]]));
  return out;
}

std::optional<Cell> present_of(const std::vector<Axis>& axes) {
  Cell out;
  for (const Axis& axis : axes) {
    if (!axis.present) return std::nullopt;
    out.push_back(*axis.present);
  }
  return out;
}

std::vector<Cell> grid(const std::vector<Axis>& axes, std::optional<std::size_t> along) {
  std::vector<Cell> out{Cell(axes.size(), 0)};
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (a == along) continue;
    std::vector<Cell> more;
    for (const Cell& cell : out)
      for (std::size_t i = 0; i < axes[a].size(); ++i) {
        more.push_back(cell);
        more.back()[a] = i;
      }
    out = std::move(more);
  }
  return out;
}

void tell_apart(std::vector<Axis>& axes) {
  std::map<std::string, int> times;
  for (const Axis& axis : axes) ++times[axis.about.noun];
  for (Axis& axis : axes) {
    PlanAxis& about = axis.about;
    const std::size_t id = about.owner.find(' ');
    if (id != std::string::npos && times[about.noun] > 1)
      about.noun += " of " + about.owner.substr(id + 1);
  }
}

}  // namespace stallcast::plan
