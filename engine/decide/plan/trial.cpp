#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/decide/plan/advice.hpp"
#include "engine/decide/plan/plan.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {

std::vector<Tried> simulate_changes(const std::vector<Proposal>& changes, const Prediction& base,
                                    const Redesign& redesign,
                                    const predict::PredictOptions& options) {
  std::vector<Design> designs;
  std::vector<const Proposal*> tried;
  for (const Proposal& proposal : changes) {
    Result<Design> design = redesign(proposal.change);
    if (!design.ok()) continue;
    designs.push_back(std::move(design).value());
    tried.push_back(&proposal);
  }
  if (designs.empty()) return {};
  std::vector<Result<Prediction>> predictions = predict::predict_all(designs, options);
  std::vector<Tried> out;
  for (std::size_t i = 0; i < predictions.size(); ++i)
    if (predictions[i].ok() && predictions[i]->seeds == base.seeds)
      out.push_back({*tried[i], std::move(predictions[i]).value()});
  return out;
}

namespace {

/// A simulation with more events takes too long to be made ten times.
constexpr std::uint64_t kMostEvents = 300'000;
/// Nobody buys more than so many times what there is to mend a design.
constexpr double kMostTimes = 16.0;

/// The fewest of what `first` counts that meet the targets; `first` where that many are too many.
/// Targets are taken to be the easier the more there is, as by plans.
Tried fewest(Tried first, const Prediction& base, const Redesign& redesign,
             const predict::PredictOptions& options) {
  const Proposal::Count& count = *first.proposal.count;
  const auto meets = [](const Tried& t) { return t.prediction.verdict == Verdict::pass; };
  const auto attempt = [&](double steps) -> std::optional<Tried> {
    std::vector<Tried> one = simulate_changes(
        {with_count(first.proposal, count.from + count.step * steps)}, base, redesign, options);
    if (one.empty()) return std::nullopt;
    return std::move(one.front());
  };
  const double most = std::floor((kMostTimes - 1.0) * count.from / count.step);
  double none = 0.0, some = 1.0;
  std::optional<Tried> best = attempt(some);
  while (best && !meets(*best)) {
    none = some;
    if (some >= most) return first;
    best = attempt(some = std::min(2.0 * some, most));
  }
  if (!best) return first;
  while (some - none > 1.0) {
    const double middle = std::floor((none + some) / 2.0);
    std::optional<Tried> tried = attempt(middle);
    if (!tried) break;
    if (meets(*tried)) {
      some = middle;
      best = std::move(tried);
    } else {
      none = middle;
    }
  }
  return *std::move(best);
}

}  // namespace

std::vector<Tried> simulate_as_needed(const std::vector<Proposal>& changes, const Prediction& base,
                                      const Redesign& redesign,
                                      const predict::PredictOptions& options) {
  std::vector<Tried> out = simulate_changes(changes, base, redesign, options);
  if (base.verdict != Verdict::fail || base.events > kMostEvents) return out;
  for (Tried& made : out)
    if (made.proposal.count) made = fewest(std::move(made), base, redesign, options);
  return out;
}

std::vector<Alternative> try_changes(const std::vector<Proposal>& changes, const Prediction& base,
                                     const Redesign& redesign,
                                     const predict::PredictOptions& options) {
  std::vector<Alternative> alternatives;
  for (const Tried& tried : simulate_as_needed(changes, base, redesign, options)) {
    Alternative a;
    a.change = tried.proposal.text;
    a.set = text_of(tried.proposal.change);
    a.utilization = mean_utilization(tried.prediction);
    a.gain = gained(base, tried.prediction);
    a.meets_targets = tried.prediction.verdict == Verdict::pass;
    a.relative_cost = tried.proposal.relative_cost;
    if (base.metrics.contains(metric::kCapex))
      a.cost =
          figure_or_zero(tried.prediction, metric::kCapex) - figure_or_zero(base, metric::kCapex);
    alternatives.push_back(std::move(a));
  }
  std::stable_sort(alternatives.begin(), alternatives.end(),
                   [](const Alternative& a, const Alternative& b) {
                     if (a.meets_targets != b.meets_targets) return a.meets_targets;
                     if (a.meets_targets && a.relative_cost != b.relative_cost)
                       return a.relative_cost < b.relative_cost;
                     return a.gain > b.gain;
                   });
  return alternatives;
}

}  // namespace stallcast::plan
