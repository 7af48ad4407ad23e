#pragma once

#include <cstddef>
#include <vector>

#include "engine/decide/uncertain/known.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"

/// What a profile of observed runs says of inputs, as what is known before another run.
/// docs/models/uncertainty.md, "With a profile".
namespace stallcast::calibration {

struct ObservedBefore {
  uncertain::KnownDraws known;
  /// Of each of the profile's `narrowed` the input that it is: those of equal ranks are one.
  std::vector<std::size_t> input_of;
};

/// Whether all of the profile's `narrowed` have as many draws, and each a value to scale by.
[[nodiscard]] bool has_rows(const CalibrationProfile& profile);

/// What the draws of one input say of it. REQUIRES: there are some.
[[nodiscard]] uncertain::Prior prior_of(const NarrowedInput& input);

/// `design` is resolved with the profile: inputs have a place where its values are the profile's,
/// and those that it states otherwise, or has no part for, have none. REQUIRES: has_rows(profile).
[[nodiscard]] ObservedBefore observed_before(const CalibrationProfile& profile,
                                             const Design& design);

/// What was observed in runs of `design`, which is resolved with the profile.
[[nodiscard]] std::vector<SeenFigure> seen_before(const CalibrationProfile& profile,
                                                  const Design& design);

}  // namespace stallcast::calibration
