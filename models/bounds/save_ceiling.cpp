#include "models/bounds/save_ceiling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "models/contract/rows.hpp"
#include "models/contract/training.hpp"
#include "stallcast/metric.hpp"

/// What saves that training waits for leave of a run. docs/models/bounds.md, equation 6.
namespace stallcast::models::detail {
namespace {

// Dates are sums of steps: one that falls on `every` may come a rounding before it.
constexpr double kRounding = 1e-9;

/// Steps before the first save and between two, at most: whole ones, on average over a whole save
/// and its increments.
struct Cycle {
  double first = 1.0, between = 1.0;
};

Cycle cycle_of(const JobDemand& d, const CheckpointParams& p) {
  if (p.every_steps) {
    const double steps = static_cast<double>(*p.every_steps);
    return {steps, steps};
  }
  // From start to start, at the end of a step.    [docs/models/checkpoint.md]
  const auto steps_in = [&](Seconds time) {
    return std::max(1.0, std::ceil(time / d.compute * (1.0 + kRounding) + kRounding));
  };
  const auto behind = [&](Seconds save) { return steps_in(std::max(Seconds{}, *p.every - save)); };
  // `flush` is their mean: a whole save leaves less of `every`, the increments behind it more.
  const Seconds whole = d.flush / p.mean_part(p.drain_every);
  const double saves = static_cast<double>(p.chain(p.drain_every));
  const double increments = behind(whole * p.incremental.in(unit::ratio));
  return {steps_in(*p.every), (behind(whole) + (saves - 1.0) * increments) / saves};
}

/// Its fewest steps: workers that own files leave out a batch each at most.
double fewest_of_epoch(const JobDesign& job, const JobDemand& d) {
  double out = std::numeric_limits<double>::infinity();
  if (job.dataset) {
    const LoaderParams loader = loader_params(*job.loader);
    const bool each_worker = loader_row(job.loader->kind).policy(*job.loader).iterable;
    out = steps_of_data(job, static_cast<double>(loader.batch), d.layout.readers()) -
          (each_worker ? static_cast<double>(loader.workers) : 0.0);
  }
  if (const auto steps = job_params(job.job).steps)
    out = std::min(out, static_cast<double>(*steps));
  return std::max(0.0, out);
}

/// Its fewest steps, where it ends with its epochs.
std::optional<double> steps_of(const Design& design, const JobDesign& job, const JobDemand& d) {
  const JobParams p = job_params(job.job);
  const bool bounded = p.epochs || (p.steps && !run_params(design.run).duration);
  if (!bounded) return std::nullopt;
  return fewest_of_epoch(job, d) * static_cast<double>(p.epochs.value_or(1));
}

}  // namespace

SaveCeiling save_ceiling(const Design& design, const JobDesign& job, const JobDemand& d,
                         const CheckpointParams& p) {
  const Cycle steps = cycle_of(d, p);
  const Seconds first = d.compute * steps.first, between = d.compute * steps.between,
                save = d.flush;
  const std::string name = metric::checkpoint(d.id);
  SaveCeiling out;
  out.share = 0.0;
  // A job that ends with its steps has waited for those before the last.
  const std::optional<double> fewest = steps_of(design, job, d);
  if (fewest) {
    const double saves = std::max(0.0, std::ceil((*fewest - steps.first) / steps.between));
    out.share = (first + between * saves) / (first + (between + save) * saves);
    out.rule = {
        "(first + saves * between) / (first + saves * (between + save))",
        kEq6,
        {figure("first", first.in(unit::s), Dimension::time, "most that is computed before a save"),
         figure("between", between.in(unit::s), Dimension::time, "and between two"),
         {"save", name + "save.bound"},
         figure("saves", saves, Dimension::number, "that training has waited for")}};
  }
  // One that ends with its time ends with the step in which that is up, or with a save.
  const std::optional<Seconds> given = run_params(design.run).duration;
  if (!given && fewest) return out;
  const Seconds duration = given.value_or(kDefaultHorizon);
  const Seconds after = std::max(Seconds{}, duration - first);
  const double saves = std::floor(after / (between + save));
  const Seconds rest = after - (between + save) * saves;
  const double share =
      std::min(1.0, (duration + d.compute - save * saves - std::min(rest, save)) / duration);
  if (share <= out.share) return out;
  out.share = share;
  out.rule = {"min(1, (duration + step - saves * save - min(rest, save)) / duration)",
              kEq6,
              {figure("duration", duration.in(unit::s), Dimension::time, "of the run"),
               {"step", metric::of_job(d.id, "step.compute")},
               figure("saves", saves, Dimension::number, "in it, with the compute after each"),
               {"save", name + "save.bound"},
               figure("rest", rest.in(unit::s), Dimension::time,
                      "behind these and the " + text(first) + " before the first")}};
  return out;
}

}  // namespace stallcast::models::detail
