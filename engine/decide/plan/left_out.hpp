#pragma once

#include <string>
#include <vector>

#include "engine/decide/plan/designs.hpp"
#include "engine/decide/plan/space.hpp"

namespace stallcast::plan {

/// What a search left out, and why: values that were listed and make no design beside the other
/// values of `shown`, and designs whose simulation has no figure that a target or the objective is
/// of.
[[nodiscard]] std::vector<std::string> notes_of_left_out(Designs& designs, const Search& search,
                                                         const Cell& shown);

}  // namespace stallcast::plan
