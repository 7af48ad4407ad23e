#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/decide/gain/rows.hpp"
#include "engine/decide/plan/advice.hpp"
#include "engine/decide/plan/plan.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"

namespace stallcast::plan {

Proposal field_change(std::string_view role, const Component& of, const std::string& field,
                      const std::string& before, const Setting& after) {
  return {std::string(role) + "." + of.id + "." + field + " " + before + " -> " + text_of(after),
          {base::component_path(role, of.id) + "." + field, after},
          0.0};
}

Proposal job_change(const JobDesign& job, const std::string& field, const Setting& before,
                    const Setting& after) {
  return field_change("job", job.job, field, text_of(before), after);
}

Proposal with_count(const Proposal& proposal, double number) {
  Proposal::Count count = *proposal.count;
  count.to = number;
  const auto written = [&](double n) { return setting_of(n, count.dimension); };
  return {count.label + " " + text_of(written(count.from)) + " -> " + text_of(written(number)),
          {count.path, written(number)},
          count.bought ? added(count.from, number) : 0.0,
          count};
}

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
/// More than so many times what there is are asked for only once, as any number.
constexpr double kMostTimes = 16.0;
/// What of a storage system stands for any number, as in plans: at least so many, or so many times
/// what there is.
constexpr double kAnyNumber = 4096.0, kAnyTimes = 64.0;
/// More of a setting is tried while twice of it takes away so much of what is missing.
constexpr double kCloser = 0.01;

/// By how much figures miss their limits, all targets together; one that is further off than `far`
/// times its limit counts no more.
double shortfall(const Prediction& prediction, double far) {
  double sum = 0.0;
  for (const TargetMargin& t : point_of(prediction, {}).targets)
    sum += std::clamp(-t.margin, 0.0, far);
  return sum;
}

/// Other numbers of what a change counts, in steps on top of what there is.
class Counted {
 public:
  Counted(const Tried& first, const Prediction& base, const Redesign& redesign,
          const predict::PredictOptions& options)
      : first_(first), base_(base), redesign_(redesign), options_(options) {}

  /// The fewest that meet the targets; what was proposed where that many are too many. Targets are
  /// taken to be the easier the more there is, as by plans.
  [[nodiscard]] Tried fewest() const { return count().bought ? fewest_bought() : fewest_set(); }

 private:
  [[nodiscard]] const Proposal::Count& count() const { return *first_.proposal.count; }

  static bool meets(const Tried& t) { return t.prediction.verdict == Verdict::pass; }

  [[nodiscard]] std::optional<Tried> attempt(double steps) const {
    std::vector<Tried> one =
        simulate_changes({with_count(first_.proposal, count().origin() + count().step * steps)},
                         base_, redesign_, options_);
    if (one.empty()) return std::nullopt;
    return std::move(one.front());
  }

  /// Between `none`, which misses targets, and `some`, which `best` is of.
  [[nodiscard]] Tried between(double none, double some, Tried best) const {
    while (some - none > 1.0) {
      const double middle = std::floor((none + some) / 2.0);
      std::optional<Tried> tried = attempt(middle);
      if (!tried) break;
      if (meets(*tried)) {
        some = middle;
        best = *std::move(tried);
      } else {
        none = middle;
      }
    }
    return best;
  }

  [[nodiscard]] Tried fewest_bought() const {
    const double from = count().from, step = count().step;
    const double usual = std::floor((kMostTimes - 1.0) * std::max(from, 1.0) / step);
    const double any = std::max(kAnyNumber, kAnyTimes * from) - from;
    const double most = count().pointer.starts_with("/storage") ? std::ceil(any / step) : usual;
    double none = 0.0, some = 1.0;
    std::optional<Tried> best = attempt(some);
    while (best && !meets(*best)) {
      none = some;
      if (some >= most) return first_;
      best = attempt(some = some < usual ? std::min(2.0 * some, usual) : most);
    }
    return best ? between(none, some, *std::move(best)) : first_;
  }

