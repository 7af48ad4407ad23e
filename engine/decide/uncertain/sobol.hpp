#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stallcast::uncertain {

/// `n` points that fill the unit cube of `dims` dimensions evenly: the Sobol sequence from its
/// first point on, with Owen's nested uniform scrambling, each dimension by its own numbers from
/// `seed`. Along every dimension each of the first 2^k points has one of 2^k equal cells to itself,
/// and the mean over the points of a function of them is an unbiased estimate of its integral.
///
/// Coordinates have 32 bits and are centres of cells of 2^-32: never 0 or 1. The same arguments
/// give the same points on every machine; more points or more dimensions keep those there were.
/// An n that is a power of two is best.
///
/// Sources: Joe and Kuo 2008 (direction numbers); Owen 1995 (scrambling), by the hash of Laine and
/// Karras 2011 as in Burley 2020, "Practical Hash-based Owen Scrambling", JCGT 9(4), with the
/// constants of Vegdahl 2021, "Building a better LK hash", under which the halves of halves are
/// swapped independently.
///
/// REQUIRES: n < 2^32, dims <= 3667.
[[nodiscard]] std::vector<std::vector<double>> scrambled_sobol(std::size_t n, std::size_t dims,
                                                               std::uint64_t seed);

}  // namespace stallcast::uncertain
