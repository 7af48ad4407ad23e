#pragma once

#include <cstdint>
#include <string_view>

/// Random numbers that do not depend on the order in which other parts draw: one stream per
/// (seed, element, purpose). Two designs that differ in one number see the same draws everywhere
/// else.
namespace stallcast::base {

/// What a lognormal draw needs of its coefficient of variation.
class LognormalSpread {
 public:
  explicit LognormalSpread(double cv);

 private:
  friend class RandomStream;
  double sigma_, half_variance_;  // of the logarithm
};

class RandomStream {
 public:
  /// The same arguments give the same numbers, on every machine and with every library version.
  RandomStream(std::uint64_t seed, std::string_view element, std::string_view purpose,
               std::uint64_t index = 0);

  /// Uniform in [0, 1).
  double uniform();
  /// Uniform in 0 .. count-1. REQUIRES: count > 0.
  std::uint64_t below(std::uint64_t count);
  /// Standard normal.
  double normal();
  /// Lognormal with the given mean and coefficient of variation (standard deviation / mean).
  double lognormal(double mean, double cv);
  /// The largest of `count` (>= 1, may be fractional) independent lognormal draws, from one uniform
  /// number: the quantile at u^(1/count).
  double lognormal_max(double mean, double cv, double count) {
    return lognormal_max(mean, LognormalSpread(cv), count);
  }
  /// The same for those who draw often with one coefficient of variation.
  double lognormal_max(double mean, const LognormalSpread& spread, double count);

 private:
  std::uint64_t next();
  std::uint64_t state_[4];
};

/// Of the largest of `count` (>= 1, may be fractional) independent lognormal draws of mean 1 and
/// coefficient of variation `cv`.
struct LargestOfLognormals {
  double mean = 1.0;
  double cv = 0.0;
};
[[nodiscard]] LargestOfLognormals largest_of_lognormals(double cv, double count);

/// Inverse of the standard normal distribution function, relative error about 1e-16 (0 < p < 1).
/// Source: Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988).
[[nodiscard]] double normal_quantile(double p);

}  // namespace stallcast::base
