#include "engine/base/accelerators.hpp"

#include <string_view>

namespace stallcast::base {

double accelerators(const Design& design, const JobDesign& job) {
  const auto number = [](const Component& of, std::string_view key) {
    const Value* value = of.find(key);
    return value == nullptr ? 0.0 : value->number;
  };
  if (job.job.find("accelerators") != nullptr) return number(job.job, "accelerators");
  const Value* hosts = job.job.find("hosts");
  const Component* host = hosts == nullptr ? nullptr : design.find_host(hosts->text);
  return host == nullptr ? 0.0 : number(*host, "count") * number(*host, "gpus");
}

}  // namespace stallcast::base
