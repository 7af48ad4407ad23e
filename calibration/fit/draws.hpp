#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace stallcast::calibration::fit {

/// A generator that gives the same numbers with every library (std::uniform_* do not).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  /// Between 0 and 1, never either.
  double part() {
    constexpr std::size_t kParts = 4096;
    return (static_cast<double>(below(kParts)) + 0.5) / kParts;
  }
  /// Normal, near enough: the sum of twelve parts.
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += part();
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stallcast::calibration::fit
