#pragma once

#include "scenarios/resolve/component_reader.hpp"
#include "stallcast/design.hpp"

namespace stallcast::scenarios {

/// Reads the whole structure of the tree. All faults are reported; what could be read is returned
/// for the checks that span components.
[[nodiscard]] Design resolve(ReadContext& context);

}  // namespace stallcast::scenarios
