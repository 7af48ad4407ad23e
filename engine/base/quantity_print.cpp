#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "engine/base/quantity_units.hpp"
#include "engine/base/text.hpp"

namespace stallcast::base {
namespace {

using detail::UnitText;

/// Digits that always tell two doubles apart.
constexpr int kAllDigits = 17;

std::string chars(double value, std::chars_format format) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  return {buffer.data(), end};
}

std::string chars(double value, std::chars_format format, int precision) {
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr;
  return {buffer.data(), end};
}

/// Three to four significant digits, no trailing zeros: "102.4", "9.87", "12000".
std::string rounded(double x) {
  const double size = std::abs(x);
  if (x == 0.0) return "0";
  if (size >= 1e9 || size < 0.01) return chars(x, std::chars_format::general, 3);
  const int decimals = size >= 999.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  std::string out = chars(x, std::chars_format::fixed, decimals);
  if (decimals > 0) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  return out;
}

/// As `rounded`, but small shares in plain digits, two of them significant: "0.000058".
std::string rounded_percent(double x) {
  const double size = std::abs(x);
  constexpr double kUsual = 0.01, kSmallestPlain = 1e-7;
  if (size >= kUsual || size < kSmallestPlain) return rounded(x);
  const int decimals = 1 - static_cast<int>(std::floor(std::log10(size)));
  std::string out = chars(x, std::chars_format::fixed, decimals);
  out.erase(out.find_last_not_of('0') + 1);
  return out;
}

double base_of_one(const UnitText& unit) {
  return std::pow(10.0, unit.shift) * unit.factor / unit.divisor;
}

std::string with_unit(const std::string& number, const UnitText& unit) {
  return unit.text.empty() ? number : number + " " + std::string(unit.text);
}

/// The largest decimal unit in which the rounded number is at least 1.
const UnitText& decimal_unit(double value, Dimension dimension) {
  const UnitText* best = nullptr;
  for (const UnitText& unit : detail::units_of(dimension)) {
    const bool decimal = unit.factor == 1.0 || dimension == Dimension::energy;
    if (!unit.canonical || !decimal || unit.divisor != 1.0) continue;
    // 999.96 MB is printed as 1 GB.
    constexpr double kRoundsToOne = 0.99995;
    if (best == nullptr || std::abs(value) >= kRoundsToOne * base_of_one(unit)) best = &unit;
  }
  return *best;
}

std::string in_decimal_unit(double value, Dimension dimension) {
  const UnitText& unit = decimal_unit(value, dimension);
  return with_unit(rounded(value / base_of_one(unit)), unit);
}

/// The two largest parts: "2 min 5 s", "1 h 12 min", "3 d 4 h".
std::string print_long_duration(double seconds) {
  struct Part {
    double length;
    const char* name;
  };
  constexpr std::array<Part, 4> kParts = {{{86400.0, "d"}, {3600.0, "h"}, {60.0, "min"}, {1, "s"}}};
  constexpr double kDaysOnly = 1000.0 * 86400.0;
  const double size = std::abs(seconds);
  const std::string sign = seconds < 0 ? "-" : "";
  if (size >= kDaysOnly) return sign + rounded(size / kParts[0].length) + " d";
  // The smallest that holds it as it is rounded there: 3599.7 s are 1 h, 3590 s are not.
  std::size_t first = kParts.size() - 2;
  double whole = std::round(size);
  while (first > 0 && whole >= kParts[first - 1].length) {
    const double step = kParts[first--].length;
    whole = std::round(size / step) * step;
  }
  const double large = std::floor(whole / kParts[first].length);
  const double small =
      std::round((whole - large * kParts[first].length) / kParts[first + 1].length);
  std::string out = sign + rounded(large) + " " + kParts[first].name;
  if (small > 0) out += " " + rounded(small) + " " + kParts[first + 1].name;
  return out;
}

bool is_base(const UnitText& unit) {
  return unit.shift == 0 && unit.factor == 1.0 && unit.divisor == 1.0;
}

/// The shortest decimal digits of `value`, with the decimal point moved by `shift` places.
std::string shifted(double value, int shift) {
  const std::string text = chars(value, std::chars_format::scientific);
  const auto number = detail::read_number(text);
  std::string digits;
  for (const char c : number->mantissa)
    if (c != '-' && c != '.') digits += c;
  const std::string sign = value < 0 ? "-" : "";
  const int before = 1 + number->exponent + shift;  // digits before the point
  const auto size = static_cast<int>(digits.size());
  constexpr int kMostZeros = 5, kMostDigits = 17;
  if (before < -kMostZeros || before > kMostDigits)
    return sign + std::string(number->mantissa.substr(sign.size())) + "e" +
           std::to_string(before - 1);
  if (before <= 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-before), '0') + digits;
  if (before >= size)
    return sign + digits + std::string(static_cast<std::size_t>(before - size), '0');
  return sign + digits.insert(static_cast<std::size_t>(before), ".");
}

