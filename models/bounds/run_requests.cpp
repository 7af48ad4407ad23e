#include "models/bounds/run_requests.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/bounds/whole_run.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using Figures = std::map<std::string, Metric>;

/// From its first step on; zero of a job that follows nothing.
Seconds begins(const Design& design, const std::string& job, const Figures& metrics) {
  for (const StageNode& node : stage_graph(design))
    if (node.job != nullptr && node.job->job.id == job)
      return Seconds::from(figure_or_zero(metrics, metric::of_stage(node.id, "start")), unit::s);
  return {};
}

/// Time in which one of the runs goes on, or several do.
Seconds in_all(std::vector<std::pair<Seconds, Seconds>> runs) {
  std::sort(runs.begin(), runs.end());
  Seconds all, until;
  for (const auto& [from, to] : runs) {
    all += std::max(Seconds{}, to - std::max(from, until));
    until = std::max(until, to);
  }
  return all;
}

}  // namespace

// (once + sum over jobs of once + k (steps + saves)) / T + others / W
//    [docs/models/cost.md, eq. 6]
std::map<std::string, double> whole_rates(const Design& design, const RequestPhases& phases,
                                          const Figures& metrics) {
  std::vector<std::pair<Seconds, Seconds>> spans;
  std::map<std::string, double> times;  // of jobs with a whole run
  bool once = std::any_of(phases.counts.begin(), phases.counts.end(), [](const auto& counted) {
    return counted.second.of(Asker::stages) > 0.0;
  });
  for (const WholeRun& run : whole_runs(design)) {
    const std::optional<Seconds> time = time_of(run, metrics);
    const std::optional<double> goes_on = times_of(run, metrics);
    if (!time || !goes_on) return {};
    const Seconds from = begins(design, run.job, metrics);
    spans.emplace_back(from, from + *time);
    times[run.job] = *goes_on;
    once = once || comes_once(run.job, metrics);
  }
  const Seconds all = in_all(std::move(spans));
  std::map<std::string, double> out;
  if (!once || all <= Seconds{} || phases.wall <= Seconds{}) return out;
  for (const auto& [resource, counted] : phases.counts) {
    double paid = counted.of(Asker::stages), others = counted.of(Asker::others);
    for (const auto& [job, by_resource] : phases.jobs) {
      const auto of = by_resource.find(resource);
      if (of == by_resource.end()) continue;
      const TrainingJob::Requests& asked = of->second;
      const auto whole = times.find(job);
      if (whole != times.end())
        paid += asked.once + whole->second * (asked.steps + asked.saves);
      else
        others += asked.once + asked.steps + asked.saves;
    }
    out[resource] = paid / all.in(unit::s) + others / phases.wall.in(unit::s);
  }
  return out;
}

}  // namespace stallcast::models
