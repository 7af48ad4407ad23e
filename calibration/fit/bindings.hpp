#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/uncertainty.hpp"

namespace stallcast::calibration {

/// One row: this parameter of this fit is that field of a scenario.
struct Binding {
  std::string_view series;     ///< id of the fit
  std::string_view parameter;  ///< of its law; "law" for the law itself
  std::string_view role, kind, field;
  Dimension dimension;
  double factor = 1.0;  ///< field over parameter: 2 where a round trip takes both ways
  /// The field where the law has no such parameter; none: the field stays as it is.
  std::optional<double> absent = std::nullopt;
};

/// Fits of `profile` that were refused, and would have set fields.
[[nodiscard]] std::vector<const Fit*> refused_with_fields(const CalibrationProfile& profile);
/// Of inputs that a refused fit of `profile` would have set, what to measure says so: measuring
/// them once more as before is no answer.
void tell_refused(const CalibrationProfile& profile, const Design& design, Uncertainty& of);
/// All rows; docs/calibration.md shows the same table. Earlier rows go before later ones.
[[nodiscard]] std::span<const Binding> bindings();

/// The scenario fields that `fit` decides: one row of the table per parameter and field.
[[nodiscard]] std::vector<ProfileValue> values_of(const Fit& fit);

/// The fields that all of `fits` decide. Where several fits decide a field, the first of the table
/// that was not refused decides all it can and the others nothing: the parameters of two laws never
/// mix.
[[nodiscard]] std::vector<ProfileValue> values_of(const std::vector<Fit>& fits);

}  // namespace stallcast::calibration
