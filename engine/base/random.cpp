#include "engine/base/random.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "engine/base/split_mix.hpp"

namespace stallcast::base {
namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo; IETF draft-eastlake-fnv).
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) add_byte(static_cast<unsigned char>(c));
    add(bytes.size());  // "ab" + "c" is not "a" + "bc"
  }
  void add(std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      add_byte(static_cast<unsigned char>((number >> shift) & 0xFFU));
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) {
    value_ ^= byte;
    value_ *= 1099511628211U;
  }
  std::uint64_t value_ = 14695981039346656037U;
};

std::uint64_t rotate(std::uint64_t x, unsigned k) { return (x << k) | (x >> (64U - k)); }

/// Doubles in [0, 1) have 53 bits.
constexpr double kStep = 0x1p-53;

double open_uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;  // in (0, 1), never 0 or 1
}

// Coefficients of AS241 (PPND16), of the highest power first.
constexpr double kMiddleA[] = {2.5090809287301226727e+3, 3.3430575583588128105e+4,
                               6.7265770927008700853e+4, 4.5921953931549871457e+4,
                               1.3731693765509461125e+4, 1.9715909503065514427e+3,
                               1.3314166789178437745e+2, 3.3871328727963666080e+0};
constexpr double kMiddleB[] = {5.2264952788528545610e+3, 2.8729085735721942674e+4,
                               3.9307895800092710610e+4, 2.1213794301586595867e+4,
                               5.3941960214247511077e+3, 6.8718700749205790830e+2,
                               4.2313330701600911252e+1, 1.0};
constexpr double kTailC[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                             2.41780725177450611770e-1, 1.27045825245236838258e+0,
                             3.64784832476320460504e+0, 5.76949722146069140550e+0,
                             4.63033784615654529590e+0, 1.42343711074968357734e+0};
constexpr double kTailD[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                             1.51986665636164571966e-2, 1.48103976427480074590e-1,
                             6.89767334985100004550e-1, 1.67638483018380384940e+0,
                             2.05319162663775882187e+0, 1.0};
constexpr double kFarE[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                            1.24266094738807843860e-3, 2.65321895265761230930e-2,
                            2.96560571828504891230e-1, 1.78482653991729133580e+0,
                            5.46378491116411436990e+0, 6.65790464350110377720e+0};
constexpr double kFarF[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                            1.84631831751005468180e-5,  7.86869131145613259100e-4,
                            1.48753612908506148525e-2,  1.36929880922735805310e-1,
                            5.99832206555887937690e-1,  1.0};

/// `factor` times a quotient of polynomials, by Horner's rule side by side.
template <std::size_t n>
double quotient(double factor, const double (&above)[n], const double (&below)[n], double x) {
  double a = above[0], b = below[0];
#pragma GCC unroll 8
  for (std::size_t i = 1; i < n; ++i) {
    a = a * x + above[i];
    b = b * x + below[i];
  }
  return factor * a / b;
}

}  // namespace

double normal_quantile(double p) {
  assert(p > 0.0 && p < 1.0);
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return quotient(q, kMiddleA, kMiddleB, 0.180625 - q * q);
  // 1 - p is exact here, and the lower tail keeps its relative precision.
  const double r = std::sqrt(-std::log(q < 0.0 ? p : 1.0 - p));
  const double x =
      r <= 5.0 ? quotient(1.0, kTailC, kTailD, r - 1.6) : quotient(1.0, kFarE, kFarF, r - 5.0);
  return q < 0.0 ? -x : x;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view element, std::string_view purpose,
                           std::uint64_t index)
    : state_{} {
  Hash hash;
  hash.add(seed);
  hash.add(element);
  hash.add(purpose);
  hash.add(index);
  std::uint64_t x = hash.value();
  for (std::uint64_t& word : state_) word = split_mix(x);
}

/// xoshiro256** (Blackman, Vigna 2018).
std::uint64_t RandomStream::next() {
  const std::uint64_t out = rotate(state_[1] * 5U, 7) * 9U;
  const std::uint64_t t = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotate(state_[3], 45);
  return out;
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11U) * kStep; }

std::uint64_t RandomStream::below(std::uint64_t count) {
  assert(count > 0);
  // The last, incomplete run of `count` numbers would favour the small ones.
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t excess = (largest % count + 1) % count;
  std::uint64_t draw = next();
  while (draw > largest - excess) draw = next();
  return draw % count;
}

double RandomStream::normal() { return normal_quantile(open_uniform(next())); }

double RandomStream::lognormal(double mean, double cv) { return lognormal_max(mean, cv, 1.0); }

LognormalSpread::LognormalSpread(double cv)
    : sigma_(std::sqrt(std::log1p(cv * cv))), half_variance_(std::log1p(cv * cv) / 2.0) {
  assert(cv >= 0.0);
}

double RandomStream::lognormal_max(double mean, const LognormalSpread& spread, double count) {
  assert(mean >= 0.0 && count >= 1.0);
  const double u = open_uniform(next());  // drawn in every case: later draws do not shift
  if (mean == 0.0 || spread.sigma_ == 0.0) return mean;
  // The largest of n has the distribution function F^n, so its quantile at u is that of F at
  // u^(1/n); near 1 the complement keeps the digits.
  double z = 0.0;
  if (count == 1.0) {
    z = normal_quantile(u);
  } else {
    const double log_p = std::log(u) / count;
    const double p = std::exp(log_p);
    z = p < 0.5 ? normal_quantile(p) : -normal_quantile(-std::expm1(log_p));
  }
  // The mean is a factor, not a logarithm in the exponent: twice the mean is twice the draw to the
  // last bit.
  return mean * std::exp(spread.sigma_ * z - spread.half_variance_);
}

// E M^p is the integral of e^(p (s z - s^2 / 2)) over n F(z)^(n-1) f(z), F and f of a standard
// normal variable; sums at even steps of what dies away like that are exact to rounding.
LargestOfLognormals largest_of_lognormals(double cv, double count) {
  assert(cv >= 0.0 && count >= 1.0);
  constexpr double kStep = 1.0 / 16.0, kEnd = 12.0;
  const double sigma = std::sqrt(std::log1p(cv * cv));
  double weights = 0.0, first = 0.0, second = 0.0;
  for (double z = -kEnd; z <= kEnd + 2.0 * sigma; z += kStep) {
    const double below = std::erfc(-z / std::numbers::sqrt2) / 2.0;
    const double weight = std::pow(below, count - 1.0) * std::exp(-z * z / 2.0);
    const double value = std::exp(sigma * z - sigma * sigma / 2.0);
    weights += weight, first += weight * value, second += weight * value * value;
  }
  const double mean = first / weights;
  return {mean, std::sqrt(std::max(0.0, second / weights / (mean * mean) - 1.0))};
}

}  // namespace stallcast::base
