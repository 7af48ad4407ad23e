#include "engine/decide/gain/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "engine/base/covers.hpp"
#include "engine/decide/gain/levers.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/limit.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::gain {
namespace {

/// A resource that is called as the value that gains most is taken for one that is blamed so much
/// more.
constexpr double kNamed = 0.01;

/// What `gain`, of the part of `row`, is called by: `row`. Where that is one direction, both are
/// used, and less was waited for there than is gained: the direction of the value that gains, if
/// that is known, else none.
std::string named(const Prediction& p, const Bottleneck& row, const Gain& gain, double noise) {
  const std::string whole = base::without_way(row.resource), by = resource_of(gain.by);
  const auto other_way = [&](const std::string& name) {
    return name != row.resource && name != whole && base::without_way(name) == whole;
  };
  // Of what moves both ways more is used than that one direction moves.
  const bool both =
      std::any_of(p.bottlenecks.begin(), p.bottlenecks.end(), [&](const Bottleneck& b) {
        return (b.utilization > 0.0 && other_way(b.resource)) ||
               (b.utilization > row.utilization && b.resource == whole);
      });
  if (!both || whole == row.resource || by == row.resource || !is_gain(gain, noise) ||
      row.blamed_share * waiting_share(p) >= gain.time || resource_of(gain.part) == row.resource)
    return row.resource;
  return other_way(by) ? by : whole;
}

/// What luck may make of a gain: both met the same failures, so what histories of the one differ by
/// from those of the other says it.    [docs/models/blame.md, eq. 2]
void add_noise(const Prediction& before, const Prediction& after, Gain& gain) {
  const auto of = [](const Prediction& p, const std::string& job) {
    const auto found = p.histories.find(metric::goodput(job));
    return found == p.histories.end() ? Histories{} : found->second;
  };
  for (const auto& [job, saved] : gain.each)
    if (const double noise = noise_between(of(before, job), of(after, job)); noise > 0.0)
      gain.each_noise[job] = (1.0 - saved) * noise;
  if (gain.each_noise.empty()) return;
  // Jobs have failures of their own: errors of a mean add up as squares.
  for (const auto& one : gain.each_noise)
    gain.noise = std::hypot(
        gain.noise, mean_over_gpus(before, [&one](const std::string& job) -> std::optional<double> {
          return job == one.first ? one.second : 0.0;
        }));
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
  add_noise(before, after, out);
  if (out.each.size() < 2) out.each.clear(), out.each_noise.clear();
  out.utilization = lasting_utilization(after) - lasting_utilization(before);
  const double goodput = lasting_goodput(before);
  if (std::abs(lasting_utilization(before) - goodput) >= kNegligible)
    out.goodput = lasting_goodput(after) - goodput;
  return out;
}

Gain mean_of_seeds(Gain gain, const Gain& other, double noise) {
  const auto mean = [](double& a, double b) { a = (a + b) / 2.0; };
  const double apart = std::abs(gain.time - other.time) / 2.0;
  const auto both = [&](double a, double b) { return std::max(std::hypot(a, b) / 2.0, apart); };
  if (gain.noise == 0.0 && other.time < noise)
    gain.time = std::min(gain.time, other.time);
  else
    mean(gain.time, other.time);
  if (gain.noise > 0.0) gain.noise = both(gain.noise, other.noise);
  for (auto& [id, each] : gain.each_noise) each = both(each, noise_of(other, id, 0.0));
  mean(gain.utilization, other.utilization);
  if (gain.goodput && other.goodput) mean(*gain.goodput, *other.goodput);
  for (auto& [id, time] : gain.each) mean(time, gain_of(other, id));
  return gain;
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
    else if (is_gain(gain, noise))
      rows.push_back({.resource = name, .headroom = {}, .gain = gain});
  }
  // GPUs are lent because somebody wants it so: behind all that could be faster.
  const auto worth = [&](const Bottleneck& b) {
    if (!b.gain || !is_gain(*b.gain, noise)) return 0.0;
    return is_lending(b.resource) ? std::numeric_limits<double>::min() : b.gain->time;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Bottleneck& a, const Bottleneck& b) { return worth(a) > worth(b); });
}

}  // namespace stallcast::gain
