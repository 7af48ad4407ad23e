#include "calibration/validation/mlperf/prediction.hpp"

namespace stallcast::calibration::mlperf {

LawPrediction predict_by_law(const Submission& row, const std::optional<SystemFit>& fit) {
  const System& system = row.system;
  const Supply supply = fit ? supply_of_fit(system, *fit) : supply_of_sheet(system);
  LawPrediction out;
  out.accelerators = supported(system, supply);
  if (!row.accelerators) return out;
  const double n = *row.accelerators;
  const double steps = row.steps.value_or(steps_of(system, n));
  out.au = utilization(system, n, steps, supply);
  out.first_step = first_step(system, n, steps, supply);
  return out;
}

}  // namespace stallcast::calibration::mlperf
