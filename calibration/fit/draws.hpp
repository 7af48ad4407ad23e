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

 private:
  std::mt19937_64 engine_;
};

}  // namespace stallcast::calibration::fit