/// The number of `unit`s that reads back to exactly `value`, when there is one.
std::optional<std::string> exact_in(double value, const UnitText& unit) {
  if (value == 0.0) return "0";
  if (unit.factor == 1.0 && unit.divisor == 1.0) return shifted(value, -unit.shift);
  const double x = value / base_of_one(unit);
  if (!std::isfinite(x)) return std::nullopt;
  for (int digits = 1; digits <= kAllDigits; ++digits) {
    const std::string text = chars(x, std::chars_format::general, digits);
    const std::string plain = shortest(detail::decimal_value(text));
    const auto number = detail::read_number(plain);
    if (number && detail::in_base(*number, unit) == value) return plain;
  }
  return std::nullopt;
}

std::string print_count(double value) {
  constexpr double kWithSuffix = 1e9;
  if (std::abs(value) < kWithSuffix)
    return value == std::floor(value) ? chars(value, std::chars_format::fixed, 0) : rounded(value);
  const UnitText* best = nullptr;
  for (const UnitText& unit : detail::units_of(Dimension::number))
    if (std::abs(value) >= base_of_one(unit)) best = &unit;
  return rounded(value / base_of_one(*best)) + std::string(best->text);
}

/// Longer times are printed in parts; 119.96 s reads as 2 min.
constexpr double kLongestInSeconds = 119.95;

/// The unit at the end of the number that `written` begins with; nullptr without one. Counts and
/// plain numbers are written without.
const UnitText* unit_in(std::string_view written, Dimension dimension) {
  if (dimension == Dimension::count || dimension == Dimension::number) return nullptr;
  const auto number = detail::read_number(trim(written));
  if (!number) return nullptr;
  if (dimension == Dimension::time)
    if (const UnitText* last = detail::last_of_parts(written)) return last;
  std::string_view word = trim(number->rest);
  word = word.substr(0, word.find_first_of(" \t"));
  if (word.empty()) return nullptr;
  for (const UnitText& unit : detail::units_of(dimension))
    if (unit.text == word) return &unit;
  return nullptr;
}

/// Of longer ones seconds say little: they differ in the unit that the other is written in.
constexpr double kLongestToTheSecond = 1e4;

/// `value` with `digits` significant digits, in the unit that suits `other`.
std::string with_digits(double value, double other, Dimension dimension, int digits) {
  // No powers of ten: "237013 s".
  const auto general = [&](double x) {
    const double before = std::floor(std::log10(std::max(std::abs(x), 1.0))) + 1.0;
    return significant(x, std::max(digits, static_cast<int>(std::min(before, 1.0 * kAllDigits))));
  };
  switch (dimension) {
    case Dimension::ratio:
      return general(value * 100.0) + " %";
    case Dimension::money_rate:
      return general(value * 3600.0) + " USD/h";
    case Dimension::time:
      if (std::abs(other) >= kLongestToTheSecond) {
        const std::string limit = exact_quantity(other, dimension);
        return with_unit(general(value / *unit_of_text(limit, dimension)),
                         *unit_in(limit, dimension));
      }
      if (other == 0.0 || std::abs(other) >= kLongestInSeconds) return general(value) + " s";
      break;
    case Dimension::count:
    case Dimension::number:
      return general(value);
    default:
      break;
  }
  const UnitText& unit = decimal_unit(other, dimension);
  return with_unit(general(value / base_of_one(unit)), unit);
}

/// What is behind the prefix: "B/s" of "GiB/s", "b/s" of "Gb/s".
std::string_view without_prefix(const UnitText& unit) {
  std::string_view out = unit.text;
  if (is_base(unit) || out.size() < 2) return out;
  if (out.starts_with('k') || out.starts_with('K') || out.starts_with('M') ||
      out.starts_with('G') || out.starts_with('T') || out.starts_with('P') || out.starts_with('E'))
    out.remove_prefix(1);
  if (out.size() > 1 && out.starts_with('i')) out.remove_prefix(1);
  return out;
}

/// Whether they differ in their prefix alone; all decimal times do.
bool same_sort(const UnitText& a, const UnitText& b) {
  const bool binary_a = a.factor >= 1024.0 && a.dimension != Dimension::time,
             binary_b = b.factor >= 1024.0 && b.dimension != Dimension::time;
  if (a.dimension == Dimension::time) return a.factor == 1.0 && b.factor == 1.0;
  return binary_a == binary_b && without_prefix(a) == without_prefix(b);
}

}  // namespace

std::string print_quantity(double base_value, Dimension dimension) {
  if (std::isnan(base_value)) return "not a number";
  if (dimension == Dimension::boolean) return base_value != 0.0 ? "true" : "false";
  if (std::isinf(base_value)) return base_value > 0 ? "infinite" : "-infinite";
  if (base_value == 0.0) base_value = 0.0;  // no "-0"
  switch (dimension) {
    case Dimension::count:
    case Dimension::number:
    case Dimension::boolean:
    case Dimension::text:
    case Dimension::text_list:
      return print_count(base_value);
    case Dimension::time:
      if (base_value == 0.0) return "0 s";
      if (std::abs(base_value) >= kLongestInSeconds) return print_long_duration(base_value);
      return in_decimal_unit(base_value, dimension);
    case Dimension::ratio:
      return rounded_percent(base_value * 100.0) + " %";
    case Dimension::money_rate:
      return rounded(base_value * 3600.0) + " USD/h";
    default:
      return in_decimal_unit(base_value, dimension);
  }
}

