#include "engine/base/counted.hpp"

#include <algorithm>

#include "engine/base/quantity_text.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::base {

std::string singular(std::string_view plural) {
  if (plural == "shelves") return "shelf";
  for (const std::string_view link : {" per ", " of "})
    if (const std::size_t at = plural.find(link); at != std::string_view::npos)
      return singular(plural.substr(0, at)) + std::string(plural.substr(at));
  for (const std::string_view end : {"xes", "ches", "shes", "sses"})
    if (plural.ends_with(end)) return std::string(plural.substr(0, plural.size() - 2));
  if (plural.ends_with("ies")) return std::string(plural.substr(0, plural.size() - 3)) + "y";
  if (plural.ends_with('s')) plural.remove_suffix(1);
  return std::string(plural);
}

std::string key_of(std::string_view noun) {
  std::string out;
  noun = noun.substr(0, noun.find(" per "));
  for (const char c : noun)
    out += c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string counted(std::int64_t n, std::string_view plural) {
  return std::to_string(n) + " " + (n == 1 ? singular(plural) : std::string(plural));
}

bool is_counted(const PlanAxis& axis, const std::string& value) {
  if (!axis.metric.empty()) return true;
  // A parameter or field whose name is a plural: "boxes", not "n_ost" or "s".
  constexpr std::size_t kShortestWord = 4;
  const auto all = [](const std::string& text, char from, char to) {
    return std::all_of(text.begin(), text.end(), [&](char c) { return from <= c && c <= to; });
  };
  return axis.noun.size() >= kShortestWord && axis.noun.ends_with('s') &&
         all(axis.noun, 'a', 'z') && !value.empty() && all(value, '0', '9');
}

std::string counted(const PlanAxis& axis, const std::string& value) {
  if (!is_counted(axis, value)) return axis.name + " = " + value;
  return value + " " + (value == "1" ? singular(axis.noun) : axis.noun);
}

std::string counted(const PlanResult& plan, const PlanPoint& point) {
  std::string out;
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    out += (a > 0 ? ", " : "") + counted(plan.axes[a], point.values[a]);
  return out;
}

std::string with_noun(std::string number, std::string_view unit) {
  constexpr std::string_view kOperations = "ops/s";
  const auto dimension = metric::dimension_of(unit);
  if (dimension == Dimension::op_rate && unit != metric::unit_of(*dimension))
    for (std::size_t at = 0; (at = number.find(kOperations, at)) != std::string::npos;
         at += unit.size())
      number.replace(at, kOperations.size(), unit);
  if (unit.empty() || dimension) return number;
  const std::string noun = number == "1" ? singular(unit) : std::string(unit);
  return std::move(number) + " " + noun;
}

std::string print_value(double value, std::string_view unit) {
  const Dimension dimension = metric::dimension_of(unit).value_or(Dimension::number);
  return with_noun(print_quantity(metric::to_base(value, unit), dimension), unit);
}

}  // namespace stallcast::base
