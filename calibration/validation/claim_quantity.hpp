#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/quantity_text.hpp"
#include "stallcast/design.hpp"

/// Figures as claims state them: a quantity, a range or a bound, in any unit, and a tolerance.
namespace stallcast::calibration {

/// Reads "70e9", "4 GB/s", "5 %"; nullopt after saying in `message` what is wrong. "2 B" is: it
/// may be two bytes or two billion.
[[nodiscard]] std::optional<base::AnyQuantity> any_quantity(std::string_view text,
                                                            std::string& message);

/// How far two figures may lie apart and still be the same.
struct ClaimTolerance {
  enum class Kind { relative, factor, points } kind = Kind::relative;
  double amount = 1e-9;  ///< a share, a factor of at least 1, or a share of 1
};

/// Reads "1 %", "x2", "0.5 points"; "" is exact. Faults as for `any_quantity`.
[[nodiscard]] std::optional<ClaimTolerance> parse_tolerance(std::string_view text,
                                                            std::string& message);

/// "420 GB", "30 % to 50 %", ">= 1 TB", "< 1 ms".
struct Statement {
  Dimension dimension = Dimension::number;
  std::optional<double> low;   ///< nullopt: any value below `high` will do
  std::optional<double> high;  ///< nullopt: any value above `low` will do

  /// True when `value` is what is stated.
  [[nodiscard]] bool holds_for(double value, const ClaimTolerance& tolerance) const;
  /// "claim 57 % too low", "claim 1995 times too high" for a value that does not hold; "" of a
  /// bound and where one of them is 0.
  [[nodiscard]] std::string deviation(double value) const;
};

/// Faults as for `any_quantity`; the ends of a range have one unit.
[[nodiscard]] std::optional<Statement> parse_statement(std::string_view text, std::string& message);

}  // namespace stallcast::calibration
