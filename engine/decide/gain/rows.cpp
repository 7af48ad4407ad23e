#include "engine/decide/gain/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "engine/decide/gain/levers.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/limit.hpp"

namespace stallcast::gain {
namespace {

/// A resource that is called as the value that gains most is taken for one that is blamed so much
/// more.
constexpr double kNamed = 0.01;

/// What `gain`, of the part of `row`, is called by: `row`. Where that is one direction, both are
/// used, and less was waited for there than is gained: the direction of the value that gains, if
/// that is known, else none.
std::string named(const Prediction& p, const Bottleneck& row, const Gain& gain, double noise) {
  const std::string base = without_direction(row.resource), by = resource_of(gain.by);
  const auto other_way = [&](const std::string& name) {
    return name != row.resource && name != base && without_direction(name) == base;
  };
  // Of what moves both ways more is used than that one direction moves.
  const bool both =
      std::any_of(p.bottlenecks.begin(), p.bottlenecks.end(), [&](const Bottleneck& b) {
        return (b.utilization > 0.0 && other_way(b.resource)) ||
               (b.utilization > row.utilization && b.resource == base);
      });
  if (!both || base == row.resource || by == row.resource || gain.time < noise ||
      row.blamed_share * waiting_share(p) >= gain.time || resource_of(gain.part) == row.resource)
    return row.resource;
  return other_way(by) ? by : base;
}

}  // namespace

Gain gain_between(const Prediction& before, const Prediction& after, const std::string& of) {
  Gain out;
  if (!of.empty()) {
    const double was = figure_or_zero(before, of), is = figure_or_zero(after, of);
    out.time = was > 0.0 && is > 0.0 ? 1.0 - is / was : 0.0;
    return out;
  }
  out.time = time_saved(before, after);
  out.each = times_saved(before, after);
  if (out.each.size() < 2) out.each.clear();
  out.utilization = mean_utilization(after) - mean_utilization(before);
  const double goodput = mean_goodput(before);
  if (std::abs(mean_utilization(before) - goodput) >= kNegligible)
    out.goodput = mean_goodput(after) - goodput;
  return out;
}

void put_into_rows(Prediction& prediction, const std::map<std::string, Gain>& gains, double noise,
                   const std::function<std::string(const std::string& resource)>& part_of) {
  std::vector<Bottleneck>& rows = prediction.bottlenecks;
  std::map<std::string, std::size_t> row;  // the one of each part,
  std::map<std::string, double> fit;       // by how well it suits
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Bottleneck& b = rows[i];
    const std::string part = part_of(b.resource);
    const auto gain = gains.find(part);
    if (gain == gains.end()) continue;
    const std::string& by = gain->second.by;
    const bool so_called = !by.empty() && resource_of(by) == b.resource;
    const double suits = (so_called ? kNamed : 0.0) + b.blamed_share + 1e-3 * b.utilization;
    if (!row.contains(part) || suits > fit[part]) row[part] = i, fit[part] = suits;
  }
  for (const auto& [part, gain] : gains) {
    const bool blamed = row.contains(part);
    const std::string name =
        blamed ? named(prediction, rows[row[part]], gain, noise) : resource_of(part);
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [&](const Bottleneck& b) { return b.resource == name; });
    if (blamed && at != rows.end())
      at->gain = gain;
    else if (gain.time >= noise)
      rows.push_back({.resource = name, .headroom = {}, .gain = gain});
  }
  // GPUs are lent because somebody wants it so: behind all that could be faster.
  const auto worth = [&](const Bottleneck& b) {
    if (!b.gain || b.gain->time < noise) return 0.0;
    return is_lending(b.resource) ? std::numeric_limits<double>::min() : b.gain->time;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Bottleneck& a, const Bottleneck& b) { return worth(a) > worth(b); });
}

}  // namespace stallcast::gain
