#include "engine/base/quantity_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/quantity_units.hpp"
#include "engine/base/text.hpp"

namespace stallcast::base {
namespace {

using detail::NumberText;
using detail::shown;
using detail::UnitText;

/// Whole numbers above this are not exact in a double.
constexpr double kLargestCount = 9007199254740992.0;
/// A bare number this large was meant in the base unit.
constexpr double kSurelyBase = 1e6;

/// How a dimension is called and written.
struct DimensionText {
  std::string_view name, example;
  std::string_view unit;        ///< that a bare number most likely lacks
  std::string_view small = {};  ///< the smaller one that it may lack as well
};
/// In the order of the enumeration.
constexpr std::array<DimensionText, 16> kDimensionTexts{
    {{"a whole number", "64", ""},
     {"a number", "1.5", ""},
     {"true or false", "true", ""},
     {"a text", "name", ""},
     {"a list of texts", "[\"a\", \"b\"]", ""},
     {"a size", "4 MiB", "GB", "B"},
     {"a duration", "200 ms", "s"},
     {"a rate", "25 GB/s", "GB/s"},
     {"an operation rate", "80 kops/s", "kops/s", "ops/s"},
     {"a percentage", "95 %", "%"},
     {"an amount of computation", "4 TFLOP", "TFLOP"},
     {"a compute rate", "989 TFLOP/s", "TFLOP/s"},
     {"a price", "120 USD", "USD"},
     {"a price per time", "3 USD/h", "USD/h"},
     {"a power", "10.2 kW", "kW", "W"},
     {"an energy", "50 MWh", "kWh", "Wh"}}};

const DimensionText& text_of(Dimension dimension) {
  return kDimensionTexts[static_cast<std::size_t>(dimension)];
}

ParsedQuantity fault(std::string message, std::string hint) {
  return {std::nullopt, std::move(message), std::move(hint)};
}

/// Whatever a quantity may be. "B" is a billion in "70B", and else bytes.
constexpr Dimension kWithUnits[] = {Dimension::number,    Dimension::ratio,      Dimension::time,
                                    Dimension::rate,      Dimension::bytes,      Dimension::op_rate,
                                    Dimension::money,     Dimension::money_rate, Dimension::flops,
                                    Dimension::flop_rate, Dimension::power,      Dimension::energy};

std::string example(Dimension dimension) {
  const std::string plain(dimension_example(dimension));
  if (dimension == Dimension::count || dimension == Dimension::number) return plain;
  std::string out = '"' + plain + '"';
  if (dimension == Dimension::rate) out += " or \"25 Gb/s\"";
  return out;
}

std::string expected(Dimension dimension) {
  return "; expected " + std::string(dimension_name(dimension)) + " such as " + example(dimension);
}

std::string number_text(const NumberText& number) {
  std::string out(number.mantissa);
  if (number.exponent != 0) out += "e" + std::to_string(number.exponent);
  return out;
}

/// Whether a bare number is a share: 0.95 is surely 95 %.
bool is_share(double number, Dimension dimension) {
  return dimension == Dimension::ratio && std::abs(number) <= 1.0;
}

/// Whether a bare number is surely in the base unit.
bool is_in_base(double number, Dimension dimension) {
  return std::abs(number) >= kSurelyBase &&
         (dimension == Dimension::bytes || dimension == Dimension::rate ||
          dimension == Dimension::flops || dimension == Dimension::flop_rate ||
          dimension == Dimension::op_rate);
}

/// "GB" or "Gb/s" ... as a list of complete spellings of `number`.
std::string spellings(const std::string& number, const std::vector<std::string_view>& units) {
  std::string out;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i > 0) out += i + 1 == units.size() ? " or " : ", ";
    out += "\"" + number + " " + std::string(units[i]) + "\"";
  }
  return out;
}
std::string spellings(const NumberText& number, const std::vector<std::string_view>& units) {
  return spellings(number_text(number), units);
}

ParsedQuantity without_unit(const NumberText& number, Dimension dimension) {
  const std::string digits = number_text(number);
  return fault(shown(digits) + " has no unit; expected " + std::string(dimension_name(dimension)),
               bare_number_hint(digits, detail::decimal_value(digits), dimension));
}

