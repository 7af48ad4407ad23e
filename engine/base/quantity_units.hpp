#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/design.hpp"

/// The units people may write, one table for reading and printing. Private to engine/base.
namespace stallcast::base {
struct ParsedQuantity;
}  // namespace stallcast::base

namespace stallcast::base::detail {

/// One spelling of one unit. The value in base units is number * 10^shift * factor / divisor; the
/// power of ten is applied to the decimal text, so "850 ms" is the double nearest to 0.85.
struct UnitText {
  std::string_view text;
  Dimension dimension;
  int shift = 0;
  double factor = 1.0;
  double divisor = 1.0;
  bool canonical = true;  ///< used when writing; false for other spellings
};

/// All rows; those of one dimension are together, from the smallest to the largest unit.
[[nodiscard]] std::span<const UnitText> all_units();
/// The rows of `dimension`; empty for booleans and texts.
[[nodiscard]] std::span<const UnitText> units_of(Dimension dimension);

/// A decimal number at the start of a text.
struct NumberText {
  std::string_view mantissa;  ///< "-2.50"
  int exponent = 0;           ///< of ten
  std::string_view rest;      ///< what follows
};

/// Nothing when `text` does not start with a decimal number.
[[nodiscard]] std::optional<NumberText> read_number(std::string_view text);

/// "200.5 ms" of "200,5 ms"; nothing of groups of three digits, which those of "1,000 GB" may be.
[[nodiscard]] std::optional<std::string> with_decimal_point(std::string_view text);

/// The value in base units; infinity when out of range.
[[nodiscard]] double in_base(const NumberText& number, const UnitText& unit);

/// The double nearest to a decimal number in the grammar of JSON; infinite when too large, 0 when
/// too small. Does not depend on the locale.
[[nodiscard]] double decimal_value(std::string_view text);

/// Bytes, or bytes a second, of one "Gib", "Gibit", "Gib/s", "Gibit/s" or "Gibps": bits with a
/// binary prefix, which no dimension has; nullopt of other units.
[[nodiscard]] std::optional<double> binary_bits(std::string_view unit);

/// Of `known` units that differ from `unit` in case those that agree in its "b", where its case is
/// mixed: "KB/s" means bytes and "Kb/s" bits, but "gb/s" may be either. All where none agrees.
[[nodiscard]] std::vector<std::string_view> with_its_b(std::string_view unit,
                                                       std::vector<std::string_view> known);

/// In quotes; long input is cut so that messages stay on a line.
[[nodiscard]] std::string shown(std::string_view text);

/// A duration in parts, "1 h 13 min", in s, or what is wrong with its parts; nullopt of a text that
/// is none.
[[nodiscard]] std::optional<ParsedQuantity> parse_parts(std::string_view text);
/// The last unit of parts that a text begins with, "min" of "1 h 13 min +- 10 %"; nullptr of any
/// other.
[[nodiscard]] const UnitText* last_of_parts(std::string_view text);

}  // namespace stallcast::base::detail
