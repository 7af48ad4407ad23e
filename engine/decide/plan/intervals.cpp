#include "engine/decide/plan/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/design_values.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/change.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

/// An interval so many times the best is far off.
constexpr double kFar = 4.0;

bool misses(const Prediction& prediction) {
  return std::ranges::any_of(prediction.assertions, [](const AssertionOutcome& outcome) {
    return outcome.status != "pass" && outcome.level != "warn";
  });
}

/// What is kept is flat around its best: whole minutes where there are many, else seconds.
double rounded(double seconds) {
  constexpr double kMinute = 60.0, kMany = 600.0;
  const double unit = seconds >= kMany ? kMinute : 1.0;
  return std::round(seconds / unit) * unit;
}

}  // namespace

std::optional<Proposal> save_interval(const JobDesign& job, std::string_view field, double wanted) {
  const Value* now = job.checkpoint ? job.checkpoint->find(field) : nullptr;
  if (now == nullptr || !(now->number > 0.0) || !(wanted > 0.0)) return std::nullopt;
  const double to =
      now->dimension == Dimension::time ? rounded(wanted) : std::max(std::round(wanted), 1.0);
  if (!(to > 0.0) || to == now->number) return std::nullopt;
  return job_change(job, "checkpoint." + std::string(field),
                    setting_of(now->number, now->dimension), setting_of(to, now->dimension));
}

std::vector<Proposal> save_intervals(const JobDesign& job, const Prediction& prediction) {
  const Value* every = job.checkpoint ? job.checkpoint->find("every") : nullptr;
  const Value* steps = job.checkpoint ? job.checkpoint->find("every_steps") : nullptr;
  const double best =
      figure_or_zero(prediction, metric::of_job(job.job.id, "checkpoint.best_interval"));
  const double step = figure_or_zero(prediction, metric::step_time(job.job.id));
  std::vector<Proposal> out;
  const auto propose = [&](double seconds) {
    std::optional<Proposal> made;
    if (every != nullptr && every->number > 0.0)
      made = save_interval(job, "every", seconds);
    else if (steps != nullptr && step > 0.0 && seconds > 0.0)
      made = save_interval(job, "every_steps", seconds / step);
    if (made) out.push_back(*std::move(made));
  };
  propose(best);
  const double now = every != nullptr   ? every->number
                     : steps != nullptr ? steps->number * step
                                        : 0.0;
  if (misses(prediction) && now > kFar * best) propose(std::sqrt(now * best));
  return out;
}

}  // namespace stallcast::plan