/// A size in bits is not a dimension of ours, but what people write for rates.
bool is_bits(std::string_view unit) {
  for (const std::string_view bits :
       {"b", "kb", "Mb", "Gb", "Tb", "bit", "kbit", "Mbit", "Gbit", "Tbit"})
    if (unit == bits) return true;
  return false;
}

/// The unit of durations that a word such as "sec" or "hours" stands for, or "".
std::string spelled_out(std::string_view word, Dimension dimension) {
  if (dimension != Dimension::time) return "";
  if (word.size() > 2 && word.ends_with('s')) word.remove_suffix(1);
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"sec", "s"},     {"second", "s"},       {"minute", "min"},     {"min", "min"},
      {"hour", "h"},    {"day", "d"},          {"msec", "ms"},        {"usec", "us"},
      {"nsec", "ns"},   {"millisecond", "ms"}, {"microsecond", "us"}, {"hr", "h"},
      {"\u00b5", "us"}, {"\u03bc", "us"}};  // "s" is taken off above
  for (const auto& [name, unit] : kWords)
    if (same_letters(name, word)) return std::string(unit);
  return "";
}

/// "400 GB" where a rate is expected was probably to be "400 GB/s", and the other way round.
std::string other_dimension(const NumberText& number, std::string_view unit, Dimension dimension) {
  const std::string_view whole = unit.ends_with("/s") ? unit.substr(0, unit.size() - 2) : "";
  const auto per = [&](std::string_view known) {
    if (!known.starts_with(unit)) return false;
    known.remove_prefix(unit.size());
    // Nobody pays by the second.
    return dimension == Dimension::money_rate ? known == "/h" || known == "/month" : known == "/s";
  };
  std::vector<std::string_view> meant;
  for (const UnitText& known : detail::units_of(dimension))
    if (per(known.text) || (!whole.empty() && known.text == whole)) meant.push_back(known.text);
  return "write " +
         (meant.empty() ? "for example " + example(dimension) : spellings(number, meant));
}

/// "20000 USD/y" of 20 and "kUSD/y": what a known unit with a prefix or by another time is, or "".
std::string converted(const NumberText& number, std::string_view unit, Dimension dimension) {
  constexpr std::pair<std::string_view, int> kPrefixes[] = {
      {"", 0},  {"n", -9}, {"u", -6}, {"m", -3}, {"k", 3},
      {"M", 6}, {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18}};
  constexpr std::pair<std::string_view, double> kPeriods[] = {
      {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}, {"day", 86400.0}};
  constexpr std::pair<std::string_view, double> kDays[] = {
      {"w", 7.0}, {"week", 7.0}, {"y", 365.0}, {"yr", 365.0}, {"year", 365.0}};
  constexpr std::size_t kFew = 12;  // characters; of more the first figures
  for (const auto& [word, days] : kDays)
    if (dimension == Dimension::time && (unit == word || unit == std::string(word) + "s"))
      return exact_quantity(detail::decimal_value(number_text(number)) * days * 86400.0, dimension);
  for (const auto& [word, period] : {std::pair{"/mo", "/month"},
                                     {"/yr", "/y"},
                                     {"/year", "/y"},
                                     {"/hr", "/h"},
                                     {"/hour", "/h"},
                                     {"/sec", "/s"},
                                     {"/second", "/s"}})
    if (unit.ends_with(word)) {
      const std::string meant =
          std::string(unit.substr(0, unit.size() - std::string_view(word).size())) + period;
      for (const UnitText& known : detail::units_of(dimension))
        if (known.text == meant) return number_text(number) + " " + meant;
      return converted(number, meant, dimension);
    }
  for (const UnitText& known : detail::units_of(dimension)) {
    const bool plain = known.shift == 0 && known.factor == 1.0 && known.divisor == 1.0;
    if (known.text.empty() || !(plain || dimension == Dimension::money_rate)) continue;
    for (const auto& [prefix, shift] : kPrefixes) {
      if (!unit.starts_with(prefix)) continue;
      const std::string_view bare = unit.substr(prefix.size());
      NumberText shifted = number;
      shifted.exponent += shift;
      const double value = detail::in_base(shifted, known);
      if (!std::isfinite(value)) continue;
      // A price stays by the time it was said by: the year's are not those of the hour's.
      if (bare == known.text)
        return dimension == Dimension::money_rate
                   ? shortest(detail::decimal_value(number_text(shifted))) + " " +
                         std::string(known.text)
                   : exact_quantity(value, dimension);
      if (!known.text.ends_with("/s")) continue;
      const std::string_view per = known.text.substr(0, known.text.size() - 1);
      if (!bare.starts_with(per)) continue;
      for (const auto& [period, seconds] : kPeriods)
        if (bare.substr(per.size()) == period) {
          const std::string exact = exact_quantity(value / seconds, dimension);
          return exact.size() <= kFew ? exact : print_quantity(value / seconds, dimension);
        }
    }
  }
  return "";
}

