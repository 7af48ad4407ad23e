#pragma once

#include <string>

#include "calibration/validation/mlperf/step_law.hpp"

/// A row as a scenario: what the step law knows in closed form, simulated.
namespace stallcast::calibration::mlperf {

/// Whether the simulator has a field for everything the workload's law needs: where reading
/// processes fill queues (unet3d). What the TensorFlow loaders of the others lose has none.
[[nodiscard]] bool can_simulate(const System& system);

/// Steps of the simulated epoch: all, or as many as show the same.
[[nodiscard]] double simulated_steps(double steps);

/// The text of a scenario of `system` with `accelerators`, one epoch of `steps`. The clients' NICs,
/// cores and memory limit no further than those of `supply`.      [docs/validation-mlperf.md]
/// REQUIRES: can_simulate(system).
[[nodiscard]] std::string scenario_of(const System& system, double accelerators, double steps,
                                      const Supply& supply);

}  // namespace stallcast::calibration::mlperf
