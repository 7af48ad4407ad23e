#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stallcast/design.hpp"

/// The values of a design by the paths that `--set` takes.
namespace stallcast::explain {

/// base::values_of, to be changed.
[[nodiscard]] std::vector<std::pair<std::string, Value*>> inputs_of(Design& design);

}  // namespace stallcast::explain