/// The unit that is spelled with the same letters, "GB/s" of "GBs", or that a word stands for; "".
/// One that is only like it may be a thousand times as large: none is guessed.
std::string respelled(std::string_view unit, Dimension dimension) {
  const auto letters = [](std::string_view text) {
    std::string out;
    for (const char c : text)
      if (c != '/' && c != ' ' && c != '.' && c != '-') out += c;
    return out;
  };
  for (const UnitText& known : detail::units_of(dimension))
    if (!known.text.empty() && letters(known.text) == letters(unit) && !letters(unit).empty())
      return std::string(known.text);
  // Ethernet is called by its rate.
  if (dimension == Dimension::rate && same_letters(unit, "GbE")) return "Gb/s";
  return spelled_out(unit, dimension);
}

/// Says what is wrong with a unit that `dimension` does not have.
ParsedQuantity wrong_unit(std::string_view text, const NumberText& number, std::string_view unit,
                          Dimension dimension) {
  if (is_bits(unit)) {
    const std::string hint = dimension == Dimension::rate
                                 ? spellings(number, {std::string(unit) + "/s"})
                                 : "sizes are written in bytes; bits only in rates";
    return fault(shown(text) + " is a size in bits" + expected(dimension),
                 dimension == Dimension::rate ? "write " + hint : hint);
  }
  if (unit.find("..") != std::string_view::npos || unit.find(" to ") != std::string_view::npos)
    return fault(shown(text) + " is a range, not a quantity" + expected(dimension),
                 "write how sure a number is as \"" + std::string(dimension_example(dimension)) +
                     " +- 10 %\" or { \"value\": ..., \"low\": ..., \"high\": ... }");
  if (const auto bits = detail::binary_bits(unit);
      bits && (dimension == Dimension::rate || dimension == Dimension::bytes)) {
    constexpr double kGb = 1e9 / 8.0;
    const double bytes = detail::decimal_value(number_text(number)) * *bits;
    return fault(shown(text) + " is in bits, with a binary prefix" + expected(dimension),
                 "write \"" +
                     (dimension == Dimension::rate ? shortest(bytes / kGb) + " Gb/s"
                                                   : exact_quantity(bytes, dimension)) +
                     "\"");
  }
  std::vector<std::string_view> other_case, longer;
  for (const UnitText& known : detail::units_of(dimension)) {
    if (known.text.empty()) continue;
    if (same_letters(known.text, unit)) other_case.push_back(known.text);
    if (known.canonical && known.text.starts_with(unit)) longer.push_back(known.text);
  }
  for (const UnitText& known : detail::all_units())
    if (known.text == unit && known.dimension > Dimension::number)
      return fault(
          shown(text) + " is " + std::string(dimension_name(known.dimension)) + expected(dimension),
          other_dimension(number, unit, dimension));
  if (!other_case.empty())
    return fault("unit \"" + std::string(unit) + "\" is not known; case matters",
                 "write " + spellings(number, detail::with_its_b(unit, other_case)));
  if (!longer.empty())
    return fault(shown(text) + " has an incomplete unit" + expected(dimension),
                 "write " + spellings(number, longer));
  if (const std::string meant = converted(number, unit, dimension); !meant.empty())
    return fault("unknown unit " + shown(unit) + expected(dimension), "write \"" + meant + "\"");
  const std::string meant = respelled(unit, dimension);
  return fault("unknown unit " + shown(unit) + expected(dimension),
               "write " + (meant.empty() ? "for example " + example(dimension)
                                         : spellings(number, {meant})));
}

ParsedQuantity parse_boolean(std::string_view text) {
  if (text == "true") return {1.0, "", ""};
  if (text == "false") return {0.0, "", ""};
  return fault(shown(text) + " is neither true nor false", "write true or false");
}

