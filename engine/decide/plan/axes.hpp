#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/decide/plan/designs.hpp"
#include "engine/decide/plan/space.hpp"
#include "models/bounds/bounds.hpp"
#include "stallcast/design.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"

/// From what a user wants searched to the axes of the search.
namespace stallcast::plan {

/// The axes of `spec`; what the bounds study of the storage system when it names none. Along one
/// that is to be maximized values fall. `unreadable` gets which of the listed values of an axis
/// that is refused cannot be read.
[[nodiscard]] Result<std::vector<Axis>> make_axes(const PlanSpec& spec, const Design& design,
                                                  const models::Bounds& bounds,
                                                  const RedesignAll& redesign,
                                                  std::optional<std::size_t>* unreadable = nullptr);

}  // namespace stallcast::plan
