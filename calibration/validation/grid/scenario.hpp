#pragma once

#include <cstdint>

#include "calibration/validation/grid/draws.hpp"
#include "calibration/validation/grid/loader_fit.hpp"
#include "calibration/validation/grid/probe_files.hpp"
#include "calibration/validation/grid/row.hpp"
#include "calibration/validation/grid/store_fit.hpp"
#include "engine/base/jsonc.hpp"
#include "stallcast/scenario.hpp"

/// A row of the grid as a scenario: what the columns say, with the costs of the probes.
namespace stallcast::calibration::grid {

/// All that a row is predicted from.
struct Machine {
  const ProbeFiles& probes;
  const StoreFit& store;
  const LoaderFit& loader;
};

/// The scenario, complete.                        [docs/calibration-grid.md, eq. 15]
/// REQUIRES: the fits had no faults, and the format is in `probes.data`.
[[nodiscard]] Scenario scenario_of(const GridRow& row, const Machine& machine, const Draw& draw,
                                   std::uint64_t seed);

/// The storage of the scenario.
[[nodiscard]] base::Json storage_json(const GridRow& row, const Machine& machine, const Draw& draw);

}  // namespace stallcast::calibration::grid
