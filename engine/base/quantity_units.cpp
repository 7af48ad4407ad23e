#include "engine/base/quantity_units.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

namespace stallcast::base::detail {
namespace {

using enum Dimension;

constexpr double kKi = 1024.0, kMi = kKi * kKi, kGi = kMi * kKi, kTi = kGi * kKi, kPi = kTi * kKi,
                 kEi = kPi * kKi;
constexpr double kBitsPerByte = 8.0;
constexpr double kWattHour = 3600.0;  // J

constexpr std::array kUnits = std::to_array<UnitText>({
    {"", count},
    {"k", count, 3, 1, 1, false},
    {"M", count, 6, 1, 1, false},
    {"B", count, 9, 1, 1, false},
    {"T", count, 12, 1, 1, false},

    {"", number},
    {"k", number, 3, 1, 1, false},
    {"M", number, 6, 1, 1, false},
    {"B", number, 9, 1, 1, false},
    {"T", number, 12, 1, 1, false},

    {"B", bytes},
    {"kB", bytes, 3},
    {"KiB", bytes, 0, kKi},
    {"MB", bytes, 6},
    {"MiB", bytes, 0, kMi},
    {"GB", bytes, 9},
    {"GiB", bytes, 0, kGi},
    {"TB", bytes, 12},
    {"TiB", bytes, 0, kTi},
    {"PB", bytes, 15},
    {"PiB", bytes, 0, kPi},
    {"EB", bytes, 18, 1, 1, false},
    {"EiB", bytes, 0, kEi, 1, false},

    {"ns", time, -9},
    {"us", time, -6},
    {"ms", time, -3},
    {"s", time},
    {"min", time, 0, 60.0},
    {"h", time, 0, 3600.0},
    {"d", time, 0, 86400.0},

    {"b/s", rate, 0, 1, kBitsPerByte, false},
    {"kb/s", rate, 3, 1, kBitsPerByte, false},
    {"kbit/s", rate, 3, 1, kBitsPerByte, false},
    {"kbps", rate, 3, 1, kBitsPerByte, false},
    {"Mb/s", rate, 6, 1, kBitsPerByte, false},
    {"Mbit/s", rate, 6, 1, kBitsPerByte, false},
    {"Mbps", rate, 6, 1, kBitsPerByte, false},
    {"Gb/s", rate, 9, 1, kBitsPerByte, false},
    {"Gbit/s", rate, 9, 1, kBitsPerByte, false},
    {"Gbps", rate, 9, 1, kBitsPerByte, false},
    {"Tb/s", rate, 12, 1, kBitsPerByte, false},
    {"Tbit/s", rate, 12, 1, kBitsPerByte, false},
    {"Tbps", rate, 12, 1, kBitsPerByte, false},
    {"Bps", rate, 0, 1, 1, false},
    {"kBps", rate, 3, 1, 1, false},
    {"MBps", rate, 6, 1, 1, false},
    {"GBps", rate, 9, 1, 1, false},
    {"TBps", rate, 12, 1, 1, false},
    {"PBps", rate, 15, 1, 1, false},
    {"KiBps", rate, 0, kKi, 1, false},
    {"MiBps", rate, 0, kMi, 1, false},
    {"GiBps", rate, 0, kGi, 1, false},
    {"TiBps", rate, 0, kTi, 1, false},
    {"PiBps", rate, 0, kPi, 1, false},
    {"B/s", rate},
    {"kB/s", rate, 3},
    {"KiB/s", rate, 0, kKi},
    {"MB/s", rate, 6},
    {"MiB/s", rate, 0, kMi},
    {"GB/s", rate, 9},
    {"GiB/s", rate, 0, kGi},
    {"TB/s", rate, 12},
    {"TiB/s", rate, 0, kTi},
    {"PB/s", rate, 15},
    {"PiB/s", rate, 0, kPi},

    {"/s", op_rate, 0, 1, 1, false},
    {"1/s", op_rate, 0, 1, 1, false},
    {"k/s", op_rate, 3, 1, 1, false},
    {"M/s", op_rate, 6, 1, 1, false},
    {"IOPS", op_rate, 0, 1, 1, false},
    {"kIOPS", op_rate, 3, 1, 1, false},
    {"MIOPS", op_rate, 6, 1, 1, false},
    {"op/s", op_rate, 0, 1, 1, false},
    {"ops/s", op_rate},
    {"kops/s", op_rate, 3},
    {"Mops/s", op_rate, 6},
    {"Gops/s", op_rate, 9},
    // As reports print what jobs read, and tenants answer.
    {"samples/s", op_rate, 0, 1, 1, false},
    {"ksamples/s", op_rate, 3, 1, 1, false},
    {"Msamples/s", op_rate, 6, 1, 1, false},
    {"Gsamples/s", op_rate, 9, 1, 1, false},
    {"tokens/s", op_rate, 0, 1, 1, false},
    {"ktokens/s", op_rate, 3, 1, 1, false},
    {"Mtokens/s", op_rate, 6, 1, 1, false},
    {"queries/s", op_rate, 0, 1, 1, false},
    {"kqueries/s", op_rate, 3, 1, 1, false},
    {"Mqueries/s", op_rate, 6, 1, 1, false},

    {"%", ratio, -2},

    {"FLOP", flops},
    {"kFLOP", flops, 3},
    {"MFLOP", flops, 6},
    {"GFLOP", flops, 9},
    {"TFLOP", flops, 12},
    {"PFLOP", flops, 15},
    {"EFLOP", flops, 18},

    {"FLOPS", flop_rate, 0, 1, 1, false},
    {"kFLOPS", flop_rate, 3, 1, 1, false},
    {"MFLOPS", flop_rate, 6, 1, 1, false},
    {"GFLOPS", flop_rate, 9, 1, 1, false},
    {"TFLOPS", flop_rate, 12, 1, 1, false},
    {"PFLOPS", flop_rate, 15, 1, 1, false},
    {"EFLOPS", flop_rate, 18, 1, 1, false},
    {"FLOP/s", flop_rate},
    {"kFLOP/s", flop_rate, 3},
    {"MFLOP/s", flop_rate, 6},
    {"GFLOP/s", flop_rate, 9},
    {"TFLOP/s", flop_rate, 12},
    {"PFLOP/s", flop_rate, 15},
    {"EFLOP/s", flop_rate, 18},

    {"$", money, 0, 1, 1, false},
    {"USD", money},
    {"kUSD", money, 3},
    {"MUSD", money, 6},

    {"$/h", money_rate, 0, 1, 3600.0, false},
    {"USD/h", money_rate, 0, 1, 3600.0},
    {"$/s", money_rate, 0, 1, 1, false},
    {"USD/s", money_rate},
    // A month is a twelfth of 8760 h, as cloud price lists have it.
    {"USD/month", money_rate, 0, 1, 730.0 * 3600.0},
    {"USD/y", money_rate, 0, 1, 8760.0 * 3600.0, false},

    {"W", power},
    {"kW", power, 3},
    {"MW", power, 6},

    // As bills have it; of joules nobody reads how much they are.
    {"J", energy, 0, 1, 1, false},
    {"kJ", energy, 3, 1, 1, false},
    {"MJ", energy, 6, 1, 1, false},
    {"GJ", energy, 9, 1, 1, false},
    {"TJ", energy, 12, 1, 1, false},
    {"Wh", energy, 0, kWattHour},
    {"kWh", energy, 3, kWattHour},
    {"MWh", energy, 6, kWattHour},
    {"GWh", energy, 9, kWattHour},
    {"TWh", energy, 12, kWattHour},
});

static_assert(std::ranges::is_sorted(kUnits, {}, &UnitText::dimension));

/// Exponents beyond this are out of range whatever the mantissa.
constexpr int kExponentLimit = 100000;

}  // namespace

std::span<const UnitText> all_units() { return kUnits; }

std::span<const UnitText> units_of(Dimension dimension) {
  const auto* first = std::ranges::lower_bound(kUnits, dimension, {}, &UnitText::dimension);
  const auto* last = std::ranges::upper_bound(kUnits, dimension, {}, &UnitText::dimension);
  return {first, last};
}

std::optional<NumberText> read_number(std::string_view text) {
  std::size_t i = 0;
  const auto skip_digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > begin;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  const std::size_t begin = i > 0 && text[0] == '+' ? 1 : 0;
  if (!skip_digits()) return std::nullopt;
  if (i + 1 < text.size() && text[i] == '.' && is_digit(text[i + 1])) ++i, skip_digits();
  NumberText out{text.substr(begin, i - begin), 0, {}};
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
    if (j < text.size() && is_digit(text[j])) {
      for (i = j; i < text.size() && is_digit(text[i]); ++i)
        out.exponent = std::min(out.exponent * 10 + (text[i] - '0'), kExponentLimit);
      if (text[j - 1] == '-') out.exponent = -out.exponent;
    }
  }
  out.rest = text.substr(i);
  return out;
}

