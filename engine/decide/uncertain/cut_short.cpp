#include "engine/decide/uncertain/cut_short.hpp"

#include <algorithm>

#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {

Failure cut_short(const Failure& why, std::span<const ObservedFigure> observed,
                  std::span<const std::string> units, const std::vector<Particle>& ended,
                  double effective) {
  const bool late = why.message.starts_with("time limit");
  std::string text = late ? "the time limit came" : why.message.substr(0, why.message.find(','));
  text += " after " + base::counted(static_cast<std::int64_t>(ended.size()), "simulations") +
          " of draws, with more to make";
  const auto closest =
      std::ranges::max_element(ended, {}, [](const Particle& one) { return one.likelihood; });
  for (std::size_t k = 0; k < observed.size(); ++k) {
    std::vector<double> values;
    for (const Particle& one : ended)
      if (k < one.figures.size()) values.push_back(one.figures[k]);
    if (values.empty() || k >= closest->figures.size()) continue;
    std::sort(values.begin(), values.end());
    const auto said = [&](double value) {
      return base::with_noun(base::print_value(value, units[k]),
                             metric::shown_unit(observed[k].metric, units[k]));
    };
    text += "; " + observed[k].metric + " was " + said(observed[k].value) +
            ", nine in ten of them give " + said(quantile_of(values, 0.05)) + " to " +
            said(quantile_of(values, 0.95)) + ", the closest " + said(closest->figures[k]);
  }
  if (!ended.empty())
    text += "; they are worth " + base::significant(effective, 2) + " independent ones";
  return {ExitCode::inconclusive, text,
          late ? "raise --time-limit, or take fewer draws (--draws)"
               : "take fewer draws (--draws), or let it end"};
}

}  // namespace stallcast::uncertain
