#include "engine/plan/plan.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

namespace stallcast::plan {
namespace {

constexpr std::int64_t kInfinityFactor = 64;
constexpr std::int64_t kSmallestInfinity = 4096;
/// How often a larger count that fails may move the answer up before the search gives in.
constexpr int kMaximumRepairs = 8;

PlanPoint point_of(std::int64_t count, const Prediction& prediction) {
  PlanPoint point;
  point.count = count;
  point.meets = prediction.verdict == Verdict::pass;
  point.inconclusive = prediction.verdict == Verdict::inconclusive;
  point.utilization = mean_utilization(prediction);
  for (const AssertionOutcome& outcome : prediction.assertions) {
    if (outcome.level == "warn") continue;
    TargetMargin target{outcome.id,   outcome.that, outcome.value, 0.0,
                        outcome.unit, 0.0,          outcome.status};
    const auto parsed = predict::parse_assertion(outcome.that);
    if (parsed.ok()) {
      if (const auto limit = predict::limit_in(*parsed, outcome.unit); limit.ok()) {
        target.limit = limit.value();
        target.margin = predict::margin(*parsed, outcome.value, target.limit);
      }
    }
    // the tightest target names what binds
    const bool tightest =
        std::all_of(point.targets.begin(), point.targets.end(),
                    [&](const TargetMargin& t) { return target.margin < t.margin; });
    if (tightest && parsed.ok()) point.binding = predict::limiter(prediction, parsed->metric);
    point.targets.push_back(std::move(target));
  }
  for (const ResourceUse& use : prediction.resources)
    if (use.name == point.binding) point.binding_utilization = use.utilization();
  return point;
}

/// The candidates simulated so far.
class Search {
 public:
  Search(const Evaluate& evaluate, std::int64_t infinity)
      : evaluate_(evaluate), infinity_(infinity) {}

  /// Simulates those of `counts` that are new and in 1..infinity, in one batch. False on a failure.
  bool visit(std::vector<std::int64_t> counts) {
    std::vector<std::int64_t> fresh;
    for (const std::int64_t n : counts)
      if (n >= 1 && n <= infinity_ && !predictions_.contains(n) &&
          std::find(fresh.begin(), fresh.end(), n) == fresh.end())
        fresh.push_back(n);
    if (fresh.empty()) return true;
    std::vector<Result<Prediction>> results = evaluate_(fresh);
    assert(results.size() == fresh.size());
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      if (!results[i].ok()) {
        failure_ = results[i].failure();
        return false;
      }
      predictions_.emplace(fresh[i], std::move(results[i]).value());
    }
    return true;
  }

  [[nodiscard]] bool meets(std::int64_t n) const {
    return n >= 1 && predictions_.at(n).verdict == Verdict::pass;
  }
  [[nodiscard]] const Failure& failure() const { return *failure_; }
  [[nodiscard]] const std::map<std::int64_t, Prediction>& predictions() const {
    return predictions_;
  }
  /// The largest count that was simulated and misses; 0 when none did.
  [[nodiscard]] std::int64_t largest_miss() const {
    std::int64_t n = 0;
    for (const auto& [count, prediction] : predictions_)
      if (prediction.verdict != Verdict::pass) n = std::max(n, count);
    return n;
  }
  /// The smallest count above `n` that was simulated and passes. REQUIRES: there is one.
  [[nodiscard]] std::int64_t next_pass(std::int64_t n) const {
    auto it = predictions_.upper_bound(n);
    while (it->second.verdict != Verdict::pass) ++it;
    return it->first;
  }

 private:
  const Evaluate& evaluate_;
  std::int64_t infinity_;
  std::map<std::int64_t, Prediction> predictions_;
  std::optional<Failure> failure_;
};

/// Narrows (miss, pass] to neighbours, two candidates a batch. False on a failure.
bool bisect(Search& search, std::int64_t& miss, std::int64_t& pass) {
  while (pass - miss > 1) {
    const std::int64_t third = std::max<std::int64_t>(1, (pass - miss) / 3);
    const std::int64_t low = miss + third;
    const std::int64_t high = std::min(pass - 1, low + third);
    if (!search.visit({low, high})) return false;
    if (search.meets(low))
      pass = low;
    else if (search.meets(high))
      miss = low, pass = high;
    else
      miss = high;
  }
  return true;
}

/// Doubles from the bound until a count passes; `infinity` does. False on a failure.
bool gallop(Search& search, std::int64_t bound, std::int64_t infinity, std::int64_t& miss,
            std::int64_t& pass) {
  for (std::int64_t n = bound; n < infinity; n *= 4) {
    if (!search.visit({n, std::min(infinity, 2 * n)})) return false;
    for (const std::int64_t candidate : {n, std::min(infinity, 2 * n)}) {
      if (search.meets(candidate)) {
        pass = candidate;
        return true;
      }
      miss = candidate;
    }
  }
  pass = infinity;
  return true;
}

}  // namespace

