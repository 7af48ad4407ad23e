#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"

/// Ranges as scenarios write them.
namespace stallcast::calibration::mlperf {

/// What may be from `low` to `high` times `value`, nine times in ten.
struct Guess {
  double value = 0.0, low = 1.0, high = 1.0;
};

/// A count of what there is at least one of.
[[nodiscard]] inline auto whole(double value) { return std::llround(std::max(value, 1.0)); }

[[nodiscard]] inline std::string with_unit(double value, const std::string& unit) {
  return base::significant(value, 6) + " " + unit;
}

[[nodiscard]] inline base::Json between(double value, double low, double high,
                                        const std::string& unit, const std::string& why) {
  if (low == high) return with_unit(value, unit);
  return {{"value", with_unit(value, unit)},
          {"low", with_unit(low, unit)},
          {"high", with_unit(high, unit)},
          {"why", why}};
}

[[nodiscard]] inline base::Json spread(const Guess& guess, const std::string& unit,
                                       const std::string& why, double times = 1.0) {
  const double middle = times * guess.value;
  return between(middle, middle * guess.low, middle * guess.high, unit, why);
}

}  // namespace stallcast::calibration::mlperf
