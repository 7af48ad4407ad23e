#include "engine/decide/predict/compare.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/glob.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::predict {

Result<Tolerance> parse_tolerance(const std::string& text) {
  const std::size_t at = text.find('=');
  Tolerance out;
  out.pattern = at == std::string::npos ? "*" : base::trim(std::string_view(text).substr(0, at));
  const std::string share(
      base::trim(at == std::string::npos ? text : std::string_view(text).substr(at + 1)));
  const base::ParsedQuantity parsed = base::parse_quantity(share, Dimension::ratio);
  if (out.pattern.empty() || !parsed.value.has_value() || !(*parsed.value >= 0.0))
    return Failure{ExitCode::bad_input, "\"" + text + "\" is not a tolerance",
                   "write \"cost.capex=0.5%\", or \"1%\" for every metric"};
  out.relative = *parsed.value;
  return out;
}

double tolerance_of(std::string_view metric, std::span<const Tolerance> tolerances) {
  double out = kDefaultTolerance;
  for (const Tolerance& t : tolerances)
    if (base::matches_metric(t.pattern, metric)) out = t.relative;
  return out;
}

namespace {

/// Differences below are noise of adding up, whatever they are relative to: nothing that is
/// modelled is finer than these (the latency of a link is about a microsecond).
double finest(std::string_view unit) {
  if (unit == "s") return 1e-7;
  return unit == "B" || unit == "B/s" ? 1.0 : 0.0;
}

}  // namespace

MetricChange compare(std::string metric, const Metric& before, const Metric& after,
                     double tolerance, std::optional<metric::Better> way) {
  MetricChange out{std::move(metric), after.unit, before.value, after.value, Effect::none};
  const double least = after.unit == "ratio" ? kSmallShare : 0.0;
  const double relevant =
      std::max(finest(after.unit), tolerance * std::max(std::abs(before.value), least));
  if (std::abs(out.difference()) <= relevant) return out;
  const metric::Better wanted = way.value_or(metric::better(out.metric));
  if (wanted == metric::Better::neither)
    out.effect = Effect::changed;
  else
    out.effect = (out.difference() > 0.0) == (wanted == metric::Better::higher) ? Effect::better
                                                                                : Effect::worse;
  return out;
}

std::vector<MetricChange> compare_all(const std::map<std::string, Metric>& before,
                                      const std::map<std::string, Metric>& after,
                                      std::span<const Tolerance> tolerances) {
  std::vector<MetricChange> out;
  for (const auto& [name, metric] : after) {
    const auto was = before.find(name);
    if (was == before.end() || was->second.unit != metric.unit) continue;
    out.push_back(compare(name, was->second, metric, tolerance_of(name, tolerances)));
  }
  return out;
}

}  // namespace stallcast::predict