ParsedQuantity not_a_number(std::string_view text, Dimension dimension) {
  std::string_view word = text;
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  word = word.substr(0, word.find(' '));
  for (const std::string_view special : {"inf", "infinity", "nan"})
    if (same_letters(word, special))
      return fault(shown(text) + " is not a finite number" + expected(dimension),
                   "write for example " + example(dimension));
  return fault(shown(text) + " is not " + std::string(dimension_name(dimension)),
               "write for example " + example(dimension));
}

}  // namespace

std::string detail::shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() <= kLongest) return '"' + std::string(text) + '"';
  return '"' + std::string(text.substr(0, kLongest)) + "...\"";
}

ParsedQuantity parse_quantity(std::string_view text, Dimension dimension) {
  text = trim(text);
  if (dimension == Dimension::boolean) return parse_boolean(text);
  if (dimension == Dimension::text || dimension == Dimension::text_list)
    return fault("a text is not a quantity", "");
  if (text.empty())
    return fault("empty text" + expected(dimension), "write for example " + example(dimension));

  std::string_view digits = text;
  bool dollar_first = false;
  if (dimension == Dimension::money && digits.starts_with('$')) {
    digits = trim(digits.substr(1));
    dollar_first = true;
  }
  const auto number = detail::read_number(digits);
  if (!number) return not_a_number(text, dimension);
  std::string_view unit = trim(number->rest);
  if (dollar_first && unit.empty()) unit = "$";
  if (unit.starts_with(',') || unit.starts_with('_') || unit.starts_with('\'')) {
    if (const auto point = detail::with_decimal_point(text))
      return fault(shown(text) + " has a comma in its number", "write \"" + *point + "\"");
    return fault(shown(text) + " has a separator between digits", "write the digits in one run");
  }

  for (const UnitText& known : detail::units_of(dimension)) {
    if (known.text != unit) continue;
    const double value = detail::in_base(*number, known);
    if (!std::isfinite(value) || (dimension == Dimension::count && std::abs(value) > kLargestCount))
      return fault(shown(text) + " is too large", "write a smaller number");
    if (dimension == Dimension::count && value != std::floor(value))
      return fault(shown(text) + " is not a whole number",
                   "write " + exact_quantity(std::ceil(value), dimension));
    return {value, "", ""};
  }
  if (unit.empty()) return without_unit(*number, dimension);
  if (dimension == Dimension::time)
    if (auto in_parts = detail::parse_parts(text)) return *std::move(in_parts);
  return wrong_unit(text, *number, unit, dimension);
}

std::vector<std::string_view> unit_texts(Dimension dimension) {
  std::vector<std::string_view> out;
  for (const UnitText& unit : detail::units_of(dimension)) out.push_back(unit.text);
  return out;
}

std::vector<std::string_view> likely_units(double bare, Dimension dimension,
                                           std::string_view usual) {
  if (is_in_base(bare, dimension))
    for (const UnitText& unit : detail::units_of(dimension))
      if (unit.canonical && unit.shift == 0 && unit.factor == 1.0 && unit.divisor == 1.0)
        return {unit.text};
  const DimensionText& texts = text_of(dimension);
  if (usual.empty()) usual = texts.unit;
  if (texts.small.empty() || texts.small == usual) return {usual};
  return {texts.small, usual};
}

std::string bare_number_hint(const std::string& digits, double bare, Dimension dimension,
                             std::string_view usual) {
  if (is_share(bare, dimension) || is_in_base(bare, dimension))
    return "write \"" + exact_quantity(bare, dimension) + "\"";
  return "write " + spellings(digits, likely_units(bare, dimension, usual));
}

std::string_view dimension_name(Dimension dimension) { return text_of(dimension).name; }

std::string_view dimension_example(Dimension dimension) { return text_of(dimension).example; }

std::optional<AnyQuantity> parse_any_quantity(std::string_view text) {
  for (const Dimension dimension : kWithUnits)
    if (const ParsedQuantity parsed = parse_quantity(text, dimension); parsed.value)
      return AnyQuantity{*parsed.value, dimension};
  return std::nullopt;
}

std::optional<double> number_of_units(std::string_view text, std::string_view unit) {
  for (const Dimension dimension : kWithUnits) {
    const ParsedQuantity one = parse_quantity("1 " + std::string(unit), dimension);
    const ParsedQuantity read = parse_quantity(text, dimension);
    if (one.value && read.value) return *read.value / *one.value;
  }
  return std::nullopt;
}

}  // namespace stallcast::base
