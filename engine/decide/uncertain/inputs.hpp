#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/decide/uncertain/prior.hpp"
#include "stallcast/design.hpp"
#include "stallcast/uncertainty.hpp"

/// What of a design is not exact, and designs with other values there.
namespace stallcast::uncertain {

/// A value of a design: its component, in the order of base::for_each_component, and its key.
struct ValuePlace {
  std::size_t component = 0;
  std::string key;
  Prior prior;
};

/// An input and all values that it is: each is at the same quantile of its prior.
struct Input {
  UncertainInput said;
  std::vector<ValuePlace> places;
};

/// The quantile of an input that is as the design says it.
inline constexpr double kAsStated = 0.5;

/// The inputs of `design` with a range, but for those a profile draws jointly. Values of
/// one kind with the same figure and range are one, and so are ceilings of one sort that are stated
/// of one product: what its rates deliver of what is stated is one thing.
[[nodiscard]] std::vector<Input> inputs_of(const Design& design);

/// How many values with a range a profile draws jointly.
[[nodiscard]] std::size_t fitted_count(const Design& design);

/// `design` with its inputs at the quantiles `point` (each above 0 and below 1) of their priors.
/// REQUIRES: `point` has as many coordinates as there are inputs.
[[nodiscard]] Design drawn(const Design& design, std::span<const Input> inputs,
                           std::span<const double> point);

/// The same, but inputs at one half stay as `design` says them: a default that can only be too good
/// has another middle than itself.
[[nodiscard]] Design moved(const Design& design, const std::vector<Input>& inputs,
                           const std::vector<double>& point);

}  // namespace stallcast::uncertain
