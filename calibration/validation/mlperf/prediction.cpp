#include "calibration/validation/mlperf/prediction.hpp"

#include <cmath>

#include "calibration/validation/mlperf/condition.hpp"

namespace stallcast::calibration::mlperf {
namespace {

/// How much wider logarithms spread where no row calibrates; squared for the accelerators, of which
/// data sheets say least.                                                              [eq. 19]
constexpr double kWithoutFit = 1.5;

PredictedFigure within(double value, double half_width) {
  return {value, value * std::exp(-half_width), value * std::exp(half_width)};
}

}  // namespace

Simulated with_intervals(const Submission& row, bool calibrated, double au, Seconds first_step) {
  const LawSpread& spread = row.system.workload->spread;
  const double wider = calibrated ? 1.0 : kWithoutFit;
  return {spread_utilization(au, wider * spread.lost_share),
          within(first_step.in(unit::s), wider * spread.first_step)};
}

RowPrediction predict(const Submission& row, const std::optional<SystemFit>& fit) {
  const System& system = row.system;
  const LawSpread& spread = system.workload->spread;
  const double wider = fit ? 1.0 : kWithoutFit;
  RowPrediction out;
  out.supply = fit ? supply_of_fit(system, *fit) : supply_of_sheet(system);
  out.accelerators = within(supported(system, out.supply), wider * wider * spread.accelerators);
  if (!row.accelerators) return out;
  const double n = *row.accelerators;
  const double steps = row.steps.value_or(steps_of(system, n));
  const double au = utilization(system, n, steps, out.supply);
  const double sd = wider * spread.lost_share;
  out.au_raw = spread_utilization(au, sd);
  out.au = given_published(au, system.workload->rules.bar, wider * spread.lost_share_centre, sd);
  out.first_step =
      within(first_step(system, n, steps, out.supply).in(unit::s), wider * spread.first_step);
  return out;
}

}  // namespace stallcast::calibration::mlperf
