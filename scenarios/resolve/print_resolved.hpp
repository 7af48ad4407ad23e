#pragma once

#include <string>

#include "stallcast/design.hpp"

namespace stallcast::scenarios {

/// The resolved scenario as strict JSON a person can read and run again; with `provenance` each
/// value is followed by a comment that says who set it.
[[nodiscard]] std::string print_resolved(const Design& design, bool provenance);

}  // namespace stallcast::scenarios
