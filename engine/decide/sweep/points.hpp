#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/sweep.hpp"

/// From what is varied to the points.
namespace stallcast::sweep {

inline constexpr std::size_t kMostPoints = 1'000'000;

/// The values of all axes, in their order.
using Point = std::vector<SweepValue>;

/// The points of `spec` in a fixed order; those of a product count up in the last axis first.
/// Samples of ranges lie between the ends, those of lists take each value equally often; `seed` is
/// that of the sampling. Points that are the same twice, because values were rounded, are left out.
/// Faults (lists of different lengths to zip, a range without n, too many points) go to `diags`.
[[nodiscard]] std::vector<Point> points_of(const SweepSpec& spec, std::uint64_t seed,
                                           Diagnostics& diags);

}  // namespace stallcast::sweep
