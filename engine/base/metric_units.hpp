#pragma once

#include <string>

#include "stallcast/design.hpp"

namespace stallcast::base {

/// "B", "s", "ratio", "USD/s": the base unit of a dimension, as metrics and reports name it;
/// "count" for plain numbers, "" for what is not a number.
[[nodiscard]] std::string unit_of(Dimension dimension);

}  // namespace stallcast::base
