#include <algorithm>

#include "engine/decide/plan/plan.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/limit.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

/// What decides first: what misses its confidence, then its limit, then what is undecided.
int urgency(const TargetMargin& t) {
  return t.unsure() ? 0 : t.status == "fail" ? 1 : t.status == "inconclusive" ? 2 : 3;
}

/// Whether `a` decides before `b`; of two that stand alike, what is nearest to its limit.
bool tighter(const TargetMargin& a, const TargetMargin& b) {
  return urgency(a) != urgency(b) ? urgency(a) < urgency(b) : a.margin < b.margin;
}

TargetMargin margin_of(const AssertionOutcome& outcome, std::span<const PartDown> outages) {
  TargetMargin out{outcome.id, outcome.that, outcome.value, 0.0, outcome.unit, 0.0, outcome.status};
  for (const PartDown& outage : outages)
    if (const std::string suffix = outage_suffix(outage); out.id.ends_with(suffix)) {
      out.id.resize(out.id.size() - suffix.size());
      out.when = outage.label + " down";
    }
  out.probability = outcome.probability;
  out.confidence = outcome.confidence;
  out.interval = outcome.ci95;
  const auto parsed = base::parse_assertion(outcome.that);
  if (!parsed.ok()) return out;
  if (const auto limit = base::limit_in(*parsed, outcome.unit); limit.ok()) {
    out.limit = base::nearest_end(*parsed, outcome.value, *limit, outcome.upper);
    out.margin = base::margin(*parsed, outcome.value, *limit, outcome.upper);
  }
  return out;
}

}  // namespace

double gained(const Prediction& base, const Prediction& with) {
  return !time_gained(base).empty() ? time_saved(base, with)
                                    : lasting_utilization(with) - lasting_utilization(base);
}

PlanPoint point_of(const Prediction& prediction, std::span<const PartDown> outages) {
  PlanPoint point;
  point.meets = prediction.verdict == Verdict::pass;
  point.inconclusive = prediction.verdict == Verdict::inconclusive;
  point.utilization = mean_utilization(prediction);
  point.replicas = static_cast<std::int64_t>(prediction.seeds.size());
  if (prediction.metrics.contains(metric::kCapex))
    point.cost = figure_or_zero(prediction, metric::kCapex);
  for (const auto& [job, shares] : prediction.breakdown)
    if (const auto found = prediction.metrics.find(metric::checkpoint(job, "stall"));
        found != prediction.metrics.end())
      point.stall = std::max(point.stall.value_or(0.0), found->second.value);
  if (prediction.breakdown.size() == 1)
    if (const auto found =
            prediction.metrics.find(metric::gpu_utilization(prediction.breakdown.begin()->first));
        found != prediction.metrics.end())
      point.interval = found->second.ci90 ? found->second.ci90 : found->second.ci95;
  for (const AssertionOutcome& outcome : prediction.assertions) {
    if (outcome.level == "warn") continue;
    TargetMargin target = margin_of(outcome, outages);
    // the tightest target names what binds
    const bool first = std::all_of(point.targets.begin(), point.targets.end(),
                                   [&](const TargetMargin& t) { return tighter(target, t); });
    if (first) {
      AssertionOutcome named = outcome;
      if (target.when.empty()) predict::name_limit(prediction, named);
      point.binding = named.limited_by;
      point.waited = named.waited;
      // Nobody waits for room that is left.
      if (outcome.status == "pass" && metric::parse(outcome.metric).figure == "capacity.used") {
        const Limit most = most_waited_for(prediction);
        point.binding = most.kind == Limit::Kind::resource ? most.name : "";
        point.waited = !point.binding.empty();
      }
    }
    point.targets.push_back(std::move(target));
  }
  for (const ResourceUse& use : prediction.resources)
    if (use.name == point.binding) {
      point.binding_utilization = use.utilization();
      point.binding_load = std::min(1.0, use.load());
    }
  return point;
}

double limit_kept(const TargetMargin& target) {
  const auto parsed = base::parse_assertion(target.that);
  if (!parsed.ok() || !target.interval) return target.value;
  bool above = parsed->op.starts_with('>');
  if (parsed->op == "in")
    if (const auto lower = base::limit_in(*parsed, target.unit); lower.ok())
      above = *lower == target.limit;
  return above ? target.interval->first : target.interval->second;
}

const TargetMargin* tightest(const PlanPoint& point) {
  const auto least = std::min_element(point.targets.begin(), point.targets.end(), tighter);
  return least == point.targets.end() ? nullptr : &*least;
}

}  // namespace stallcast::plan
