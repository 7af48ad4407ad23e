#include "engine/decide/uncertain/outcomes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/accelerators.hpp"
#include "engine/base/assertion.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/glob.hpp"
#include "engine/base/random.hpp"
#include "engine/decide/predict/student.hpp"
#include "engine/decide/uncertain/chaos.hpp"
#include "engine/decide/uncertain/discrepancy.hpp"
#include "engine/decide/uncertain/inputs.hpp"
#include "engine/decide/uncertain/lucky.hpp"
#include "engine/decide/uncertain/possible.hpp"
#include "engine/decide/uncertain/posterior.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "engine/decide/uncertain/scale.hpp"
#include "engine/decide/uncertain/sobol.hpp"
#include "engine/decide/uncertain/tail.hpp"
#include "engine/decide/uncertain/widths.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {
namespace {

/// What about a second of two cores simulates, in events; a few draws are worth more than that.
constexpr double kEvents = 6.4e6, kMostEvents = 2e7;
/// A rank that takes part in a step costs so much of an event: up to 10 ns and 250 ns, measured
/// (incremental-ckpt 9 ns, hdfs-llm-ckpt 4 ns). Steps that repeat are not gone through.
constexpr double kRankStep = 0.04;
constexpr std::size_t kUsual = 64, kFew = 8;
/// Histories of months that a draw replays, and failures for each interval of its search: a quarter
/// and a fortieth of the usual numbers, since draws differ by more than the luck of so many.
constexpr double kHistories = 250.0, kSearched = 100.0;
/// A failure or a shift that is replayed costs so many events (0.9 us), and a search tries about so
/// many intervals, measured.
constexpr double kReplay = 4.0, kIntervals = 12.0;
/// The same points for every design: what differs between two designs is not the draw.
constexpr std::uint64_t kPoints = 20261122;
/// Shares below this are noise.
constexpr double kSmallest = 0.02;

/// Half width of single runs, on the scale, from the interval of the mean of all.  [eq. 3]
double seeds_half(const Metric& metric, std::size_t replicas, const ErrorScale& scale) {
  if (!metric.ci95 || replicas < 2) return 0.0;
  if (scale.kind == ErrorScale::Kind::factors && metric.value <= 0.0) return 0.0;
  const double half = (metric.ci95->second - metric.ci95->first) / 2.0 * scale.slope(metric.value);
  // The interval of the mean is t s / sqrt(n), that of one more run t s sqrt(1 + 1/n).
  return half * std::sqrt(static_cast<double>(replicas) + 1.0) * kStandardNine / 1.959963984540054;
}

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

class Drawing {
 public:
  Drawing(const Design& design, const Prediction& nominal, const DrawOptions& options)
      : design_(design), nominal_(nominal), options_(options), inputs_(inputs_of(design)) {}

  Result<Uncertainty> run() {
    out_.inputs.reserve(inputs_.size());
    for (const Input& input : inputs_) out_.inputs.push_back(input.said);
    if (options_.vary) out_.fitted = fitted_count(design_);
    const std::size_t wanted = count();
    if (wanted == 0) return out_;
    make_designs(wanted);
    if (const std::optional<Failure> failed = simulate()) return *failed;
    out_.draws = predictions_.size();
    limits_.emplace(designs_, nominal_);
    for (const auto& [name, metric] : nominal_.metrics) add(name, metric);
    add_targets();
    add_shares();
    return out_;
  }

 private:
  std::size_t count() {
    // Where nothing is uncertain all draws are the design as it is, which is in memory.
    if (inputs_.empty() && !options_.vary)
      return std::min(options_.draws.value_or(kFewest), kFewest);
    if (options_.draws) return *options_.draws;
    const std::size_t fit = draws_of_a_run(design_, nominal_);
    if (fit < kUsual)
      out_.why_few = "the design is large, and --draws " + std::to_string(kUsual) +
                     " takes as many as a small one gets and tells what to measure first";
    return fit;
  }

  void make_designs(std::size_t wanted) {
    for (const std::vector<double>& point : scrambled_sobol(wanted, inputs_.size(), kPoints)) {
      Design design = drawn(design_, inputs_, point);
      if (options_.vary) options_.vary(design, designs_.size());
      if (options_.valid && !options_.valid(design)) {
        ++out_.broken;
        continue;
      }
      replay_less(design, kHistories, kSearched);
      points_.push_back(point);
      designs_.push_back(std::move(design));
    }
  }

