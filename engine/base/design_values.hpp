#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stallcast/design.hpp"

namespace stallcast::base {

/// Every value of a design with the path `--set` takes, in the order of the scenario.
[[nodiscard]] std::vector<std::pair<std::string, const Value*>> values_of(const Design& design);

/// "storage.scratch.ost.count" from "storage[scratch].ost.count": how metrics and people write it.
[[nodiscard]] std::string plain_path(std::string_view path);

}  // namespace stallcast::base
