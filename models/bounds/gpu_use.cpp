#include "models/bounds/gpu_use.hpp"

#include <algorithm>

#include "models/contract/training.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

/// Share of the time of the jobs of these hosts that `job` has: all of it but where others of them
/// have ended before it begins, or begin then; without dates as much as each of these.
double share_of_time(const std::vector<StageNode>& order, const JobDesign& job,
                     const std::map<std::string, Metric>& metrics) {
  Seconds own, first = Seconds::infinity(), last;
  double jobs = 0.0;
  for (const StageNode& node : order) {
    if (node.job == nullptr || job_params(node.job->job).hosts != job_params(job.job).hosts ||
        (node.job != &job && !apart(order, *node.job, job)))
      continue;
    const auto date = [&](const char* figure) {
      return Seconds::from(figure_or_zero(metrics, metric::of_stage(node.id, figure)), unit::s);
    };
    jobs += 1.0;
    first = std::min(first, date("start"));
    last = std::max(last, date("end"));
    if (node.job == &job) own = date("end") - date("start");
  }
  return own > Seconds{} ? own / (last - first) : 1.0 / std::max(jobs, 1.0);
}

}  // namespace

std::optional<GpuUse> gpu_use(const Design& design, const std::string& host, double gpus,
                              const std::map<std::string, Metric>& metrics, bool kept) {
  GpuUse out;
  const std::vector<StageNode> order = stage_graph(design);
  for (const JobDesign& job : design.jobs) {
    const JobParams p = job_params(job.job);
    if (p.hosts != host) continue;
    const double n = (p.accelerators ? static_cast<double>(*p.accelerators) : gpus) *
                     share_of_time(order, job, metrics);
    const std::string utilization = metric::gpu_utilization(job.job.id);
    const std::string goodput = metric::goodput(job.job.id);
    if (!metrics.contains(utilization) || (kept && !metrics.contains(goodput))) return std::nullopt;
    const double lent = figure_or_zero(metrics, metric::of_job(job.job.id, "elastic.lent.share"));
    out.busy += n * ((1.0 - lent) * figure_or_zero(metrics, utilization) + lent);
    if (kept) out.useful += n * ((1.0 - lent) * figure_or_zero(metrics, goodput) + lent);
  }
  return out;
}

}  // namespace stallcast::models
