#pragma once

#include <string>

#include "calibration/validation/grid/loader_fit.hpp"
#include "calibration/validation/grid/probe_files.hpp"
#include "calibration/validation/grid/store_fit.hpp"

/// What the probes leave open: relative errors of parameters, and draws of them.
namespace stallcast::calibration::grid {

/// Standard deviations of the logarithms of parameters.        [docs/calibration-grid.md, eq. 16]
struct DrawSpread {
  double handover = 0.0, rate = 0.0, latency = 0.0, write = 0.0, boot = 0.0, snapshot = 0.0;
  double decode = 0.0, cpu = 0.0, queue = 0.0, memory = 0.0;
};

/// Factors to the same parameters; 1 each is the fit itself.
struct Draw {
  double handover = 1.0, rate = 1.0, latency = 1.0, write = 1.0, boot = 1.0, snapshot = 1.0;
  double decode = 1.0, cpu = 1.0, queue = 1.0, memory = 1.0;
};

[[nodiscard]] DrawSpread spread_of(const ProbeFiles& probes, const std::string& store,
                                   const StoreFit& fit, const LoaderFit& loader,
                                   Diagnostics& faults);

/// Draw `index` of `count`: each parameter takes the middle of each of `count` equally likely
/// ranges once, in an order of its own, so that few draws have the right median and tails. One draw
/// is the fit itself. The same arguments give the same draw.           [docs/calibration-grid.md,
/// eq. 17] REQUIRES: index < count.
[[nodiscard]] Draw draw(const DrawSpread& spread, int index, int count);

}  // namespace stallcast::calibration::grid
