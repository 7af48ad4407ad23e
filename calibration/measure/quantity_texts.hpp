#pragma once

#include <string>

#include "engine/base/quantity_text.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Quantities as a scenario takes them, without loss.
namespace stallcast::calibration {

[[nodiscard]] inline std::string text(Seconds t) {
  return base::exact_quantity(t.in(unit::s), Dimension::time);
}
[[nodiscard]] inline std::string text(Bytes b) {
  return base::exact_quantity(b.in(unit::B), Dimension::bytes);
}
[[nodiscard]] inline std::string text(Rate r) {
  return base::exact_quantity(r.in(unit::Bps), Dimension::rate);
}
[[nodiscard]] inline std::string text(OpRate r) {
  return base::exact_quantity(r.in(unit::per_s), Dimension::op_rate);
}
[[nodiscard]] inline std::string text(Fraction share) {
  return base::exact_quantity(share.in(unit::ratio), Dimension::ratio);
}

/// A figure that was measured, without digits that say nothing: five of them.
template <class Tag>
[[nodiscard]] Quantity<Tag> five_digits(Quantity<Tag> value) {
  constexpr Unit<Tag> kBase{1.0};
  return Quantity<Tag>::from(base::rounded_to(value.in(kBase), 5), kBase);
}

}  // namespace stallcast::calibration
