#pragma once

#include <string>

#include "calibration/validation/mlperf/step_law.hpp"
#include "stallcast/scenario.hpp"

/// A row as a scenario: what the step law knows in closed form, simulated.
namespace stallcast::calibration::mlperf {

/// Whether the simulator has a field for everything the workload's law needs: where reading
/// processes fill queues (unet3d). What the TensorFlow loaders of the others lose has none.
[[nodiscard]] bool can_simulate(const System& system);

/// Steps of the simulated epoch: all, or as many as show the same.
[[nodiscard]] double simulated_steps(double steps);

/// A scenario, `name` in messages, of `system` with `accelerators`, one epoch of `steps`. The
/// clients' NICs, cores and memory are no limits other than those of `supply`.
/// [docs/validation-mlperf.md] REQUIRES: can_simulate(system).
[[nodiscard]] Scenario scenario_of(const System& system, double accelerators, double steps,
                                   const Supply& supply, const std::string& name);

}  // namespace stallcast::calibration::mlperf
