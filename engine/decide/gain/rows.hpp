#pragma once

#include <functional>
#include <map>
#include <string>

#include "stallcast/prediction.hpp"

namespace stallcast::gain {

/// What `after` gains over `before`: of the time of jobs or tenants, or, of a metric that is a
/// time, of that.
[[nodiscard]] Gain gain_between(const Prediction& before, const Prediction& after,
                                const std::string& of);

/// What a part gains by its `gain` with one seed and with another: one that only one of them shows
/// is none. Where histories of failures tell it, there are twice as many then.
[[nodiscard]] Gain mean_of_seeds(Gain gain, const Gain& other, double noise);

/// Puts each of `gains`, by part, into the row of `prediction` that it is told at, the resource of
/// the part (`part_of`) that is blamed most, or into a row of its own where it has none and is no
/// less than `noise`; ranks the rows by gain. docs/models/blame.md.
void put_into_rows(Prediction& prediction, const std::map<std::string, Gain>& gains, double noise,
                   const std::function<std::string(const std::string& resource)>& part_of);

}  // namespace stallcast::gain
