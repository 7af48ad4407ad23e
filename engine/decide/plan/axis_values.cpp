#include "engine/decide/plan/axis_values.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/base/range_values.hpp"
#include "engine/base/text.hpp"

namespace stallcast::plan {
namespace {

constexpr std::int64_t kMostValues = 10'000'000;

/// A number of whole units; 0: singly, as any value.
bool is_whole(const Setting& value, std::int64_t unit) {
  if (unit <= 0) return true;
  const std::string text = text_of(value);
  const std::optional<double> number = base::parse_number(text.substr(0, text.find(' ')));
  if (!number) return false;
  const double units = *number / static_cast<double>(unit);
  return std::abs(units - std::round(units)) < 1e-9;
}

}  // namespace

Result<std::vector<Setting>> axis_values(SweepRange range, const PlanDimension& wanted,
                                         bool whole) {
  std::vector<Setting> out;
  const auto unit = static_cast<double>(wanted.unit);
  const bool backwards = range.to < range.from;
  if (backwards) std::swap(range.from, range.to);
  if (range.n < 1 && range.step <= 0.0 && !whole)
    return Failure{ExitCode::bad_input,
                   "the range of \"" + wanted.axis.path + "\" does not say its steps",
                   "add \"n\" (how many values) or \"step\""};
  const auto add = [&](double value) {
    if (unit > 0.0) value = std::ceil(value / unit - 1e-9) * unit;  // whole units
    if (unit > 0.0 && value > range.to * (1.0 + 1e-12)) return;
    if (out.empty() || std::get<Amount>(out.back()).number != value)
      out.emplace_back(Amount{value, range.unit});
  };
  if (range.n >= 1) {
    if (range.step <= 0.0 && whole && range.unit.empty() && !range.log) range.step = 1.0;
    for (std::int64_t i = 0; i < range.n; ++i) {
      const double value = base::number_at(
          range, range.n == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(range.n - 1));
      add(whole && range.unit.empty() ? std::round(value) : value);
    }
  } else {
    const double step = unit > 0.0 ? unit : range.step > 0.0 ? range.step : 1.0;
    const double first = unit > 0.0 ? std::ceil(range.from / unit - 1e-9) * unit : range.from;
    const auto n =
        static_cast<std::int64_t>(std::floor((range.to - first) / step * (1.0 + 1e-12) + 1e-12));
    if (n > kMostValues)
      return Failure{ExitCode::bad_input, "\"" + wanted.axis.path + "\" has too many values",
                     "make the range smaller, or the step larger"};
    for (std::int64_t i = 0; i <= n; ++i) add(first + static_cast<double>(i) * step);
  }
  if (out.empty())
    return Failure{ExitCode::bad_input,
                   "no whole unit lies in the range of \"" + wanted.axis.path + "\"",
                   "make the range larger, or \"unit\" smaller"};
  return out;
}

Result<std::vector<Setting>> listed_values(const PlanDimension& wanted,
                                           std::optional<std::size_t>& refused) {
  std::vector<Setting> out;
  for (const SweepValue& value : wanted.axis.values) {
    if (!is_whole(value.value, wanted.unit)) {
      refused = out.size();
      const std::string unit = std::to_string(wanted.unit);
      return Failure{ExitCode::bad_input,
                     "\"" + base::plain_path(wanted.axis.path) + "\": " + text_of(value.value) +
                         " does not come in whole units of " + unit,
                     "list multiples of " + unit + ", or leave out the unit"};
    }
    out.push_back(value.value);
  }
  return out;
}

std::string over_text(const PlanDimension& wanted, const std::string& name) {
  const SweepAxis& axis = wanted.axis;
  std::string out;
  for (const SweepValue& value : axis.values)
    out += (out.empty() ? "=" : ",") + text_of(value.value);
  if (!axis.range || !out.empty()) return name + out;
  const SweepRange& range = *axis.range;
  std::int64_t n = range.n;
  Setting last = range.exact[1];
  if (n < 1 && range.step > 0.0) {  // a command line has no steps
    const double steps = base::whole_steps(range);
    const double end = range.from + (range.to < range.from ? -1.0 : 1.0) * steps * range.step;
    n = std::llround(steps) + 1;
    last = Amount{end, range.unit};
  }
  out = name + "=" + text_of(range.exact[0]) + ".." + text_of(last);
  if (n > 0) out += ":" + std::to_string(n);
  return out + (range.log ? ":log" : "");
}

}  // namespace stallcast::plan
