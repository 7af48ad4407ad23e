#include "models/contract/priority.hpp"

#include <set>

namespace stallcast::models {

std::vector<double> weights_of(const Design& design) {
  std::set<double> out{1.0};
  const auto add = [&](const Component& of) {
    const Value* share = of.find("share");
    const Value* priority = of.find("priority");
    out.insert(weight_in_class(share != nullptr ? share->number : 1.0,
                               priority != nullptr ? std::string_view(priority->text) : ""));
  };
  for (const JobDesign& job : design.jobs) add(job.job);
  for (const Component& tenant : design.tenants) add(tenant);
  return {out.begin(), out.end()};
}

}  // namespace stallcast::models
