#pragma once

#include <string>
#include <vector>

#include "engine/decide/plan/designs.hpp"
#include "engine/decide/plan/space.hpp"
#include "stallcast/design.hpp"
#include "stallcast/result.hpp"

namespace stallcast::plan {

/// What `survive` names: "oss", "ost:scratch", "server:scratch:spread". Without a storage system,
/// that of the first axis which has one, else the first.
[[nodiscard]] Result<std::vector<PartDown>> make_outages(const std::vector<std::string>& survive,
                                                         const Design& design,
                                                         const std::vector<Axis>& axes,
                                                         const RedesignAll& redesign);

}  // namespace stallcast::plan
