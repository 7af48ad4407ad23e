#include "models/bounds/job_dates.hpp"

#include <algorithm>
#include <cmath>

#include "models/bounds/whole_run.hpp"
#include "models/contract/rows.hpp"
#include "models/stage/graph.hpp"

namespace stallcast::models {

SimulatedTime simulated_time(const Design& design, const JobDesign& job) {
  const JobParams p = job_params(job.job);
  const auto duration = run_params(design.run).duration;
  SimulatedTime out{duration.value_or(p.epochs || p.steps ? Seconds::infinity() : kDefaultHorizon),
                    "duration"};
  const double steps = steps_of_epoch(design, job);
  // One that gives neither goes on for as long as is simulated.
  if (steps > 0.0 && (p.epochs || (p.steps && !duration))) {
    const Seconds all =
        compute_of(design, job) * (steps * static_cast<double>(p.epochs.value_or(1)));
    if (all < out.time) out = {all, p.epochs ? "epochs" : "steps"};
  }
  if (const auto last = steps_to_end(design, job)) {
    const Seconds all = compute_of(design, job) * *last;
    if (all < out.time) out = {all, "run"};
  }
  if (!out.time.finite()) out.time = kDefaultHorizon;
  return out;
}

// T = max(simulated, n t)    [docs/models/stages.md, eq. 4 and 7]
Seconds least_time(const Design& design, const JobDesign& job) {
  Seconds time = simulated_time(design, job).time;
  for (const WholeRun& run : whole_runs(design))
    if (run.job == job.job.id) time = std::max(time, run.time(1.0));
  return time;
}

std::vector<std::size_t> row_of(const JobOrder& order, std::size_t job,
                                const std::vector<bool>& among) {
  std::vector<bool> found(among.size(), false);
  std::vector<std::size_t> open{job}, out;
  found[job] = true;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    out.push_back(at);
    for (std::size_t j = 0; j < found.size(); ++j)
      if (among[j] && !found[j] && order.apart(at, j)) found[j] = true, open.push_back(j);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// b = max(start, ends of what it follows), e = b + T    [docs/models/stages.md, eq. 7]
std::vector<JobDates> job_dates(const Design& design) {
  std::vector<JobDates> out(design.jobs.size());
  const std::vector<StageNode> nodes = stage_graph(design);
  std::vector<Seconds> ends;  // of nodes, which are in order
  for (const StageNode& node : nodes) {
    Seconds begin = node.start;
    for (const std::size_t before : node.after) begin = std::max(begin, ends[before]);
    ends.push_back(begin);
    if (node.job == nullptr) continue;
    ends.back() = begin + least_time(design, *node.job);
    JobDates& dates = out[static_cast<std::size_t>(node.job - design.jobs.data())];
    dates.begin = begin, dates.end = ends.back();
  }
  if (nodes.empty()) return out;
  const JobOrder order(design);
  const std::vector<bool> all(out.size(), true);
  for (std::size_t j = 0; j < out.size(); ++j) {
    const std::vector<std::size_t> row = row_of(order, j, all);
    out[j].in_row = row.size();
    for (const std::size_t each : row) out[j].row = std::max(out[j].row, out[each].end);
  }
  return out;
}

}  // namespace stallcast::models
