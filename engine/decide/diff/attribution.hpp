#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/decide/diff/change_list.hpp"
#include "stallcast/diff.hpp"
#include "stallcast/result.hpp"

/// Who moved a metric: designs between two, each to be simulated, and what follows from them.
namespace stallcast::diff {

/// Why a design cannot be built; "" when it can.
using FaultOf = std::function<std::string(const Design&)>;

/// The designs an attribution needs.
struct Experiment {
  Attribution method = Attribution::none;
  std::vector<InputStep> changes;  ///< those that make no valid design apart are one; targets last
  std::vector<std::uint64_t> masks;  ///< for `apply`: first the base, then the head, then the rest
  std::vector<std::string> notes;
};

/// Chooses what to simulate. With `wanted` none, and when nothing can be shared, that is the base
/// and the head. Shapley with more than kMostShapley changes is a failure with bad_input.
[[nodiscard]] Result<Experiment> arrange(const Design& base, const Design& head,
                                         std::vector<InputStep> changes, Attribution wanted,
                                         const FaultOf& fault);

/// Metrics of one design; nullptr when it was not simulated to its end.
using Figures = const std::map<std::string, Metric>*;

/// The shares of every metric that all designs have. `figures` are in the order of the masks.
///
/// Shapley: phi_i = sum over S without i of |S|! (n-|S|-1)! / n! (v(S + i) - v(S))
/// [Shapley 1953, A value for n-person games, in Contributions to the Theory of Games II, p. 307].
[[nodiscard]] Attributed attribute(const Experiment& experiment, std::span<const Figures> figures);

}  // namespace stallcast::diff
