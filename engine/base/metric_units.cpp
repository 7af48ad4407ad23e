#include <algorithm>
#include <array>
#include <utility>

#include "stallcast/design.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/units.hpp"

namespace stallcast::metric {
namespace {

constexpr std::string_view kPerHour = "USD/h";

/// The first row of a dimension has its base unit, the first of a unit its dimension.
constexpr std::array<std::pair<Dimension, std::string_view>, 13> kUnits = {
    {{Dimension::count, "count"},
     {Dimension::number, "count"},
     {Dimension::bytes, "B"},
     {Dimension::time, "s"},
     {Dimension::rate, "B/s"},
     {Dimension::op_rate, "1/s"},
     {Dimension::ratio, "ratio"},
     {Dimension::flops, "FLOP"},
     {Dimension::flop_rate, "FLOP/s"},
     {Dimension::money, "USD"},
     {Dimension::money_rate, "USD/s"},
     {Dimension::money_rate, kPerHour},
     {Dimension::power, "W"}}};

}  // namespace

std::string_view unit_of(Dimension dimension) {
  const auto row = std::find_if(kUnits.begin(), kUnits.end(),
                                [&](const auto& known) { return known.first == dimension; });
  return row == kUnits.end() ? std::string_view() : row->second;
}

std::optional<Dimension> dimension_of(std::string_view unit) {
  const auto row = std::find_if(kUnits.begin(), kUnits.end(),
                                [&](const auto& known) { return known.second == unit; });
  return row == kUnits.end() ? std::nullopt : std::optional(row->first);
}

double to_base(double value, std::string_view unit) {
  return unit == kPerHour ? value / unit::h.scale : value;
}
double from_base(double base_value, std::string_view unit) {
  return unit == kPerHour ? base_value * unit::h.scale : base_value;
}

}  // namespace stallcast::metric
