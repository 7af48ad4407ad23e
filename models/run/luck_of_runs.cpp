#include "models/run/luck_of_runs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/failure/kinds.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

/// Of the time, less is not worth a word.
constexpr double kOfRepair = 0.01;

/// One sort of outage that a job feels.
struct Felt {
  std::string id;
  Seconds each{};   ///< what one costs the job, mean
  Seconds cycle{};  ///< from one to the next, mean
  Seconds whole{};  ///< of it, the time in which the next may come
  Seconds repair{};
  double seen = 0.0;  ///< in what was simulated
  Seconds lost{};     ///< by these, all together
};

const JobDesign& job_of(const Design& design, const WholeRun& run) {
  return *std::find_if(design.jobs.begin(), design.jobs.end(),
                       [&](const JobDesign& each) { return each.job.id == run.job; });
}

/// Of an outage of so long. Who reads stands still; of who only saves, the save that falls into it:
/// F - E / 2, or F^2 / (2 E) of the shorter.    [docs/models/whole-run.md, eq. 7]
Seconds cost_of(const JobDesign& job, const std::string& storage, Seconds lasts, Seconds step) {
  if (reads_from(job, storage)) return lasts;
  if (!job.checkpoint || job.checkpoint->kind != "sync") return {};
  const CheckpointParams p = checkpoint_params(*job.checkpoint);
  if (p.to != storage) return {};
  const Seconds every = p.every ? *p.every : step * static_cast<double>(p.every_steps.value_or(1));
  return lasts >= every ? lasts - every / 2.0 : lasts * (lasts / every) / 2.0;
}

std::vector<Felt> felt(const Design& design, const WholeRun& run,
                       const std::map<std::string, Metric>& metrics) {
  std::vector<Felt> out;
  for (const Component& failure : design.failures) {
    if (failure_row(failure.kind).style.kills) continue;
    const StorageFaultParams p = storage_fault_params(failure);
    const std::string name = metric::of_failure(failure.id);
    const auto of = [&](const char* figure) { return figure_or_zero(metrics, name + figure); };
    const double down = of("down.share");
    if (!p.mtbf || !(down > 0.0)) continue;
    Felt one{.id = failure.id, .repair = p.repair};
    one.cycle = p.failover / down;
    one.whole = one.cycle - p.failover - p.repair;
    one.each = cost_of(job_of(design, run), p.on, p.failover, run.compute);
    if (one.each <= Seconds{}) continue;
    one.seen = of("count");
    const Seconds stall = Seconds::from(of("stall"), unit::s);
    one.lost = stall * one.seen;
    // What one costs was measured, where one was seen to its end.
    if (one.seen > 0.0 && of("lasted") >= (p.failover + p.repair).in(unit::s) * (1.0 - 1e-9))
      one.each = std::min(stall, one.cycle * 0.999);
    out.push_back(one);
  }
  return out;
}

/// How many come, of so many on average: quantiles of a Poisson distribution, as much narrower as
/// the time in which the next may come is a part of that in which the job goes on.
std::vector<double> counts_of(const Felt& outage, double mean) {
  std::vector<double> out;
  const double narrower = outage.whole / (outage.cycle - outage.each);
  double chance = std::exp(-mean), sum = chance, n = 0.0;
  for (std::size_t i = 0; i < kLuckyQuantiles; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(kLuckyQuantiles);
    while (sum < p && n < mean + 50.0 * (1.0 + std::sqrt(mean))) {
      n += 1.0;
      chance *= mean / n;
      sum += chance;
    }
    out.push_back(std::max(0.0, mean + (n - mean) * std::min(1.0, narrower)));
  }
  return out;
}

/// What lasts of goodput is over the time of the run; of utilization as much as it has by itself,
/// where what is lost was computed too.    [docs/models/uncertainty.md, eq. 15]
void add_luck_of_lasting(const std::string& job, const Luck& of_time, RunResult& out) {
  const std::string useful = metric::of_job(job, metric::kLastingGoodput),
                    busy = metric::of_job(job, metric::kLastingUtilization);
  if (!out.metrics.contains(useful) || !out.metrics.contains(busy)) return;
  Luck kept;
  for (auto factor = of_time.rbegin(); factor != of_time.rend(); ++factor)
    kept.push_back(1.0 / *factor);
  const auto own = out.luck.find(metric::gpu_utilization(job));
  out.luck[busy] = own != out.luck.end() ? own->second : kept;
  out.luck[useful] = std::move(kept);
}

}  // namespace

void add_time_of_outages(const Design& design, RunResult& out) {
  for (const WholeRun& run : whole_runs(design)) {
    Seconds lost;
    for (const Felt& one : felt(design, run, out.metrics)) lost += one.lost;
    if (lost > Seconds{})
      out.metrics[metric::of_job(run.job, "time.outages")] = {lost.in(unit::s), "s", {}};
  }
}

// T = T0 / (1 - sum of c / cycle)
void add_outages_of_runs(const Design& design, RunResult& out) {
  for (const WholeRun& run : whole_runs(design)) {
    const std::optional<Seconds> without = time_of(run, out.metrics);
    if (!without) continue;
    double share = 0.0;
    for (const Felt& one : felt(design, run, out.metrics)) {
      share += one.each / one.cycle;
      const double repaired = one.repair / one.cycle;
      if (one.seen == 0.0 && repaired > kOfRepair)
        out.warnings.push_back(
            "failure." + one.id + ": " + base::percent(repaired, 0) +
            " of the time it is repaired, at less of its rate, and run.time of \"" + run.job +
            "\" has the outages alone; simulate one with \"at\" for what that "
            "costs");
    }
    if (!(share > 0.0)) continue;
    const Seconds added = *without * (std::min(share, 0.999) / (1.0 - std::min(share, 0.999)));
    out.metrics[metric::of_job(run.job, "run.outages")] = {added.in(unit::s), "s", {}};
  }
}

void add_luck_of_runs(const Design& design, RunResult& out) {
  for (const WholeRun& run : whole_runs(design)) {
    const std::string name = metric::of_job(run.job, "run.time");
    const auto whole = out.metrics.find(name);
    const std::optional<Seconds> pace = pace_of(run, out.metrics);
    if (whole == out.metrics.end() || !pace) {
      out.luck.erase(name);
      continue;
    }
    const Seconds time = Seconds::from(whole->second.value, unit::s);
    const double goes_on = *pace * run.steps / time;
    Luck luck;
    if (const auto histories = out.luck.find(name); histories != out.luck.end())
      for (const double factor : histories->second) luck.push_back(1.0 + goes_on * (factor - 1.0));
    for (const Felt& one : felt(design, run, out.metrics)) {
      const double mean = time / one.cycle;
      std::vector<double> all;
      for (const double count : counts_of(one, mean))
        for (const double factor : luck.empty() ? Luck{1.0} : luck)
          all.push_back(factor + (count - mean) * (one.each / time));
      luck = luck_of(std::move(all), 1.0);
    }
    if (luck.empty()) continue;
    for (const char* alike : {"run.time", "run.days", "run.cost", "run.energy"})
      if (const std::string of = metric::of_job(run.job, alike); out.metrics.contains(of))
        out.luck[of] = luck;
    add_luck_of_lasting(run.job, luck, out);
  }
}

}  // namespace stallcast::models
