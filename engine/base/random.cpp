#include "engine/base/random.hpp"

#include <cassert>
#include <cmath>
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

/// Acklam's approximation for p <= 0.5, relative error below 1.15e-9.
double lower_quantile(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                          6.680131188771972e+01, -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                          3.754408661907416e+00};
  constexpr double kTail = 0.02425;
  if (p < kTail) {
    const double q = std::sqrt(-2.0 * std::log(p));
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
  }
  const double q = p - 0.5;
  const double r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
}

}  // namespace

double normal_quantile(double p) {
  assert(p > 0.0 && p < 1.0);
  // 1 - p is exact here, and the lower tail keeps its relative precision.
  if (p > 0.5) return -normal_quantile(1.0 - p);
  const double x = lower_quantile(p);
  const double density = std::exp(-x * x / 2.0) / std::sqrt(2.0 * std::numbers::pi);
  if (density < std::numeric_limits<double>::min()) return x;
  const double excess = std::erfc(-x / std::numbers::sqrt2) / 2.0 - p;
  return x - excess / density;
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

double RandomStream::lognormal_max(double mean, double cv, double count) {
  assert(mean >= 0.0 && cv >= 0.0 && count >= 1.0);
  const double u = open_uniform(next());  // drawn in every case: later draws do not shift
  if (mean == 0.0 || cv == 0.0) return mean;
  // The largest of n has the distribution function F^n, so its quantile at u is that of F at
  // u^(1/n); near 1 the complement keeps the digits.
  const double log_p = std::log(u) / count;
  const double p = std::exp(log_p);
  const double z = p < 0.5 ? normal_quantile(p) : -normal_quantile(-std::expm1(log_p));
  // The mean is a factor, not a logarithm in the exponent: twice the mean is twice the draw to the
  // last bit.
  const double variance = std::log1p(cv * cv);
  return mean * std::exp(std::sqrt(variance) * z - variance / 2.0);
}

}  // namespace stallcast::base
