#include "calibration/measure/metric_text.hpp"

#include "engine/base/quantity_text.hpp"
#include "stallcast/design.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::calibration {
namespace {

Dimension dimension_in(std::string_view unit) {
  return metric::dimension_of(unit).value_or(Dimension::number);
}

}  // namespace

std::optional<double> figure_in(std::string_view text, std::string_view unit) {
  const std::optional<double> value = base::parse_quantity(text, dimension_in(unit)).value;
  return value ? std::optional(metric::from_base(*value, unit)) : std::nullopt;
}

std::string does_not_fit(std::string_view metric, std::string_view unit) {
  return "does not fit \"" + std::string(metric) + "\", which is in " + std::string(unit);
}

std::string what_fits(std::string_view unit) {
  return "write " + std::string(base::dimension_name(dimension_in(unit))) + ", for example \"" +
         std::string(base::dimension_example(dimension_in(unit))) + "\"";
}

std::string written_in(double number, std::string_view unit) {
  if (unit.empty()) return "write \"93.5 %\" or \"850 ms\", in the unit of the metric";
  const Dimension dimension = dimension_in(unit);
  // Nobody means 3,750 % by 37.5.
  const bool percent = dimension == Dimension::ratio && number > 1.0;
  const double value = percent ? 0.01 * number : metric::to_base(number, unit);
  return "write \"" + base::exact_quantity(value, dimension) + "\", in the unit of the metric";
}

}  // namespace stallcast::calibration
