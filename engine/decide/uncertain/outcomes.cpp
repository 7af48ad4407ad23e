#include "engine/decide/uncertain/outcomes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/decide/uncertain/chances.hpp"
#include "engine/decide/uncertain/chaos.hpp"
#include "engine/decide/uncertain/discrepancy.hpp"
#include "engine/decide/uncertain/lucky.hpp"
#include "engine/decide/uncertain/possible.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "engine/decide/uncertain/scale.hpp"
#include "engine/decide/uncertain/tail.hpp"
#include "engine/decide/uncertain/widths.hpp"
#include "stallcast/breakdown.hpp"

namespace stallcast::uncertain {
namespace {

/// Shares below this are noise.
constexpr double kSmallest = 0.02;

/// The p-quantile of a figure, of few draws by their spread on its scale.
double end_of_draws(const std::vector<double>& sorted, const ErrorScale& scale, double p) {
  if (sorted.size() >= kOwnQuantiles || sorted.front() == sorted.back())
    return quantile_of(sorted, p);
  std::vector<double> scaled;
  for (const double value : sorted) scaled.push_back(scale.to(value));
  const double median = quantile_of(sorted, 0.5), end = scale.from(end_of(scaled, p));
  if (p >= 0.5) return std::max(end, median);
  return std::min(median, sorted.front() >= 0.0 ? std::max(end, 0.0) : end);
}

/// What the draws of a design make of its figures.
class Figures {
 public:
  Figures(const Design& design, const Prediction& nominal, const DrawnDesigns& draws)
      : design_(design),
        nominal_(nominal),
        draws_(draws),
        predictions_(draws.predictions),
        limits_(draws.designs, nominal) {}

  void add_to(Uncertainty& out) {
    for (const auto& [name, metric] : nominal_.metrics) add(name, metric, out);
    add_shares(out);
  }

 private:
  /// What the draws made of a metric; empty where one of them lacks it.
  [[nodiscard]] std::vector<double> values_of(const std::string& name) const {
    std::vector<double> out;
    for (const Prediction& p : predictions_) {
      const auto found = p.metrics.find(name);
      if (found == p.metrics.end() || !std::isfinite(found->second.value)) return {};
      out.push_back(found->second.value);
    }
    return out;
  }

  void add(const std::string& name, const Metric& metric, Uncertainty& into) {
    std::vector<double> sorted = values_of(name);
    if (sorted.empty() || !std::isfinite(metric.value)) return;
    std::sort(sorted.begin(), sorted.end());
    const double least_of_all = std::min(sorted.front(), metric.value);
    const ErrorScale scale = ErrorScale::of(name, metric.unit, least_of_all, sorted.back(), false,
                                            whole_of(name, design_, predictions_));
    Spread out;
    const LuckOfDraws luck(predictions_, name, scale);
    const double median = quantile_of(sorted, 0.5);
    out.median = luck.middle(median);
    const auto of_inputs = [&](double p) { return end_of_draws(sorted, scale, p); };
    const auto end = [&](double p) { return luck.outcome(median, of_inputs(p), p); };
    out.inputs = {of_inputs(0.05), of_inputs(0.95)};
    if (const auto own = nominal_.luck.find(name); luck.any() && own != nominal_.luck.end())
      out.luck = {metric.value * quantile_of(own->second, 0.05),
                  metric.value * quantile_of(own->second, 0.95)};
    const double nominal = scale.to(metric.value);
    const double seeds = std::max(seeds_half(metric, nominal_.seeds.size(), scale),
                                  tail_half(name, design_, nominal_) * scale.slope(metric.value));
    const double model =
        scale.kind == ErrorScale::Kind::linear ? 0.0 : discrepancy_of(name, design_, predictions_);
    // In points for shares, as they are read; in shares of itself for all else.
    const double read = scale.kind != ErrorScale::Kind::odds ? 1.0
                        : metric.unit == "ratio"
                            ? scale.slope(out.median)
                            : 1.0 / std::max(1.0 - out.median / scale.whole, 1e-6);
    out.model = model / read;
    out.model_probed = std::min(model, probed_discrepancy_of(name, design_, predictions_)) / read;
    const Possible possible = limits_.of(name);
    const double least = sorted.front() >= 0.0 ? std::max(possible.least, 0.0) : possible.least;
    // What nothing varies keeps all its digits: the scale and back rounds.
    if (seeds > 0.0)
      out.seeds = {std::max(scale.from(nominal - seeds), least),
                   std::min(scale.from(nominal + seeds), std::max(possible.most, metric.value))};
    else
      out.seeds = {metric.value, metric.value};
    Widths widths{scale, out.median, std::hypot(seeds, model), least};
    widths.luck_below = luck.side(0.05);
    widths.luck_above = luck.side(0.95);
    widths.centre = median;
    widths.most = possible.most;
    if (const double all = scale.whole;
        (metric.unit == "ratio" || all != 1.0) && sorted.back() <= all && sorted.front() >= 0.0)
      widths.most = std::min(widths.most, all);
    out.all = widths.with({end(0.05), end(0.95)});
    out.known = widths.left_of(out.inputs, 0.0);
    out.levels = by_level_of(end, [&](double low, double high, double times) {
      return widths.with({low, high}, times);
    });
    out.levels[kNineInTen] = out.all;
    out.half = out.levels.front();
    widths_.emplace(name, widths);
    into.metrics.emplace(name, out);
  }

  /// Of the figures that are asked for: what is said first and what targets are about.
  void add_shares(Uncertainty& into) {
    if (predictions_.size() < kFewestForShares) return;
    std::set<std::string> wanted;
    for (const std::string& name : headlines(nominal_)) wanted.insert(name);
    for (const AssertionOutcome& a : nominal_.assertions) wanted.insert(a.metric);
    std::vector<std::vector<double>> scores = draws_.points;
    for (std::vector<double>& point : scores)
      for (double& u : point) u = base::normal_quantile(u);
    for (const std::string& name : wanted) {
      const auto of = into.metrics.find(name);
      if (of == into.metrics.end()) continue;
      const Shares shares = variance_shares(scores, values_of(name));
      of->second.explained = shares.explained;
      for (std::size_t i = 0; i < shares.total.size(); ++i)
        if (shares.total[i] >= kSmallest)
          of->second.shares.push_back(
              {i, shares.first[i], shares.total[i],
               widths_.at(name).left_of(of->second.inputs, 1.0 - shares.total[i])});
      std::stable_sort(of->second.shares.begin(), of->second.shares.end(),
                       [](const InputShare& a, const InputShare& b) { return a.total > b.total; });
    }
  }

  const Design& design_;
  const Prediction& nominal_;
  const DrawnDesigns& draws_;
  const std::vector<Prediction>& predictions_;
  const OwnLimits limits_;
  std::map<std::string, Widths> widths_;
};

}  // namespace

Result<Uncertainty> outcomes(const Design& design, const Prediction& nominal,
                             const DrawOptions& options) {
  const DrawnDesigns made = simulated_draws(design, nominal, options);
  if (const std::optional<Failure> few = made.too_few()) return *few;
  Uncertainty out;
  out.draws = made.predictions.size();
  out.broken = made.broken;
  out.cut_off = made.cut_off;
  out.why_few = made.why_few;
  for (const Input& input : made.inputs) out.inputs.push_back(input.said);
  if (options.vary) out.fitted = fitted_count(design);
  if (out.draws == 0) return out;
  Figures(design, nominal, made).add_to(out);
  const Chances targets = chances_of(design, nominal, made);
  out.probability = targets.each;
  out.all_hold = targets.all_hold();
  return out;
}

}  // namespace stallcast::uncertain
