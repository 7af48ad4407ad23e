#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Points that fill a unit cube evenly: Latin hypercubes and Sobol's sequence.
namespace stallcast::sweep {

/// One row a point, one column a dimension; all in [0, 1).
using Samples = std::vector<std::vector<double>>;

inline constexpr std::size_t kSobolDimensions = 32;

/// The first `count` points of Sobol's sequence in `dimensions` <= kSobolDimensions, each in the
/// middle of its cell: with 2^m points every interval [k/2^m, (k+1)/2^m) of every dimension holds
/// one. `seed` 0 is the sequence itself; any other shifts all points by the same random bits
/// (exclusive or), which keeps that. The first n points of a longer sequence are those of a shorter
/// one up to the middle of the cell.
///
/// Source: direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
/// two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635-2654, file new-joe-kuo-6.21201
/// of https://web.maths.unsw.edu.au/~fkuo/sobol/; order of Antonov and Saleev (1979).
[[nodiscard]] Samples sobol(std::size_t count, std::size_t dimensions, std::uint64_t seed);

/// A Latin hypercube: in every dimension each of `count` equal intervals holds one point, at its
/// middle; which goes with which is drawn from `seed`.
///
/// Source: M. D. McKay, R. J. Beckman, W. J. Conover, "A Comparison of Three Methods for Selecting
/// Values of Input Variables", Technometrics 21 (1979) 239-245; the middle instead of a random
/// place, so that few samples lie evenly.
[[nodiscard]] Samples latin(std::size_t count, std::size_t dimensions, std::uint64_t seed);

}  // namespace stallcast::sweep
