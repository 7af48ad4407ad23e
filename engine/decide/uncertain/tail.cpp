#include "engine/decide/uncertain/tail.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/design_values.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {
namespace {

constexpr double kWorst = 0.05;
constexpr std::string_view kWorstFigure = "goodput.p5";

/// Over the goodput of the job: what a detailed run makes of both is not in it. 0 without them.
double worst_over_goodput(const Prediction& p, const std::string& job) {
  const double goodput = figure_or_zero(p, metric::goodput(job));
  return goodput > 0.0 ? figure_or_zero(p, metric::of_job(job, kWorstFigure)) / goodput : 0.0;
}

}  // namespace

bool draws_replay_fewer(const Design& design, double runs) {
  return std::ranges::any_of(design.jobs, [&](const JobDesign& job) {
    return job.recovery && base::number_of(*job.recovery, "runs") > runs;
  });
}

void as_of_all_histories(const Prediction& nominal, const Prediction& fewer,
                         std::vector<Prediction>& draws) {
  for (const std::string& job : jobs_of(nominal)) {
    const double all = worst_over_goodput(nominal, job), some = worst_over_goodput(fewer, job);
    if (!(all > 0.0) || !(some > 0.0) || all == some) continue;
    const std::string name = metric::of_job(job, kWorstFigure);
    for (Prediction& draw : draws) {
      const auto found = draw.metrics.find(name);
      if (found == draw.metrics.end()) continue;
      // No more than all of the time.
      const double value = std::min(found->second.value * all / some, 1.0);
      for (AssertionOutcome& a : draw.assertions)
        if (a.metric == name && a.value == found->second.value) a.value = value;
      found->second.value = value;
    }
  }
}

double tail_half(const std::string& metric, const Design& design, const Prediction& nominal) {
  const metric::Name name = metric::parse(metric);
  const auto figure = nominal.metrics.find(metric);
  if (name.figure != kWorstFigure || figure == nominal.metrics.end() || figure->second.ci95)
    return 0.0;
  const std::string id(name.id), goodput = metric::goodput(id);
  const auto luck = nominal.luck.find(goodput);
  const auto job = std::ranges::find(design.jobs, id, [](const JobDesign& j) { return j.job.id; });
  if (luck == nominal.luck.end() || luck->second.empty() || job == design.jobs.end() ||
      !job->recovery)
    return 0.0;
  // Of longer runs fewer histories are walked.    [docs/models/whole-run.md, eq. 6]
  const double runs = base::number_of(*job->recovery, "runs"),
               horizon = base::number_of(*job->recovery, "horizon"),
               whole = figure_or_zero(nominal, metric::of_job(id, "run.time")),
               n = std::max(whole > horizon ? runs * horizon / whole : runs, 25.0);
  const double off = kStandardNine * std::sqrt(kWorst * (1.0 - kWorst) / n);
  const auto at = [&](double p) { return quantile_of(luck->second, std::clamp(p, 0.0, 1.0)); };
  return 0.5 * (at(kWorst + off) - at(kWorst - off)) * figure_or_zero(nominal, goodput);
}

}  // namespace stallcast::uncertain