  /// A setting costs nothing, so twice of it is not made less; more of it is tried as long as the
  /// targets come closer.
  [[nodiscard]] Tried fewest_set() const {
    const double from = count().from / count().step;
    double none = 0.0, some = count().to / count().step - from;
    double missing = missing_to(base_);
    std::optional<Tried> best = first_;
    while (best && !meets(*best)) {
      const double left = missing_to(best->prediction);
      if (!(left < (1.0 - kCloser) * missing)) return first_;
      missing = left;
      none = some;
      some = 2.0 * some + from;
      if (some > kAnyTimes * std::max(from, 1.0)) return first_;
      best = attempt(some);
    }
    if (!best) return first_;
    return none > 0.0 ? between(none, some, *std::move(best)) : first_;
  }

  static double missing_to(const Prediction& prediction) {
    return shortfall(prediction, std::numeric_limits<double>::infinity());
  }

  const Tried& first_;
  const Prediction& base_;
  const Redesign& redesign_;
  const predict::PredictOptions& options_;
};

}  // namespace

std::vector<Tried> simulate_as_needed(const std::vector<Proposal>& changes, const Prediction& base,
                                      const Redesign& redesign,
                                      const predict::PredictOptions& options) {
  std::vector<Tried> out = simulate_changes(changes, base, redesign, options);
  if (base.verdict != Verdict::fail || base.events > kMostEvents || tried_nominally(base))
    return out;
  for (Tried& made : out)
    if (made.proposal.count) made = Counted(made, base, redesign, options).fewest();
  return out;
}

namespace {

std::vector<MissedTarget> missed_of(const PlanPoint& point) {
  std::vector<MissedTarget> out;
  for (const TargetMargin& t : point.targets)
    if (t.status == "fail" || (t.status != "pass" && t.margin < 0.0))
      out.push_back({t.id, std::max(0.0, -t.margin), t.status == "fail"});
  std::stable_sort(out.begin(), out.end(),
                   [](const MissedTarget& a, const MissedTarget& b) { return a.by > b.by; });
  return out;
}

/// Targets that `base` misses by their confidence alone, and that are no further from their limits
/// with a change: its draws would miss them as well.
std::vector<MissedTarget> as_unsure(const PlanPoint& base, const PlanPoint& with) {
  constexpr double kMoved = 1e-4;  // of the limit
  std::vector<MissedTarget> out;
  for (const TargetMargin& was : base.targets) {
    if (!was.unsure()) continue;
    const auto is = std::find_if(with.targets.begin(), with.targets.end(),
                                 [&](const TargetMargin& t) { return t.id == was.id; });
    if (is != with.targets.end() && is->status == "pass" && is->margin < was.margin + kMoved)
      out.push_back({was.id, 0.0, true});
  }
  return out;
}

/// Jobs and tenants that lose more than chance makes of their speed.
std::vector<std::pair<std::string, double>> slowed(const Prediction& base, const Prediction& with) {
  constexpr double kSlower = 0.01;
  std::vector<std::pair<std::string, double>> out;
  const auto add = [&](const std::string& id, double left) {
    if (left > 0.0 && left < 1.0 - kSlower) out.emplace_back(id, 1.0 - left);
  };
  for (const auto& [job, shares] : base.breakdown) {
    const auto now = [&, &id = job](const Prediction& p) {
      return lasting(p, id, metric::kGpuUtilization);
    };
    const double was = now(base);
    if (base.breakdown.size() > 1 && was > 0.0) add(job, now(with) / was);
  }
  for (const std::string& tenant : tenants_of(base)) add(tenant, tenant_speed(tenant, with, base));
  return out;
}

}  // namespace

