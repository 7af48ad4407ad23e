#include "engine/base/accelerators.hpp"

#include "engine/base/design_values.hpp"

namespace stallcast::base {

double gpus_of(const Component& host) { return number_of(host, "count") * number_of(host, "gpus"); }

double accelerators(const Design& design, const JobDesign& job) {
  if (job.job.find("accelerators") != nullptr) return number_of(job.job, "accelerators");
  const Value* hosts = job.job.find("hosts");
  const Component* host = hosts == nullptr ? nullptr : design.find_host(hosts->text);
  return host == nullptr ? 0.0 : gpus_of(*host);
}

}  // namespace stallcast::base
