#pragma once

#include <functional>
#include <vector>

/// Minimisation without derivatives.
namespace stallcast::calibration::fit {

/// Nelder and Mead's simplex (1965; reflection 1, expansion 2, contraction and shrinking 1/2) from
/// `start`, its other corners `step` away along each axis; ends after `evaluations` of `loss`, or
/// when the corners agree within 1e-4. Deterministic. Returns the best point. REQUIRES: `start`
/// not empty.
[[nodiscard]] std::vector<double> minimise(
    const std::function<double(const std::vector<double>&)>& loss, const std::vector<double>& start,
    double step, int evaluations);

}  // namespace stallcast::calibration::fit