  std::optional<Failure> simulate() {
    predict::PredictOptions how = predict::one_run(options_.predict);
    if (!how.seed && !nominal_.seeds.empty()) how.seed = nominal_.seeds.front();
    // As draws replay it, the design as it is comes last.
    const bool fewer = draws_replay_fewer(design_, kHistories);
    if (fewer) replay_less(designs_.emplace_back(design_), kHistories, kSearched);
    std::vector<Result<Prediction>> all = predict::predict_all(designs_, how);
    std::optional<Prediction> same;
    if (fewer) {
      if (all.back().ok()) same = std::move(*all.back());
      all.pop_back();
      designs_.pop_back();
    }
    std::vector<std::vector<double>> points;
    std::optional<Failure> first;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].ok()) {
        predictions_.push_back(std::move(*all[i]));
        points.push_back(points_[i]);
        continue;
      }
      // What ends at the time limit says nothing against the design.
      ++(all[i].failure().exit == ExitCode::inconclusive ? out_.cut_off : out_.broken);
      if (!first) first = all[i].failure();
    }
    points_ = std::move(points);
    if (same) as_of_all_histories(nominal_, *same, predictions_);
    if (out_.cut_off > 0) out_.why_few.clear();
    if (predictions_.size() >= kFewest) return std::nullopt;
    return first ? *first
                 : Failure{ExitCode::inconclusive, "too few draws make a design that can be built",
                           "narrow the ranges of its inputs"};
  }

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

  void add(const std::string& name, const Metric& metric) {
    std::vector<double> sorted = values_of(name);
    if (sorted.empty() || !std::isfinite(metric.value)) return;
    std::sort(sorted.begin(), sorted.end());
    const double least_of_all = std::min(sorted.front(), metric.value);
    const ErrorScale scale = ErrorScale::of(name, metric.unit, least_of_all, sorted.back(), false);
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
    // In points for shares, as they are read.
    const double read = scale.kind == ErrorScale::Kind::odds ? scale.slope(out.median) : 1.0;
    out.model = model / read;
    out.model_probed = std::min(model, probed_discrepancy_of(name, design_, predictions_)) / read;
    const Possible possible = limits_->of(name);
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
    if (metric.unit == "ratio" && sorted.back() <= 1.0 && sorted.front() >= 0.0)
      widths.most = std::min(widths.most, 1.0);
    out.all = widths.with({end(0.05), end(0.95)});
    out.known = widths.left_of(out.inputs, 0.0);
    out.levels = by_level_of(end, [&](double low, double high, double times) {
      return widths.with({low, high}, times);
    });
    out.levels[kNineInTen] = out.all;
    out.half = out.levels.front();
    widths_.emplace(name, widths);
    out_.metrics.emplace(name, out);
  }

  /// Share of the draws in which a target holds, each with its luck, blurred by seeds and model.
  ///  [eq. 5, 15]
  void add_targets() {
    if (out_.cut_off > 0) return;
    std::vector<double> all(predictions_.size(), 1.0);
    bool any = false;
    for (const AssertionOutcome& asked : nominal_.assertions) {
      const Result<base::Assertion> assertion = base::parse_assertion(asked.that);
      const std::vector<AssertionOutcome> drawn = judged(asked.id);
      if (!assertion.ok() || !asked.limit || drawn.size() < predictions_.size()) continue;
      const auto [least, most] =
          std::minmax_element(drawn.begin(), drawn.end(),
                              [](const auto& a, const auto& b) { return a.value < b.value; });
      const std::vector<std::string> of = metrics_of(asked, *assertion);
      // One scale whatever the limit is: a stricter target is not more probable.
      const ErrorScale scale = ErrorScale::of(of.empty() ? asked.metric : of.front(), asked.unit,
                                              least->value, most->value, true);
      const double blur = blur_of(of, scale);
      const Possible possible = of.size() == 1 ? limits_->of(of.front()) : Possible{};
      double sum = 0.0;
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        const AssertionOutcome& a = drawn[i];
        const auto with = [&](double factor) {
          return chance(assertion->op, a.value * factor, *asked.limit,
                        asked.upper.value_or(*asked.limit), scale, blur, possible);
        };
        double holds = a.status == "pass" ? 1.0 : 0.0;
        if (assertion->op != "==") {
          const Luck luck = luck_of(predictions_[i], of);
          holds = 0.0;
          for (const double factor : luck) holds += with(factor) / static_cast<double>(luck.size());
        }
        sum += holds;
        if (asked.level != "warn") all[i] *= holds, any = true;
      }
      out_.probability[asked.id] = sum / static_cast<double>(drawn.size());
    }
    if (any) out_.all_hold = predict::mean(all);  // [eq. 5b]
  }

  /// What became of a target in each draw that has its metric.
  [[nodiscard]] std::vector<AssertionOutcome> judged(const std::string& id) const {
    std::vector<AssertionOutcome> out;
    for (const Prediction& draw : predictions_)
      for (const AssertionOutcome& a : draw.assertions)
        if (a.id == id && std::isfinite(a.value)) out.push_back(a);
    return out;
  }

  /// What a target is about: the metric that decides, or all that its statistic is of.
  [[nodiscard]] std::vector<std::string> metrics_of(const AssertionOutcome& asked,
                                                    const base::Assertion& assertion) const {
    if (nominal_.metrics.contains(asked.metric)) return {asked.metric};
    std::vector<std::string> out;
    for (const auto& [name, metric] : nominal_.metrics)
      if (base::matches_glob(assertion.metric, name)) out.push_back(name);
    return out;
  }

  /// Standard deviation of what neither draw nor input explains; a statistic is as unsure as the
  /// least sure of its metrics.
  [[nodiscard]] double blur_of(const std::vector<std::string>& names,
                               const ErrorScale& scale) const {
    double out = 0.0;
    for (const std::string& name : names) {
      const double model = scale.kind == ErrorScale::Kind::linear
                               ? 0.0
                               : discrepancy_of(name, design_, predictions_);
      const double seeds = seeds_half(nominal_.metrics.at(name), nominal_.seeds.size(), scale);
      out = std::max(out, std::hypot(seeds, model) / kStandardNine);
    }
    return out;
  }

  /// Of the figures that are asked for: what is said first and what targets are about.
  void add_shares() {
    if (predictions_.size() < kFewestForShares) return;
    std::set<std::string> wanted;
    for (const std::string& name : headlines(nominal_)) wanted.insert(name);
    for (const AssertionOutcome& a : nominal_.assertions) wanted.insert(a.metric);
    std::vector<std::vector<double>> scores = points_;
    for (std::vector<double>& point : scores)
      for (double& u : point) u = base::normal_quantile(u);
    for (const std::string& name : wanted) {
      const auto of = out_.metrics.find(name);
      if (of == out_.metrics.end()) continue;
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
  const DrawOptions& options_;
  std::vector<Input> inputs_;
  std::vector<std::vector<double>> points_;
  std::vector<Design> designs_;
  std::vector<Prediction> predictions_;
  std::map<std::string, Widths> widths_;
  std::optional<OwnLimits> limits_;
  Uncertainty out_;
};

}  // namespace

