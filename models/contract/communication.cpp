#include "models/contract/communication.hpp"

#include <algorithm>

/// Equations and sources: docs/models/communication.md.
namespace stallcast::models {

Seconds StepTraffic::added(Seconds compute) const {
  // t = max(kappa min(T, W), T - W) + T_exposed,  W = window x compute: slowed compute hides longer
  const Seconds beside = compute * window, runs = hidden.time();
  return std::max(std::min(runs, beside) * slowdown, runs - beside) + exposed.time();
}

}  // namespace stallcast::models
