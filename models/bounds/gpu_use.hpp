#pragma once

#include <map>
#include <optional>
#include <string>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// GPU time of one host class, in GPUs.
struct GpuUse {
  double busy = 0.0;    ///< not idle
  double useful = 0.0;  ///< not lost later, either
};

/// Share of the time of hosts that a job trains, where jobs in a row have it together.
///    [docs/models/cost.md, eq. 3]
struct TimeShare {
  double share = 1.0;
  std::string trains;       ///< metric that says how long; "": it has all of the time, or no dates
  std::string first, last;  ///< stages of its row, that begins first and ends last
};
[[nodiscard]] TimeShare time_share(const Design& design, const JobDesign& job,
                                   const std::map<std::string, Metric>& metrics);

/// The GPUs that a job has, times its time_share: what it weighs in means over GPUs.
[[nodiscard]] double gpus_of_job(const Design& design, const JobDesign& job,
                                 const std::map<std::string, Metric>& metrics);
/// The same of all jobs, by their ids.
[[nodiscard]] std::map<std::string, double> gpus_of_jobs(
    const Design& design, const std::map<std::string, Metric>& metrics);

/// Of `gpus` GPUs of its hosts those that replicas of `tenant` serve a model on; 0 of tenants that
/// use none.    [docs/models/inference.md, eq. 2]
[[nodiscard]] double serving_gpus(const Component& tenant, double gpus);

/// Of `gpus` GPUs of `host`; `kept`: what is useful, too. nullopt where a figure of a job or tenant
/// that uses GPUs there is not known.    [docs/models/cost.md, eq. 3, 4]
[[nodiscard]] std::optional<GpuUse> gpu_use(const Design& design, const std::string& host,
                                            double gpus,
                                            const std::map<std::string, Metric>& metrics,
                                            bool kept);

}  // namespace stallcast::models
