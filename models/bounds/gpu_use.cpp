#include "models/bounds/gpu_use.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/accelerators.hpp"
#include "models/bounds/job_dates.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/training.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {

// T / (last e - first b) of the jobs in a row on the same hosts, T the longer of what was simulated
// and the whole run; without dates as much as each of them.    [docs/models/cost.md, eq. 3]
TimeShare time_share(const Design& design, const JobDesign& job,
                     const std::map<std::string, Metric>& metrics) {
  TimeShare out;
  const std::vector<StageNode> nodes = stage_graph(design);
  if (nodes.empty()) return out;
  const JobOrder order(design);
  std::vector<bool> there;
  for (const JobDesign& each : design.jobs)
    there.push_back(job_params(each.job).hosts == job_params(job.job).hosts);
  const std::vector<std::size_t> row = row_of(order, order.number_of(job.job.id), there);
  if (row.size() < 2) return out;
  const auto date = [&](const std::string& stage, const char* figure) {
    return Seconds::from(figure_or_zero(metrics, metric::of_stage(stage, figure)), unit::s);
  };
  Seconds first = Seconds::infinity(), last, trains;
  for (const StageNode& node : nodes) {
    if (node.job == nullptr ||
        std::find(row.begin(), row.end(), order.number_of(node.job->job.id)) == row.end())
      continue;
    if (const Seconds begin = date(node.id, "start"); begin < first)
      first = begin, out.first = node.id;
    if (const Seconds end = date(node.id, "end"); end > last) last = end, out.last = node.id;
  }
  out.trains = metric::of_job(job.job.id, "time.wall");
  trains = Seconds::from(figure_or_zero(metrics, out.trains), unit::s);
  for (const WholeRun& run : whole_runs(design))
    if (const auto time = time_of(run, metrics); run.job == job.job.id && time && *time > trains)
      trains = *time, out.trains = metric::of_job(job.job.id, "run.time");
  if (last > first && trains > Seconds{})
    out.share = std::min(1.0, trains / (last - first));
  else
    out = {1.0 / static_cast<double>(row.size()), "", "", ""};
  return out;
}

double gpus_of_job(const Design& design, const JobDesign& job,
                   const std::map<std::string, Metric>& metrics) {
  return base::accelerators(design, job) * time_share(design, job, metrics).share;
}

std::map<std::string, double> gpus_of_jobs(const Design& design,
                                           const std::map<std::string, Metric>& metrics) {
  std::map<std::string, double> out;
  for (const JobDesign& job : design.jobs) out[job.job.id] = gpus_of_job(design, job, metrics);
  return out;
}

double serving_gpus(const Component& tenant, double gpus) {
  const Value* each = tenant.find("gpus");
  if (each == nullptr || !(each->number > 0.0)) return 0.0;
  return std::min(gpus, std::max(1.0, std::floor(gpus / each->number)) * each->number);
}

std::optional<GpuUse> gpu_use(const Design& design, const std::string& host, double gpus,
                              const std::map<std::string, Metric>& metrics, bool kept) {
  GpuUse out;
  for (const JobDesign& job : design.jobs) {
    if (job_params(job.job).hosts != host) continue;
    const double n = gpus_of_job(design, job, metrics);
    const auto whole = [&](std::string_view figure) {
      return over_whole_run(design, job.job.id, figure, metrics) *
             figure_or_zero(metrics, metric::of_job(job.job.id, figure));
    };
    const std::string utilization = metric::gpu_utilization(job.job.id);
    const std::string goodput = metric::goodput(job.job.id);
    if (!metrics.contains(utilization) || (kept && !metrics.contains(goodput))) return std::nullopt;
    const double lent = figure_or_zero(metrics, metric::of_job(job.job.id, "elastic.lent.share"));
    out.busy += n * ((1.0 - lent) * whole(metric::kGpuUtilization) + lent);
    if (kept) out.useful += n * ((1.0 - lent) * whole(metric::kGoodput) + lent);
  }
  for (const Component& tenant : design.tenants) {
    const Value* on = tenant.find("hosts");
    const double n = serving_gpus(tenant, gpus);
    if (n <= 0.0 || on == nullptr || on->text != host) continue;
    const auto computed = metrics.find(metric::of_tenant(tenant.id, metric::kGpuUtilization));
    if (computed == metrics.end()) return std::nullopt;
    out.busy += n * computed->second.value;
    if (kept) out.useful += n * computed->second.value;
  }
  // A job and replicas may be given the same GPUs.
  out.busy = std::min(out.busy, gpus);
  out.useful = std::min(out.useful, gpus);
  return out;
}

}  // namespace stallcast::models
