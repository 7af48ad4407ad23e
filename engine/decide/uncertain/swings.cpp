#include "engine/decide/uncertain/swings.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/decide/uncertain/inputs.hpp"
#include "stallcast/breakdown.hpp"

namespace stallcast::uncertain {
namespace {

/// What about two seconds of two cores simulate, in events.
constexpr double kMostWork = 1.3e7;
/// Histories of months that each replays, and failures for each interval that it tries, as draws
/// do.
constexpr double kSwingHistories = 250.0, kSwingSearched = 100.0;
/// Ends of what an input may be: nine in ten are between them.
constexpr double kLowEnd = 0.05, kHighEnd = 0.95;
/// A figure that moves by less of itself is not moved.
constexpr double kMovesBy = 1e-3;

std::string figure_of(const Prediction& p) {
  std::string out;
  double least = 0.0;
  for (const AssertionOutcome& a : p.assertions) {
    if (!a.limit || *a.limit == 0.0 || !std::isfinite(*a.limit) || !p.metrics.contains(a.metric))
      continue;
    const double open = std::abs((a.value - *a.limit) / *a.limit);
    if (!out.empty() && open >= least) continue;
    least = open;
    out = a.metric;
  }
  if (!out.empty()) return out;
  const std::vector<std::string> names = headlines(p);
  return names.empty() ? out : names.front();
}

}  // namespace

bool tells_inputs(const Prediction& prediction) {
  if (!prediction.uncertainty) return false;
  const auto& metrics = prediction.uncertainty->metrics;
  return std::any_of(metrics.begin(), metrics.end(),
                     [](const auto& named) { return stallcast::tells_inputs(named.second); });
}

void add_swings(const Design& design, const DrawOptions& options, std::size_t most,
                Prediction& nominal) {
  const std::string metric = figure_of(nominal);
  const std::vector<Input> inputs = inputs_of(design);
  Design trial = design;
  replay_less(trial, kSwingHistories, kSwingSearched);
  if (metric.empty() || inputs.empty() ||
      static_cast<double>(1 + inputs.size() + most) * cost_of(trial, nominal) > kMostWork)
    return;
  predict::PredictOptions how = predict::one_run(options.predict);
  if (!how.seed && !nominal.seeds.empty()) how.seed = nominal.seeds.front();
  // The design as it is, simulated as those that differ from it.
  const Result<Prediction> base = predict::predict(trial, how);
  if (!base.ok() || !base->metrics.contains(metric)) return;
  const double as_is = base->metrics.at(metric).value;
  nominal.varied = inputs.size();
  std::vector<InputSwing> found;
  std::vector<std::size_t> order;  // of inputs, in `found`
  for (const Input& input : inputs) {
    order.push_back(found.size());
    found.push_back({input.said, metric, as_is, as_is});
  }
  // One end of each tells which matter; the other end of those is simulated, too. An end that is
  // what the design says is the design as it is.
  const auto stated_low = [&](std::size_t i) {
    return inputs[i].said.nominal <= inputs[i].said.range.low;
  };
  const auto stated_high = [&](std::size_t i) {
    return inputs[i].said.nominal >= inputs[i].said.range.high;
  };
  const auto simulate = [&](const auto& at_low) {
    std::vector<Design> designs;
    std::vector<std::size_t> of;
    for (const std::size_t i : order) {
      if (at_low(i) ? stated_low(i) : stated_high(i)) continue;
      std::vector<double> point(inputs.size(), kAsStated);
      point[i] = at_low(i) ? kLowEnd : kHighEnd;
      Design changed = moved(trial, inputs, point);
      if (options.valid && !options.valid(changed)) continue;
      designs.push_back(std::move(changed));
      of.push_back(i);
    }
    const std::vector<Result<Prediction>> all = predict::predict_all(designs, how);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!all[k].ok()) continue;
      const auto with = all[k]->metrics.find(metric);
      if (with != all[k]->metrics.end() && std::isfinite(with->second.value))
        (at_low(of[k]) ? found[of[k]].at_low : found[of[k]].at_high) = with->second.value;
    }
    const auto size = [&](std::size_t i) { return std::abs(found[i].at_high - found[i].at_low); };
    std::erase_if(order, [&](std::size_t i) { return !(size(i) > kMovesBy * std::abs(as_is)); });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    if (order.size() > most) order.resize(most);
  };
  simulate([&](std::size_t i) { return !stated_low(i); });
  simulate(stated_low);
  // As all its replicas have it.
  const double stated = nominal.metrics.at(metric).value;
  for (const std::size_t i : order) {
    if (stated_low(i)) found[i].at_low = stated;
    if (stated_high(i)) found[i].at_high = stated;
    nominal.swings.push_back(found[i]);
  }
}

}  // namespace stallcast::uncertain