std::string significant(double value, int digits) {
  return chars(value, std::chars_format::general, digits);
}

double rounded_to(double value, int digits) {
  const std::string text = significant(value, digits);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string percent(double ratio, int decimals) {
  return chars(100.0 * ratio, std::chars_format::fixed, decimals) + " %";
}

std::string print_apart(double base_value, double other, Dimension dimension) {
  std::string out = print_quantity(base_value, dimension);
  if (!std::isfinite(base_value) || !std::isfinite(other) || base_value == other) return out;
  constexpr int kMostShown = 12, kUsual = 4;
  const std::string beside = print_quantity(other, dimension);
  for (int digits = kUsual; out == beside && digits <= kMostShown; ++digits) {
    const std::string text = with_digits(base_value, other, dimension, digits);
    if (text != with_digits(other, other, dimension, digits)) out = text;
  }
  return out;
}

namespace {

/// By the hour, or by the month where that takes fewer digits.
std::optional<std::string> exact_price_per_time(double base_value) {
  const UnitText *hour = unit_in("1 USD/h", Dimension::money_rate),
                 *month = unit_in("1 USD/month", Dimension::money_rate);
  const auto by_hour = exact_in(base_value, *hour), by_month = exact_in(base_value, *month);
  if (by_hour && (!by_month || by_hour->size() <= by_month->size()))
    return with_unit(*by_hour, *hour);
  return by_month ? std::optional(with_unit(*by_month, *month)) : std::nullopt;
}

}  // namespace

std::string exact_quantity(double base_value, Dimension dimension) {
  if (dimension == Dimension::boolean) return base_value != 0.0 ? "true" : "false";
  const auto units = detail::units_of(dimension);
  if (units.empty() || !std::isfinite(base_value)) return shortest(base_value);
  if (dimension == Dimension::money_rate)
    if (const auto text = exact_price_per_time(base_value)) return *text;
  const UnitText* base = nullptr;
  for (const UnitText& unit : units)
    if (unit.canonical && (base == nullptr || is_base(unit))) base = &unit;
  // The fewest characters win ("4 MiB", not "4.194304 MB"); between equals, the larger unit.
  std::string best = exact_in(base_value, *base).value_or(shortest(base_value));
  const UnitText* best_unit = base;
  bool small = std::abs(base_value) < base_of_one(*base);
  for (const UnitText& unit : units) {
    if (!unit.canonical || std::abs(base_value) < base_of_one(unit)) continue;
    const auto text = exact_in(base_value, unit);
    if (!text || (!small && text->size() > best.size())) continue;
    if (!small && text->size() == best.size() && base_of_one(unit) < base_of_one(*best_unit))
      continue;
    best = *text;
    best_unit = &unit;
    small = false;
  }
  return with_unit(best, *best_unit);
}

std::string exact_link_rate(double bytes_per_second) {
  std::string best;
  for (const UnitText& unit : detail::units_of(Dimension::rate)) {
    if (!unit.text.ends_with("b/s") || std::abs(bytes_per_second) < base_of_one(unit)) continue;
    const auto number = exact_in(bytes_per_second, unit);
    if (!number) continue;
    std::string text = with_unit(*number, unit);
    if (best.empty() || text.size() <= best.size()) best = std::move(text);
  }
  return best.empty() ? exact_quantity(bytes_per_second, Dimension::rate) : best;
}

std::optional<double> unit_of_text(std::string_view written, Dimension dimension) {
  const UnitText* unit = unit_in(written, dimension);
  return unit == nullptr ? std::nullopt : std::optional(base_of_one(*unit));
}

double in_unit_of_text(double number, std::string_view written, Dimension dimension) {
  const UnitText* unit = unit_in(written, dimension);
  const std::string text = shortest(number);
  const auto read = detail::read_number(text);
  return unit == nullptr || !read ? number : detail::in_base(*read, *unit);
}

std::string exact_quantity_like(double base_value, Dimension dimension, std::string_view written) {
  const UnitText* own = unit_in(written, dimension);
  if (own == nullptr || !std::isfinite(base_value)) return exact_quantity(base_value, dimension);
  std::optional<std::string> best = exact_in(base_value, *own);
  const UnitText* best_unit = own;
  for (const UnitText& unit : detail::units_of(dimension)) {
    if (!same_sort(unit, *own)) continue;
    const auto text = exact_in(base_value, unit);
    if (!text || (best && text->size() >= best->size())) continue;
    best = text;
    best_unit = &unit;
  }
  return best ? with_unit(*best, *best_unit) : exact_quantity(base_value, dimension);
}

std::string shortest(double value) {
  constexpr double kSmallestPlain = 1e-5, kLargestPlain = 1e15;
  const double size = std::abs(value);
  const bool plain = value == 0.0 || (size >= kSmallestPlain && size < kLargestPlain);
  return plain ? chars(value, std::chars_format::fixed)
               : chars(value, std::chars_format::scientific);
}

}  // namespace stallcast::base