std::optional<std::string> with_decimal_point(std::string_view text) {
  constexpr std::string_view kSeparators = ".,_'";
  const std::size_t comma = std::min(text.find_first_of(kSeparators), text.size());
  std::size_t end = comma + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (comma == text.size() || text[comma] != ',' || (end - comma - 1) % 3 == 0 ||
      text.find_first_of(kSeparators, end) != text.npos)
    return std::nullopt;
  return std::string(text.substr(0, comma)) + "." + std::string(text.substr(comma + 1));
}

double in_base(const NumberText& number, const UnitText& unit) {
  const std::string decimal =
      std::string(number.mantissa) + "e" + std::to_string(number.exponent + unit.shift);
  return decimal_value(decimal) * unit.factor / unit.divisor;
}

double decimal_value(std::string_view text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ec != std::errc::result_out_of_range) return value;
  // Too large or too small: the decimal place of the first digit that is not zero tells.
  const NumberText number = read_number(text).value_or(NumberText{});
  const std::string_view digits = number.mantissa;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = std::min(digits.find_first_of("123456789"), digits.size());
  const auto place = static_cast<long long>(point) - static_cast<long long>(first);
  const double size = place + number.exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return digits.starts_with('-') ? -size : size;
}

std::optional<double> binary_bits(std::string_view unit) {
  constexpr std::string_view kPrefixes = "KMGT";
  const std::size_t prefix = unit.empty() ? kPrefixes.npos : kPrefixes.find(unit.front());
  if (prefix == kPrefixes.npos) return std::nullopt;
  constexpr std::string_view kBits[] = {"ib", "ibit", "ib/s", "ibit/s", "ibps"};
  if (std::ranges::find(kBits, unit.substr(1)) == std::end(kBits)) return std::nullopt;
  constexpr double kOf[] = {kKi, kMi, kGi, kTi};
  return kOf[prefix] / kBitsPerByte;
}

std::vector<std::string_view> with_its_b(std::string_view unit,
                                         std::vector<std::string_view> known) {
  const auto some = [&](int (*is)(int)) {
    return std::ranges::any_of(unit, [&](unsigned char c) { return is(c) != 0; });
  };
  if (!some(std::isupper) || !some(std::islower)) return known;
  const auto differs = [&](std::string_view text) {
    return text.find('b') != unit.find('b') || text.find('B') != unit.find('B');
  };
  if (!std::ranges::all_of(known, differs)) std::erase_if(known, differs);
  return known;
}

}  // namespace stallcast::base::detail
