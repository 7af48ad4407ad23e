#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stallcast/design.hpp"

/// Quantities as people write them, and back.
namespace stallcast::base {

/// What came of reading a quantity: a number in base units, or what is wrong and how to write it.
struct ParsedQuantity {
  std::optional<double> value;
  std::string message;  ///< set when there is no value
  std::string hint;
};

/// Reads "25 GB/s", "400 Gb/s", "4 MiB", "200 ms", "95 %", "3 USD/h", "80 kops/s", "989 TFLOP/s".
/// Prefixes are decimal (k M G T P) or binary (Ki Mi Gi Ti Pi); bits only in rates; case matters;
/// the space is optional. A duration may be in parts, the largest unit first: "1 h 13 min". For
/// count and number, a plain number, with an optional k, M, B (1e9) or T suffix ("70B" parameters);
/// a count is whole and exact in a double. For boolean, "true" or "false". Signs are accepted;
/// ranges are the caller's to check.
[[nodiscard]] ParsedQuantity parse_quantity(std::string_view text, Dimension dimension);

/// Units that a number without one may have been meant in, the smallest first: "B" and "GB" of a
/// size. `usual`: what the field is mostly written in, if that is known.
[[nodiscard]] std::vector<std::string_view> likely_units(double bare, Dimension dimension,
                                                         std::string_view usual = {});
/// How such a number, with these digits, is written: `write "700 W" or "700 kW"`. 4e9 of a rate is
/// surely "4 GB/s", and 0.95 of a percentage "95 %".
[[nodiscard]] std::string bare_number_hint(const std::string& digits, double bare,
                                           Dimension dimension, std::string_view usual = {});

/// A quantity whose unit says what it is of; `number` for one without a unit.
struct AnyQuantity {
  double value = 0.0;  ///< in the base unit
  Dimension dimension = Dimension::number;
};
/// Reads "4 GB/s", "95 %" or "40", whatever it is; nullopt for what is no quantity.
[[nodiscard]] std::optional<AnyQuantity> parse_any_quantity(std::string_view text);
/// The number that `text` begins with, and what follows it, trimmed: {4, "GB/s"} of "4 GB/s", and
/// of a duration in parts so many of its last unit, {73, "min"} of "1 h 13 min"; nullopt where
/// there is none, or it is not finite.
[[nodiscard]] std::optional<std::pair<double, std::string_view>> leading_number(
    std::string_view text);
/// How many `unit`s a quantity is: 0.5 of "512 B" and "KiB", 70 of "70B" and "B", 8 of "8" and "".
/// nullopt where they are of different sorts.
[[nodiscard]] std::optional<double> number_of_units(std::string_view text, std::string_view unit);

/// Short text for people: three to four significant digits, the largest fitting decimal unit
/// ("102.4 MB/s", "850 ms", "95.1 %", "2.1 TB", "1 h 12 min").
[[nodiscard]] std::string print_quantity(double base_value, Dimension dimension);

/// As print_quantity, with as many more digits as it takes to read differently from `other`
/// ("5.001 %" next to 5 %, "65.84 h" next to 65.9 h). Figures alike to twelve digits read the same.
[[nodiscard]] std::string print_apart(double base_value, double other, Dimension dimension);

/// Exact text that `parse_quantity` reads back to the same number, in the unit that needs the
/// fewest digits ("25 GB/s", "850 ms", "4 MiB"). REQUIRES: finite.
[[nodiscard]] std::string exact_quantity(double base_value, Dimension dimension);

/// As exact_quantity of a rate, in bits where they read back to the same number: how the rates of
/// links and NICs are quoted ("400 Gb/s").
[[nodiscard]] std::string exact_link_rate(double bytes_per_second);

/// As exact_quantity, in a unit of the sort that `written` has, as long as the number is no longer
/// than in others of that sort: binary prefixes stay binary, bits stay bits ("1.5 GiB" like "1
/// GiB", "200 Gb/s" like "400 Gb/s +- 5 %"). Without a unit in `written`, or where no unit of its
/// sort is exact, as exact_quantity.
[[nodiscard]] std::string exact_quantity_like(double base_value, Dimension dimension,
                                              std::string_view written);

/// How much one unit of `written` is, in the base unit: 2^30 of "4 GiB"; of a duration in parts
/// its last, 60 of "1 h 13 min". nullopt without a unit.
[[nodiscard]] std::optional<double> unit_of_text(std::string_view written, Dimension dimension);

/// `number` of the units of `written`, exactly as `parse_quantity` reads it; `number` without one.
[[nodiscard]] double in_unit_of_text(double number, std::string_view written, Dimension dimension);

/// A ratio in percent with so many decimals, whether they are zeros or not: "95.10 %".
[[nodiscard]] std::string percent(double ratio, int decimals);

/// At most so many significant digits, without trailing zeros: "0.333", "1.2e+06".
[[nodiscard]] std::string significant(double value, int digits);
/// `value` as that text reads.
[[nodiscard]] double rounded_to(double value, int digits);

/// Shortest decimal text that reads back to the same double.
[[nodiscard]] std::string shortest(double value);

/// Every spelling of a unit that `parse_quantity` takes for `dimension`; "" when none is needed.
[[nodiscard]] std::vector<std::string_view> unit_texts(Dimension dimension);

/// The names of dimensions in files, in the order of the enumeration: parts of their formats.
inline constexpr std::array<std::string_view, 16> kDimensionIds = {
    "count",   "number", "boolean", "text",      "text_list", "bytes",      "time",  "rate",
    "op_rate", "ratio",  "flops",   "flop_rate", "money",     "money_rate", "power", "energy"};

/// Name for messages and the schema: "a rate", "a duration", and an example "25 GB/s".
[[nodiscard]] std::string_view dimension_name(Dimension dimension);
[[nodiscard]] std::string_view dimension_example(Dimension dimension);

}  // namespace stallcast::base