double cost_of(const Design& design, const Prediction& nominal) {
  double cost = predict::events_of(
      design, static_cast<double>(nominal.events) /
                  static_cast<double>(std::max<std::size_t>(nominal.seeds.size(), 1)));
  const double walked =
      nominal.simulated_s > 0.0 ? 1.0 - nominal.skipped_s / nominal.simulated_s : 1.0;
  for (const JobDesign& job : design.jobs) {
    const auto said = [&](const char* key) {
      return figure_or_zero(nominal, metric::of_job(job.job.id, key));
    };
    cost += kRankStep * base::accelerators(design, job) * said("steps") * walked;
    const double failures = said("failures.count"), each = failures + said("elastic.shifts");
    if (!job.recovery || each <= 0.0) continue;
    const double runs = base::number_of(*job.recovery, "runs"),
                 sought = base::number_of(*job.recovery, "search");
    // Of long runs fewer histories are walked.    [docs/models/whole-run.md, eq. 6]
    const double whole = said("run.time"), horizon = base::number_of(*job.recovery, "horizon");
    const double walked_runs = whole > horizon ? std::max(runs * horizon / whole, 1.0) : runs;
    cost += kReplay * each * walked_runs;
    // The best interval is replayed as the present one is.
    if (failures > 0.0 && sought > 0.0)
      cost +=
          kReplay * each * (walked_runs + kIntervals * std::clamp(sought / failures, 1.0, runs));
  }
  return cost;
}

void replay_less(Design& design, double runs, double failures) {
  for (JobDesign& job : design.jobs) {
    if (!job.recovery) continue;
    for (const auto& [key, most] : {std::pair{"runs", runs}, std::pair{"search", failures}})
      if (const auto found = job.recovery->values.find(key); found != job.recovery->values.end())
        found->second.number = std::min(found->second.number, most);
  }
}

std::size_t draws_that_fit(double cost) {
  const double each = std::max(cost, 1.0);
  if (each * static_cast<double>(kFew) > kMostEvents) return 0;
  return std::clamp(std::bit_floor(static_cast<std::size_t>(kEvents / each)), kFew, kUsual);
}

std::size_t draws_of_a_run(const Design& design, const Prediction& nominal) {
  Design trial = design;
  replay_less(trial, kHistories, kSearched);
  const std::size_t fit = draws_that_fit(cost_of(trial, nominal));
  return asks_for_confidence(design) ? std::max(fit, kFewestForTargets) : fit;
}

std::vector<Design> draws_of(const Design& design, std::size_t count) {
  const std::vector<Input> inputs = inputs_of(design);
  std::vector<Design> out;
  for (const std::vector<double>& point : scrambled_sobol(count, inputs.size(), kPoints))
    out.push_back(drawn(design, inputs, point));
  for (Design& one : out) replay_less(one, kHistories, kSearched);
  return out;
}

std::size_t input_count(const Design& design) { return inputs_of(design).size(); }

Result<Uncertainty> outcomes(const Design& design, const Prediction& nominal,
                             const DrawOptions& options) {
  return Drawing(design, nominal, options).run();
}

}  // namespace stallcast::uncertain
