#include "engine/decide/sweep/samples.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/random.hpp"

namespace stallcast::sweep {
namespace {

constexpr unsigned kBits = 32;

/// A primitive polynomial over GF(2), x^degree + ... + 1 with `middle` for the coefficients
/// between, and the first direction numbers.
struct Direction {
  unsigned degree;
  unsigned middle;
  std::array<std::uint32_t, 7> m;
};

/// Dimensions 2 to 32 of new-joe-kuo-6.21201 (S. Joe and F. Y. Kuo).
constexpr std::array<Direction, kSobolDimensions - 1> kDirections{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
}};

/// v_k = m_k / 2^k as a binary fraction of kBits.
std::array<std::uint32_t, kBits> direction_numbers(std::size_t dimension) {
  std::array<std::uint32_t, kBits> v{};
  if (dimension == 0) {  // van der Corput: all m are 1
    for (unsigned k = 0; k < kBits; ++k) v[k] = std::uint32_t{1} << (kBits - 1 - k);
    return v;
  }
  const Direction& d = kDirections[dimension - 1];
  const unsigned s = d.degree;
  for (unsigned k = 0; k < s; ++k) v[k] = d.m[k] << (kBits - 1 - k);
  // v_k = a_1 v_(k-1) ^ ... ^ a_(s-1) v_(k-s+1) ^ v_(k-s) ^ (v_(k-s) >> s)  [Joe and Kuo, eq. 2]
  for (unsigned k = s; k < kBits; ++k) {
    v[k] = v[k - s] ^ (v[k - s] >> s);
    for (unsigned j = 1; j < s; ++j)
      if (((d.middle >> (s - 1 - j)) & 1U) != 0) v[k] ^= v[k - j];
  }
  return v;
}

}  // namespace

Samples sobol(std::size_t count, std::size_t dimensions, std::uint64_t seed) {
  assert(dimensions <= kSobolDimensions);
  Samples out(count, std::vector<double>(dimensions));
  // Cells are 2^-cell_bits wide. Bits below are cut, for the middle of the cell.
  const unsigned cell_bits = count > 1 ? static_cast<unsigned>(std::bit_width(count - 1)) : 0;
  assert(cell_bits < kBits);
  const std::uint32_t cell = cell_bits == 0 ? 0 : ~std::uint32_t{0} << (kBits - cell_bits);
  const double half = std::ldexp(0.5, -static_cast<int>(cell_bits));
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto v = direction_numbers(d);
    const std::uint32_t shift =
        seed == 0
            ? 0
            : static_cast<std::uint32_t>(
                  base::RandomStream(seed, "sobol", "shift", d).below(std::uint64_t{1} << 32U));
    std::uint32_t x = 0;
    for (std::size_t i = 0; i < count; ++i) {
      // Gray code: point i differs from the one before in the lowest zero bit of i - 1.
      if (i > 0) x ^= v[static_cast<unsigned>(std::countr_one(i - 1))];
      out[i][d] = static_cast<double>((x ^ shift) & cell) * 0x1p-32 + half;
    }
  }
  return out;
}

Samples latin(std::size_t count, std::size_t dimensions, std::uint64_t seed) {
  Samples out(count, std::vector<double>(dimensions));
  std::vector<std::size_t> order(count);
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    base::RandomStream random(seed, "latin", "order", d);
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (std::size_t i = 0; i < count; ++i)
      out[i][d] = (static_cast<double>(order[i]) + 0.5) / static_cast<double>(count);
  }
  return out;
}

}  // namespace stallcast::sweep
