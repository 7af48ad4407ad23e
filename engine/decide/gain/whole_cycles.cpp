#include "engine/decide/gain/whole_cycles.hpp"

#include <cmath>

#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::gain {

std::optional<Design> in_whole_cycles(const Design& design, const Prediction& as_it_is) {
  if (design.jobs.size() != 1 || !design.stages.empty() || !design.failures.empty()) return {};
  const JobDesign& job = design.jobs.front();
  const bool by_work = job.job.find("epochs") != nullptr ||
                       (job.job.find("steps") != nullptr && !design.run.find("duration"));
  const Value* every = job.checkpoint ? job.checkpoint->find("every_steps") : nullptr;
  if (by_work || every == nullptr) return {};
  const double made = figure_or_zero(as_it_is, metric::of_job(job.job.id, "steps"));
  const double steps = std::floor(made / every->number) * every->number;
  if (steps <= 0.0) return {};
  Design out = design;
  out.run.values.erase("duration");
  Value& value = out.jobs.front().job.values["steps"];
  value.dimension = Dimension::count;
  value.number = steps;
  return out;
}

}  // namespace stallcast::gain
