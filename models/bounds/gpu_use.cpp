#include "models/bounds/gpu_use.hpp"

#include "models/contract/training.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {

std::optional<GpuUse> gpu_use(const Design& design, const std::string& host, double gpus,
                              const std::map<std::string, Metric>& metrics, bool kept) {
  GpuUse out;
  for (const JobDesign& job : design.jobs) {
    const JobParams p = job_params(job.job);
    if (p.hosts != host) continue;
    const double n = p.accelerators ? static_cast<double>(*p.accelerators) : gpus;
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
