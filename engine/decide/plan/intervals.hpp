#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::plan {

/// `field` of the saves of `job` ("every" in seconds, or "every_steps") as `wanted`, in whole
/// minutes where there are many, else seconds; nullopt where it is not given, or is so.
[[nodiscard]] std::optional<Proposal> save_interval(const JobDesign& job, std::string_view field,
                                                    double wanted);

/// Other intervals of the saves of `job` than it has: the one that keeps most of its time in the
/// months that were replayed, and, where a target is missed and that is far off, the one halfway
/// there, which keeps nearly as much and leaves more to other targets, such as those on room.
/// REQUIRES: the prediction has the best interval.
[[nodiscard]] std::vector<Proposal> save_intervals(const JobDesign& job,
                                                   const Prediction& prediction);

}  // namespace stallcast::plan
