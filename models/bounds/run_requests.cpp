#include "models/bounds/run_requests.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/bounds/whole_run.hpp"
#include "models/contract/requests.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using Figures = std::map<std::string, Metric>;

/// Names of the resources that count what has a price.
std::vector<std::string> priced(const Design& design) {
  std::vector<std::string> out;
  for (const Component& storage : design.storage)
    for (const PricedRequests& requests : kPricedRequests)
      if (storage.find(requests.price) != nullptr)
        out.push_back(metric::of_storage(storage.id, requests.resource));
  return out;
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
  /// What goes on of a whole run, over what was simulated of it.
  struct Times {
    double steps, time;
  };
  std::map<std::string, Times> times;
  const std::vector<std::string> resources = priced(design);
  bool once = std::any_of(resources.begin(), resources.end(), [&](const std::string& resource) {
    const auto counted = phases.counts.find(resource);
    return counted != phases.counts.end() && counted->second.of(Asker::stages) > 0.0;
  });
  for (const WholeRun& run : whole_runs(design)) {
    const std::optional<Seconds> time = time_of(run, metrics);
    const std::optional<double> goes_on = times_of(run, metrics);
    if (!time || !goes_on) return {};
    const Seconds from = begin_of(design, run.job, metrics);
    spans.emplace_back(from, from + *time);
    const std::optional<Seconds> pace = pace_of(run, metrics);
    const Seconds slowed =
        Seconds::from(figure_or_zero(metrics, metric::of_job(run.job, "run.slowed")), unit::s);
    times[run.job] = {*goes_on, *goes_on * (1.0 + slowed / (*pace * run.steps))};
    once = once || comes_once(run, metrics);
  }
  const Seconds all = in_all(std::move(spans));
  std::map<std::string, double> out;
  if (!once || all <= Seconds{} || phases.wall <= Seconds{}) return out;
  for (const std::string& resource : resources) {
    const auto found = phases.counts.find(resource);
    if (found == phases.counts.end()) continue;
    const RequestCount& counted = found->second;
    double paid = counted.of(Asker::stages), others = counted.of(Asker::others);
    for (const auto& [job, by_resource] : phases.jobs) {
      const auto of = by_resource.find(resource);
      if (of == by_resource.end()) continue;
      const TrainingJob::Requests& asked = of->second;
      const auto whole = times.find(job);
      if (whole != times.end())
        paid += asked.once + whole->second.steps * asked.steps +
                (asked.by_time ? whole->second.time : whole->second.steps) * asked.saves;
      else
        others += asked.once + asked.steps + asked.saves;
    }
    out[resource] = paid / all.in(unit::s) + others / phases.wall.in(unit::s);
  }
  return out;
}

}  // namespace stallcast::models
