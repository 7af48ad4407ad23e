#pragma once

#include <string>

#include "engine/base/quantity_text.hpp"
#include "stallcast/units.hpp"

/// Quantities as both reports of an observation print them.
namespace stallcast::report {

[[nodiscard]] inline std::string time_text(Seconds t) {
  return base::print_quantity(t.in(unit::s), Dimension::time);
}
[[nodiscard]] inline std::string size_text(Bytes b) {
  return base::print_quantity(b.in(unit::B), Dimension::bytes);
}

}  // namespace stallcast::report
