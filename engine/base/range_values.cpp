#include "engine/base/range_values.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"

namespace stallcast::base {
double whole_steps(const SweepRange& range) {
  return std::floor(std::abs(range.to - range.from) / range.step * (1.0 + 1e-12));
}

double number_at(const SweepRange& range, double u) {
  const double x = range.log ? range.from * std::pow(range.to / range.from, u)
                             : range.from + u * (range.to - range.from);
  if (range.step > 0.0) {
    const double steps =
        std::min(whole_steps(range), std::round(std::abs(x - range.from) / range.step));
    // Six steps of 0.1 are 0.6, not 0.6000000000000001.
    return rounded_to(range.from + std::copysign(steps * range.step, range.to - range.from), 15);
  }
  return u <= 0.0 ? range.from : u >= 1.0 ? range.to : rounded_to(x, 6);
}

Setting value_at(const SweepRange& range, double u) {
  if (range.step <= 0.0 && (u <= 0.0 || u >= 1.0)) return range.exact[u >= 1.0 ? 1 : 0];
  return Amount{number_at(range, u), range.unit};
}

}  // namespace stallcast::base
