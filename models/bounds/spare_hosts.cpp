#include "models/bounds/spare_hosts.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "engine/base/design_values.hpp"
#include "models/bounds/job_dates.hpp"
#include "models/contract/training.hpp"

namespace stallcast::models {

double spare_hosts(const Design& design, const std::string& host) {
  std::vector<bool> there;
  bool any = false;
  for (const JobDesign& job : design.jobs) {
    there.push_back(job_params(job.job).hosts == host);
    any = any || (there.back() && job.recovery && job.recovery->find("spares") != nullptr);
  }
  if (!any) return 0.0;
  const JobOrder order(design);
  std::set<std::size_t> counted;
  double sum = 0.0;
  for (std::size_t job = 0; job < there.size(); ++job) {
    if (!there[job] || counted.contains(job)) continue;
    double most = 0.0;
    for (const std::size_t other : row_of(order, job, there)) {
      counted.insert(other);
      if (const auto& recovery = design.jobs[other].recovery)
        most = std::max(most, base::number_if(*recovery, "spares").value_or(0.0));
    }
    sum += most;
  }
  return sum;
}

}  // namespace stallcast::models
