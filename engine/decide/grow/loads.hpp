#pragma once

#include <map>
#include <string>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::grow {

/// Of each resource what is asked of it, over what it can do: from 1 on it limits.
/// `p`: of `design`, simulated. [docs/models/growth.md, eq. 4]
[[nodiscard]] std::map<std::string, double> loads_of(const Design& design, const Prediction& p);

}  // namespace stallcast::grow
