#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/decide/sweep/store.hpp"
#include "stallcast/client.hpp"
#include "stallcast/diagnostic.hpp"
#include "ui/app/sweep_file.hpp"

/// From a scenario and what is varied to the plan of a sweep.
namespace stallcast::client {

/// Resolves the design of every point. All faults of all points go to `faults`, at the value that
/// makes them where it has a place; nullopt when one is an error. `seed` and `replicas` become part
/// of the designs, so that all points have the same seeds.
[[nodiscard]] std::optional<sweep::SweepPlan> plan_sweep(const SweepRequest& request,
                                                         Diagnostics& faults);

/// What `sweep` would refuse of what the scenario itself varies, each at its place. Of many points
/// some are looked at, each listed value once. REQUIRES: `scenario` is ok().
void add_sweep_faults(const Scenario& scenario, Diagnostics& out);

/// What the store of the sweep at `path` has, with the parts of shards next to it; "" has none.
[[nodiscard]] Result<SweepReport> read_sweep(const sweep::Store& store, const std::string& path);

/// Puts draw i of what a calibration profile leaves uncertain into a design; none without one.
[[nodiscard]] Result<std::function<void(Design&, std::size_t)>> draws_of(const sweep::Store& store);

}  // namespace stallcast::client
