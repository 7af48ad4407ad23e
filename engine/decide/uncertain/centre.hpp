#pragma once

#include <functional>
#include <vector>

#include "engine/decide/uncertain/particles.hpp"

/// The one design that stands for a posterior. docs/models/uncertainty.md, "Given a run".
namespace stallcast::uncertain {

/// Simulates designs at rows of quantiles, as `moved` takes them; some may be missing from what it
/// gives.
using Simulate = std::function<std::vector<Particle>(std::vector<std::vector<double>>)>;

/// The least surprising of simulated places: half the squared distance of its scores from the
/// middles, less the logarithm of its likelihood, is least. Searched among `all`, the middles, the
/// inputs that matter most moved away from these one at a time or to where the likeliest of `all`
/// have them, and what expansions around the best of these point to. An input that explains nothing
/// stays at its middle, and of two explanations that fit alike the one that is nearer to what was
/// expected is taken. REQUIRES: every one of `all` has all figures, or none.
[[nodiscard]] Particle least_surprising(std::vector<Particle> all, const std::vector<Error>& errors,
                                        const Simulate& simulate);

}  // namespace stallcast::uncertain
