#pragma once

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::predict {

/// The tenant that moves most of what a resource counts.
struct BusiestTenant {
  const Component* tenant = nullptr;  ///< of the design; none where no tenant moves anything
  double moved = 0.0;                 ///< in the unit of the resource
};

/// Of the tenants on the storage system that `use` is part of: bytes in the direction that it has,
/// in both where it has none, or operations on metadata where it counts operations.
[[nodiscard]] BusiestTenant busiest_tenant(const Design& design, const Prediction& prediction,
                                           const ResourceUse& use);

}  // namespace stallcast::predict
