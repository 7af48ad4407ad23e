#include "engine/decide/uncertain/discrepancy.hpp"

#include <algorithm>
#include <array>

#include "stallcast/metric.hpp"

namespace stallcast::uncertain {
namespace {

/// A class of metrics: of jobs, by how their figure begins.
struct Class {
  std::string_view figure;
  double half;
};
constexpr std::array kClasses = std::to_array<Class>({{"au", 0.25},
                                                      {"gpu.utilization", 0.25},
                                                      {"goodput", 0.25},
                                                      {"steady.au", 0.25},
                                                      {"first_step", 0.5},
                                                      {"first_batch", 0.5},
                                                      {"checkpoint.rank0", 0.15},
                                                      {"checkpoint.duration", 0.15},
                                                      {"checkpoint.stall", 0.15},
                                                      {"restore.rank0", 0.15},
                                                      {"restore.duration", 0.15}});

}  // namespace

double discrepancy_of(std::string_view metric) {
  const metric::Name name = metric::parse(metric);
  if (name.domain != metric::Domain::job) return 0.0;
  const auto found = std::find_if(kClasses.begin(), kClasses.end(),
                                  [&](const Class& one) { return one.figure == name.figure; });
  return found == kClasses.end() ? 0.0 : found->half;
}

}  // namespace stallcast::uncertain
