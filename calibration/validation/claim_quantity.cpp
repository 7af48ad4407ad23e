#include "calibration/validation/claim_quantity.hpp"

#include <array>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

constexpr std::array kDimensions = {Dimension::number,    Dimension::bytes,     Dimension::time,
                                    Dimension::rate,      Dimension::op_rate,   Dimension::ratio,
                                    Dimension::flops,     Dimension::flop_rate, Dimension::money,
                                    Dimension::money_rate};

/// "57 %" of a share, "5.7 %" below 10 %: at least two digits.
std::string rounded_percent(double share) { return base::percent(share, share < 0.0995 ? 1 : 0); }

/// "claim 57 % too low" for a claim that is `ratio` times the truth.
std::string too_much(double ratio) {
  const std::string side = ratio > 1.0 ? " too high" : " too low";
  if (ratio > 2.0 || ratio < 0.5)
    return "claim " + base::print_quantity(ratio > 1.0 ? ratio : 1.0 / ratio, Dimension::number) +
           " times" + side;
  return "claim " + rounded_percent(std::abs(ratio - 1.0)) + side;
}

}  // namespace

std::optional<base::AnyQuantity> any_quantity(std::string_view text, std::string& message) {
  std::optional<base::AnyQuantity> out;
  for (const Dimension dimension : kDimensions) {
    const base::ParsedQuantity parsed = base::parse_quantity(text, dimension);
    if (!parsed.value.has_value()) continue;
    if (out.has_value()) {
      message = "\"" + std::string(text) + "\" may be " +
                std::string(base::dimension_name(out->dimension)) + " or " +
                std::string(base::dimension_name(dimension));
      return std::nullopt;
    }
    out = base::AnyQuantity{*parsed.value, dimension};
  }
  if (!out.has_value()) message = "cannot read \"" + std::string(text) + "\" as a quantity";
  return out;
}

std::optional<ClaimTolerance> parse_tolerance(std::string_view text, std::string& message) {
  if (text.empty()) return ClaimTolerance{};
  constexpr std::string_view kPoints = " points";
  ClaimTolerance out;
  std::string_view number = text;
  if (text.starts_with("x")) {
    out.kind = ClaimTolerance::Kind::factor;
    number = text.substr(1);
  } else if (text.ends_with(kPoints)) {
    out.kind = ClaimTolerance::Kind::points;
    number.remove_suffix(kPoints.size());
  }
  const Dimension dimension =
      out.kind == ClaimTolerance::Kind::relative ? Dimension::ratio : Dimension::number;
  const base::ParsedQuantity parsed = base::parse_quantity(number, dimension);
  if (!parsed.value.has_value() || *parsed.value < 0.0 ||
      (out.kind == ClaimTolerance::Kind::factor && *parsed.value < 1.0)) {
    message = "a tolerance is \"1 %\", \"x2\" or \"0.5 points\", not \"" + std::string(text) + "\"";
    return std::nullopt;
  }
  out.amount = out.kind == ClaimTolerance::Kind::points ? 0.01 * *parsed.value : *parsed.value;
  return out;
}

std::optional<Statement> parse_statement(std::string_view text, std::string& message) {
  Statement out;
  const auto read = [&](std::string_view part) -> std::optional<double> {
    const auto quantity = any_quantity(base::trim(part), message);
    if (!quantity.has_value()) return std::nullopt;
    out.dimension = quantity->dimension;
    return quantity->value;
  };
  if (text.starts_with(">") || text.starts_with("<")) {
    const std::size_t length = text.size() > 1 && text[1] == '=' ? 2 : 1;
    (text[0] == '>' ? out.low : out.high) = read(text.substr(length));
    return out.low.has_value() || out.high.has_value() ? std::optional(out) : std::nullopt;
  }
  const std::size_t to = text.find(" to ");
  out.low = read(text.substr(0, to));
  if (!out.low.has_value()) return std::nullopt;
  out.high = out.low;
  if (to == std::string_view::npos) return out;
  const Dimension first = out.dimension;
  out.high = read(text.substr(to + 4));
  if (!out.high.has_value()) return std::nullopt;
  if (out.dimension == first && *out.low <= *out.high) return out;
  message = "\"" + std::string(text) + "\" is not a range";
  return std::nullopt;
}

bool Statement::holds_for(double value, const ClaimTolerance& tolerance) const {
  const auto slack = [&](double end) {
    if (tolerance.kind == ClaimTolerance::Kind::points) return tolerance.amount;
    if (tolerance.kind == ClaimTolerance::Kind::relative) return tolerance.amount * std::abs(end);
    return 0.0;
  };
  const double factor = tolerance.kind == ClaimTolerance::Kind::factor ? tolerance.amount : 1.0;
  if (low.has_value() && value * factor < *low - slack(*low)) return false;
  return !high.has_value() || value / factor <= *high + slack(*high);
}

std::string Statement::deviation(double value) const {
  const bool one_end = !low.has_value() || !high.has_value();
  if (one_end || value == 0.0) return "";
  const double ratio = (value < *low ? *low : *high) / value;
  return ratio > 0.0 ? too_much(ratio) : "";
}

}  // namespace stallcast::calibration
