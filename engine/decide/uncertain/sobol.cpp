#include "engine/decide/uncertain/sobol.hpp"

#include <boost/random/sobol.hpp>
#include <cassert>

#include "engine/base/split_mix.hpp"

namespace stallcast::uncertain {
namespace {

std::uint32_t reversed_bits(std::uint32_t x) {
  x = ((x & 0x55555555U) << 1U) | ((x >> 1U) & 0x55555555U);
  x = ((x & 0x33333333U) << 2U) | ((x >> 2U) & 0x33333333U);
  x = ((x & 0x0F0F0F0FU) << 4U) | ((x >> 4U) & 0x0F0F0F0FU);
  x = ((x & 0x00FF00FFU) << 8U) | ((x >> 8U) & 0x00FF00FFU);
  return (x << 16U) | (x >> 16U);
}

/// Flips each bit or not, as `seed` and all higher bits say. Bits are reversed, since sums and
/// products carry from low to high.
std::uint32_t scrambled(std::uint32_t x, std::uint32_t seed) {
  x = reversed_bits(x);
  x ^= x * 0x3D20ADEAU;
  x += seed;
  x *= (seed >> 16U) | 1U;
  x ^= x * 0x05526C56U;
  x ^= x * 0x53A22864U;
  return reversed_bits(x);
}

double cell_centre(std::uint32_t x) { return (static_cast<double>(x) + 0.5) * 0x1p-32; }

}  // namespace

std::vector<std::vector<double>> scrambled_sobol(std::size_t n, std::size_t dims,
                                                 std::uint64_t seed) {
  std::vector<std::vector<double>> points(n, std::vector<double>(dims));
  if (n == 0 || dims == 0) return points;
  assert(n < (std::size_t{1} << 32U));

  std::vector<std::uint32_t> seeds;
  for (std::size_t d = 0; d < dims; ++d)
    seeds.push_back(static_cast<std::uint32_t>(base::split_mix(seed) >> 32U));

  // Boost leaves out the first point, the origin; without it the cells are not all met.
  for (std::size_t d = 0; d < dims; ++d) points[0][d] = cell_centre(scrambled(0, seeds[d]));
  boost::random::sobol_engine<std::uint32_t, 32> sobol(dims);
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t d = 0; d < dims; ++d) points[i][d] = cell_centre(scrambled(sobol(), seeds[d]));
  return points;
}

}  // namespace stallcast::uncertain
