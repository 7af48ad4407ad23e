#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/design_values.hpp"
#include "models/contract/registry.hpp"
#include "models/contract/remedies.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

/// Who uses what a resource is of, and loses time there: changes for others are not tried.
namespace stallcast::plan {

/// A cause that costs less than this share of wall time is not worth a change of its job.
inline constexpr double kNoticeable = 0.001;

/// Share of the time of `job` that goes to a cause, as a breakdown names it.
[[nodiscard]] double share_of(const Prediction& prediction, const std::string& job,
                              std::string_view cause);

/// What `job` has of its parts that changes are made of: loader, data set, saves, recovery,
/// lending.
[[nodiscard]] const std::optional<Component>& part_of(const JobDesign& job, models::Role part);

/// Whether `job` reads or saves there.
[[nodiscard]] bool uses(const JobDesign& job, std::string_view storage);

/// Whether the loader or the checkpoints of `job` use the resource `name` and cost time.
[[nodiscard]] bool suffers(const JobDesign& job, const models::Remedy& remedy,
                           const base::ResourceName& name, const Prediction& prediction);

/// Whether somebody's data go this way, from or to the storage system that `name` is of.
[[nodiscard]] bool goes(models::Remedy::Way way, const base::ResourceName& name,
                        const Design& design, const Prediction& prediction);

}  // namespace stallcast::plan