double mean_utilization(const Prediction& prediction) {
  double sum = 0.0;
  int jobs = 0;
  for (const auto& [name, metric] : prediction.metrics)
    if (name.starts_with("job.") && name.ends_with(".gpu.utilization")) {
      sum += metric.value;
      ++jobs;
    }
  return jobs > 0 ? sum / jobs : 0.0;
}

Result<PlanResult> solve(const Problem& problem, const Evaluate& evaluate) {
  const std::int64_t bound = std::max<std::int64_t>(1, problem.lower_bound);
  const std::int64_t infinity = problem.infinity > 0
                                    ? std::max(problem.infinity, bound)
                                    : std::max(kSmallestInfinity, kInfinityFactor * bound);
  PlanResult plan;
  plan.metric = problem.metric;
  plan.noun = problem.noun;
  plan.owner = problem.owner;
  plan.lower_bound = bound;
  plan.infinity = infinity;

  Search search(evaluate, infinity);
  const auto finish = [&](PlanStatus status, std::int64_t chosen) {
    plan.status = status;
    plan.required = status == PlanStatus::found ? chosen : 0;
    plan.prediction = search.predictions().at(chosen);
    plan.scenario_id = plan.prediction.scenario_id;
    plan.scenario_file = plan.prediction.scenario_file;
    for (const auto& [count, prediction] : search.predictions())
      plan.points.push_back(point_of(count, prediction));
    return plan;
  };

  // Out of time: what was learned so far is still worth showing.
  const auto give_up = [&]() -> Result<PlanResult> {
    if (search.failure().exit != ExitCode::inconclusive || search.predictions().empty())
      return search.failure();
    plan.notes.push_back("the search ended early: " + search.failure().message);
    return finish(PlanStatus::inconclusive, search.predictions().rbegin()->first);
  };

  if (!search.visit({infinity, bound})) return give_up();
  const Verdict at_infinity = search.predictions().at(infinity).verdict;
  if (at_infinity == Verdict::inconclusive) return finish(PlanStatus::inconclusive, infinity);
  if (at_infinity != Verdict::pass) return finish(PlanStatus::infeasible, infinity);

  std::int64_t miss = 0;
  std::int64_t pass = bound;
  if (search.meets(bound)) {
    // The bound is necessary only for what it knows of: a target may ask for less.
    if (bound > 1 && !search.visit({bound - 1})) return give_up();
    if (bound > 1 && !search.meets(bound - 1))
      miss = bound - 1;
    else
      pass = std::max<std::int64_t>(1, bound - 1);
  } else if (!gallop(search, bound, infinity, miss, pass)) {
    return give_up();
  }
  if (!bisect(search, miss, pass)) return give_up();

  // Guard: the neighbours above must pass too.
  for (int repair = 0;; ++repair) {
    if (!search.visit({pass - 1, pass + 1, std::max(pass + 2, pass + pass / 4)})) return give_up();
    miss = search.largest_miss();
    if (miss < pass) break;
    plan.non_monotone = true;
    if (repair == kMaximumRepairs) {
      plan.notes.push_back("the outcome still changed back and forth above " +
                           std::to_string(pass) + ": treat the answer as a lower estimate");
      break;
    }
    pass = search.next_pass(miss);
    if (!bisect(search, miss, pass)) return give_up();
  }
  if (plan.non_monotone)
    plan.notes.push_back(
        "more is not always better here: a smaller count passes, but a larger one between it and "
        "the answer fails");
  if (search.predictions().contains(pass - 1) &&
      search.predictions().at(pass - 1).verdict == Verdict::inconclusive)
    plan.notes.push_back("at " + std::to_string(pass - 1) +
                         " the replicas' interval straddles a limit: more replicas may lower the "
                         "answer");
  return finish(PlanStatus::found, pass);
}

Evaluate simulate_designs(std::function<Result<Design>(std::int64_t)> design_at,
                          const predict::Options& options) {
  // The time limit is for the whole search: each batch gets what is left of it.
  const auto start = std::chrono::steady_clock::now();
  return [design_at = std::move(design_at), options, start](std::span<const std::int64_t> counts) {
    predict::Options left = options;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    left.run.time_limit_s -= spent.count();
    if (left.run.time_limit_s <= 0.0)
      return std::vector<Result<Prediction>>(
          counts.size(), Failure{ExitCode::inconclusive, "the time limit was reached",
                                 "raise --time-limit or lower --replicas"});
    std::vector<Design> designs;
    for (const std::int64_t n : counts) {
      Result<Design> design = design_at(n);
      if (!design.ok()) return std::vector<Result<Prediction>>(counts.size(), design.failure());
      std::erase_if(design->expect, [](const Expectation& e) {
        const auto parsed = predict::parse_assertion(e.that);
        return parsed.ok() && predict::is_plan_metric(parsed->metric);
      });
      designs.push_back(std::move(design).value());
    }
    return predict::predict_all(designs, left);
  };
}

}  // namespace stallcast::plan
