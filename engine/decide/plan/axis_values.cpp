#include "engine/decide/plan/axis_values.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/range_values.hpp"

namespace stallcast::plan {
namespace {

constexpr std::int64_t kMostValues = 10'000'000;

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
