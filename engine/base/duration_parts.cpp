#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/quantity_units.hpp"
#include "engine/base/text.hpp"

namespace stallcast::base {
namespace {

using detail::UnitText;

struct DurationPart {
  std::string_view text;  ///< "13 min"
  detail::NumberText number;
  const UnitText* unit = nullptr;
};

struct DurationParts {
  bool negative = false;
  std::vector<DurationPart> parts;
  std::string_view rest;
};

/// "1 h" and "13 min" of "1 h 13min", and what follows them; nothing of what does not begin with
/// two or more numbers with units of time.
std::optional<DurationParts> parts_of(std::string_view text) {
  DurationParts out;
  text = trim(text);
  out.negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  for (; !text.empty(); text = trim(text)) {
    const auto number = detail::read_number(text);
    if (!number) break;
    const std::string_view rest = trim(number->rest);
    const std::string_view unit = rest.substr(0, rest.find_first_of(" \t\r\n+-0123456789"));
    const auto units = detail::units_of(Dimension::time);
    const auto known =
        std::find_if(units.begin(), units.end(), [&](const UnitText& u) { return u.text == unit; });
    if (known == units.end()) break;
    const auto length = static_cast<std::size_t>(unit.data() + unit.size() - text.data());
    out.parts.push_back({text.substr(0, length), *number, &*known});
    text.remove_prefix(length);
  }
  out.rest = text;
  return out.parts.size() < 2 ? std::nullopt : std::optional(std::move(out));
}

/// Rows of units stand from the smallest to the largest.
bool is_larger(const DurationPart& a, const DurationPart& b) { return a.unit > b.unit; }
bool does_not_descend(const DurationPart& a, const DurationPart& b) { return !is_larger(a, b); }

ParsedQuantity value_of(DurationParts read, std::string_view text) {
  auto& parts = read.parts;
  const std::string whole = detail::shown(text), sign = read.negative ? "-" : "";
  double sum = 0.0;
  for (const DurationPart& part : parts) {
    if (!is_digit(part.text.front()))
      return {std::nullopt, whole + " has a sign before " + detail::shown(part.text.substr(1)),
              "write one sign, before the whole duration"};
    sum += detail::in_base(part.number, *part.unit);
  }
  if (read.negative) sum = -sum;
  if (!std::isfinite(sum)) return {std::nullopt, whole + " is too large", "write a smaller number"};
  const auto at = std::adjacent_find(parts.begin(), parts.end(), does_not_descend);
  if (at == parts.end()) return {sum, "", ""};
  std::string message =
      whole + (at->unit == (at + 1)->unit ? " has \"" + std::string(at->unit->text) + "\" twice"
                                          : " has " + detail::shown((at + 1)->text) +
                                                " behind the smaller " + detail::shown(at->text));
  std::stable_sort(parts.begin(), parts.end(), is_larger);
  std::string meant;
  if (std::adjacent_find(parts.begin(), parts.end(), does_not_descend) != parts.end())
    meant = exact_quantity(sum, Dimension::time);
  else
    for (const DurationPart& part : parts)
      meant += (meant.empty() ? sign : " ") + std::string(part.text);
  return {std::nullopt, std::move(message), "write \"" + meant + '"'};
}

}  // namespace

std::optional<ParsedQuantity> detail::parse_parts(std::string_view text) {
  auto read = parts_of(text);
  if (!read || !read->rest.empty()) return std::nullopt;
  return value_of(*std::move(read), text);
}

const UnitText* detail::last_of_parts(std::string_view text) {
  const auto read = parts_of(text);
  return read ? read->parts.back().unit : nullptr;
}

std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  if (const auto sum = detail::parse_parts(text); sum && sum->value) {
    const UnitText* last = detail::last_of_parts(text);
    constexpr int kDigits = 15;  // 1 s 1 ms are 1001 ms, not 1000.9999999999999
    const double one = detail::in_base({.mantissa = "1", .exponent = 0, .rest = {}}, *last);
    return std::pair{rounded_to(*sum->value / one, kDigits), last->text};
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return std::pair{value, trim(text.substr(static_cast<std::size_t>(end - text.data())))};
}

}  // namespace stallcast::base
