#include "engine/decide/gain/whole_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/decide/uncertain/draws.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::gain {
namespace {

/// Times what was simulated, where nothing says how long it goes on.
constexpr double kGoesOn = 1e9;

}  // namespace

void replay_the_same(Design& design, const Prediction& as_it_is, double most) {
  // Of longer runs so few, of so much longer ones than they are as many.
  constexpr double kFewest = 25.0, kLonger = 10.0;
  uncertain::replay_less(design, most, 0.0);
  for (JobDesign& job : design.jobs) {
    const double whole = figure_or_zero(as_it_is, metric::of_job(job.job.id, "run.time"));
    if (!job.recovery || !(whole > 0.0)) continue;
    auto& values = job.recovery->values;
    const auto runs = values.find("runs"), horizon = values.find("horizon");
    if (runs == values.end() || horizon == values.end()) continue;
    const double asked = runs->second.number;
    const double enough = std::ceil(asked * horizon->second.number / whole);
    runs->second.number = std::min(asked, std::max(enough, kFewest));
    horizon->second.number = kLonger * whole;
  }
}

std::optional<Design> in_whole_cycles(const Design& design, const Prediction& as_it_is) {
  if (design.jobs.size() != 1 || !design.stages.empty() || !design.failures.empty()) return {};
  const JobDesign& job = design.jobs.front();
  const bool by_work = job.job.find("epochs") != nullptr ||
                       (job.job.find("steps") != nullptr && !design.run.find("duration"));
  const Value* every = job.checkpoint ? job.checkpoint->find("every_steps") : nullptr;
  if (by_work || every == nullptr) return {};
  const double whole_run = figure_or_zero(as_it_is, metric::of_job(job.job.id, "run.steps"));
  // Nobody said that its credits end before it does.
  if (whole_run == 0.0 && std::ranges::any_of(as_it_is.metrics, [](const auto& metric) {
        return metric.first.find(".credits.") != std::string::npos;
      }))
    return {};
  const double made = figure_or_zero(as_it_is, metric::of_job(job.job.id, "steps"));
  const double steps = std::floor(made / every->number) * every->number;
  if (steps <= 0.0) return {};
  Design out = design;
  out.run.values.erase("duration");
  Value& value = out.jobs.front().job.values["steps"];
  value.dimension = Dimension::count;
  value.number = steps;
  // What is told apart is the run that goes on, not one of so many steps.
  auto& job_values = out.jobs.front().job.values;
  Value& whole = job_values["run.steps"];
  whole.dimension = Dimension::number;
  whole.number = whole_run > 0.0 ? whole_run : kGoesOn * steps;
  for (const char* other : {"run.epochs", "run.tokens", "run.tokens_per_parameter"})
    job_values.erase(other);
  return out;
}

}  // namespace stallcast::gain