Alternative in_short(const Tried& tried, const Prediction& base) {
  Alternative a;
  a.change = tried.proposal.text;
  a.set = text_of(tried.proposal.change);
  a.utilization = lasting_utilization(tried.prediction);
  a.gain = gained(base, tried.prediction);
  a.goodput = lasting_goodput(tried.prediction);
  a.goodput_gain = a.goodput - lasting_goodput(base);
  // Points are the time that is saved, times what is useful of the rest.
  a.noise = a.goodput * gain::gain_between(base, tried.prediction, "").noise;
  a.verdict = tried.prediction.verdict;
  a.relative_cost = tried.proposal.relative_cost;
  const PlanPoint point = point_of(tried.prediction, {});
  for (const TargetMargin& t : point.targets)
    a.margin = std::min(a.margin.value_or(t.margin), t.margin);
  a.missed = missed_of(point);
  for (MissedTarget& target : as_unsure(point_of(base, {}), point)) {
    a.missed.push_back(std::move(target));
    a.verdict = Verdict::fail;
  }
  constexpr double kFar = 10.0;
  a.closer = shortfall(base, kFar) - shortfall(tried.prediction, kFar);
  a.stall = point.stall;
  a.slows = slowed(base, tried.prediction);
  if (base.metrics.contains(metric::kCapex))
    a.cost =
        figure_or_zero(tried.prediction, metric::kCapex) - figure_or_zero(base, metric::kCapex);
  return a;
}

bool is_better(const Alternative& a, const Alternative& b, const Prediction& base) {
  const bool meets = a.verdict == Verdict::pass;
  const bool by_cost = base.verdict != Verdict::pass && !tried_nominally(base);
  if (meets != (b.verdict == Verdict::pass)) return meets;
  if (meets && by_cost && a.cost && b.cost && *a.cost != *b.cost) return *a.cost < *b.cost;
  if (meets && by_cost && a.relative_cost != b.relative_cost)
    return a.relative_cost < b.relative_cost;
  const auto worth = [](const Alternative& one) {
    const double most = std::max(one.gain, one.goodput_gain);
    return std::abs(most) < one.noise ? 0.0 : most;
  };
  return worth(a) > worth(b);
}

std::vector<Alternative> try_changes(const std::vector<Proposal>& changes, const Prediction& base,
                                     const Redesign& redesign,
                                     const predict::PredictOptions& options) {
  std::vector<Alternative> alternatives;
  for (const Tried& tried : simulate_as_needed(changes, base, redesign, options))
    alternatives.push_back(in_short(tried, base));
  std::stable_sort(
      alternatives.begin(), alternatives.end(),
      [&](const Alternative& a, const Alternative& b) { return is_better(a, b, base); });
  return alternatives;
}

CountCurve count_curve(const Proposal& counted, const Prediction& base, const Redesign& redesign,
                       const predict::PredictOptions& options) {
  CountCurve out{counted.count->label, counted.count->from, {}};
  if (base.events > kMostEvents) return out;
  const auto add = [&](double count, const Prediction& with) {
    CountedDesign& made = out.points.emplace_back();
    made.count = count;
    made.utilization = lasting_utilization(with);
    made.goodput = lasting_goodput(with);
    made.verdict = with.verdict;
    if (with.metrics.contains(metric::kCapex)) made.cost = figure_or_zero(with, metric::kCapex);
  };
  add(out.now, base);
  std::vector<Proposal> proposals;
  std::set<double> seen{out.now};
  for (const double times : {0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 3.0}) {
    const double from = counted.count->origin(), step = counted.count->step;
    const double count = from + step * std::round((times * out.now - from) / step);
    if (count > 0.0 && seen.insert(count).second) proposals.push_back(with_count(counted, count));
  }
  // A number that was tried as advice is on it, too, however far off: it may be what meets targets.
  const std::string set = counted.change.path + "=";
  for (const Alternative& a : base.alternatives) {
    if (!a.set.starts_with(set)) continue;
    const double count = std::strtod(a.set.c_str() + set.size(), nullptr);
    if (count > 0.0 && seen.insert(count).second) proposals.push_back(with_count(counted, count));
  }
  for (const Tried& tried : simulate_changes(proposals, base, redesign, options))
    add(tried.proposal.count->to, tried.prediction);
  std::sort(out.points.begin(), out.points.end(),
            [](const CountedDesign& a, const CountedDesign& b) { return a.count < b.count; });
  return out;
}

}  // namespace stallcast::plan
