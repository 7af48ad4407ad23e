#pragma once

#include "stallcast/design.hpp"

namespace stallcast::testing {

/// A number in the base unit of `dimension`, as a field has it.
[[nodiscard]] inline Value number(double v, Dimension dimension) {
  Value value;
  value.dimension = dimension;
  value.number = v;
  return value;
}

}  // namespace stallcast::testing
