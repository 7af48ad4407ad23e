#include "calibration/fit/observed_runs.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "calibration/observe/job_figures.hpp"
#include "engine/base/accelerators.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/decide/uncertain/quantiles.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::calibration {
namespace {

/// What repeats of one run differ by where the file does not say (90 %): utilization by 0.18 points
/// in the median published row and 0.85 in the tenth worst (docs/validation/mlperf.md), times and
/// rates by 5 %.
constexpr double kRepeatPoints = 0.005, kRepeatTimes = 0.05;

}  // namespace

std::optional<Dimension> dimension_of(const std::string& name) {
  return metric::dimension_of(metric::unit_said(name));
}

Interval as_repeated(const std::string& metric, double value, std::optional<Dimension> said) {
  if (dimension_of(metric).value_or(said.value_or(Dimension::number)) == Dimension::ratio)
    return {value - kRepeatPoints, std::min(value + kRepeatPoints, std::max(value, 1.0))};
  return {value * (1.0 - kRepeatTimes), value * (1.0 + kRepeatTimes)};
}

namespace {

/// Least half width of a figure that one run gave, over it; and of a wait, over the step.
constexpr double kLeastRepeat = 0.005, kLeastWait = 0.01;

/// The figures of an observed job that the only job of the design has, too; each with its own
/// error. Utilization, which DLIO writes beside its steps, is none: it follows from these.
std::vector<ObservedFigure> of_job(const JobFacts& facts, const JobDesign& job) {
  std::vector<ObservedFigure> out;
  for (const JobFigure& figure : figures_of(facts, job.job.id)) {
    using What = JobFigure::What;
    const bool of_data = figure.what == What::wait || figure.what == What::first_batch;
    if ((of_data && !job.dataset) || (figure.what == What::save && !job.checkpoint)) continue;
    double half = figure.value * std::max(figure.error, kLeastRepeat);
    if (figure.what == What::wait) half = std::max(half, kLeastWait * facts.step.in(unit::s));
    out.push_back(
        {figure.metric, figure.value, {std::max(0.0, figure.value - half), figure.value + half}});
  }
  return out;
}

/// What a file says that its run had, and the job of the scenario.
struct Had {
  std::optional<std::int64_t> there;
  double here;  ///< 0: it says nothing of that
  const char* what;
  std::string hint;
};
constexpr const char* kRanks = "accelerators";
constexpr const char* kRanksHint =
    "give the scenario of what ran: \"accelerators\" of the job, \"count\" of its hosts";

/// Whether it ran as the job does; a fault where it did not.
bool is_of_job(const std::vector<Had>& all, const std::string& file, const std::string& job,
               Diagnostics& diagnostics) {
  for (const Had& one : all) {
    if (!one.there || one.here == 0.0 || static_cast<double>(*one.there) == one.here) continue;
    diagnostics.add({Severity::error,
                     "range",
                     "",
                     {file, 0, 0},
                     "this ran with " + base::counted(*one.there, one.what) + ", and job \"" + job +
                         "\" has " + base::significant(one.here, 9),
                     one.hint});
    return false;
  }
  return true;
}

/// Readers of an observation and of the job: another number of them is another run.
std::vector<Had> had_of(const Observation& seen, const JobFacts& facts, const Design& design) {
  const JobDesign& job = design.jobs.front();
  std::vector<Had> out{{seen.ranks, base::accelerators(design, job), kRanks, kRanksHint}};
  if (!seen.loader || !job.loader) return out;
  const auto add = [&](const std::string& key, const char* what,
                       std::optional<std::int64_t> there) {
    const Value* here = job.loader->find(key);
    out.push_back({there, here == nullptr ? 0.0 : here->number, what,
                   "give the scenario of what ran: --set jobs." + job.job.id + ".loader." + key +
                       "=" + std::to_string(there.value_or(0))});
  };
  add("workers", "workers", seen.loader->workers);
  std::optional<std::int64_t> batch = seen.loader->batch;
  if (batch) *batch *= facts.batches;
  add("batch", "samples a batch", batch);
  return out;
}

/// Accelerators of a summary of DLIO.
std::vector<Had> had_of(const MeasurementSet& set, const Design& design) {
  std::vector<Had> out;
  for (const Measurement& m : set.measurements)
    if (m.processes != 0)
      out.push_back({static_cast<std::int64_t>(m.processes),
                     base::accelerators(design, design.jobs.front()), kRanks, kRanksHint});
  return out;
}

/// Utilization, saves and loads of a summary of DLIO, as those of the only job.
std::vector<ObservedFigure> of_summary(const MeasurementSet& set, const std::string& job) {
  std::vector<ObservedFigure> out;
  const auto add = [&](const std::string& metric, double value, std::optional<double> sd) {
    ObservedFigure one{metric, value, as_repeated(metric, value)};
    if (sd && *sd > 0.0)
      one.within = {std::min(one.within.low, value - uncertain::kStandardNine * *sd),
                    std::max(one.within.high, value + uncertain::kStandardNine * *sd)};
    out.push_back(std::move(one));
  };
  const auto figure = [](const Measurement& m, const char* key) -> std::optional<double> {
    const auto found = m.figures.find(key);
    return found == m.figures.end() ? std::nullopt : std::optional(found->second);
  };
  for (const Measurement& m : set.measurements) {
    if (m.subject == Subject::training && m.operation == "train")
      if (const auto au = figure(m, "au_ratio"); au && *au > 0.0)
        add(metric::of_job(job, metric::kAu), *au, figure(m, "au_stdev_ratio"));
    if (m.subject == Subject::checkpoint && m.duration && m.operation == "save")
      add(metric::checkpoint(job, "rank0"), m.duration->in(unit::s), figure(m, "duration_stdev_s"));
    if (m.subject == Subject::checkpoint && m.duration && m.operation == "restore")
      add(metric::of_job(job, "restore.rank0"), m.duration->in(unit::s),
          figure(m, "duration_stdev_s"));
  }
  return out;
}

}  // namespace

std::vector<ObservedFigure> seen_of_job(const Observation& seen, const std::string& file,
                                        const Design& design, Diagnostics& diagnostics) {
  const JobDesign& job = design.jobs.front();
  const JobFacts facts = facts_of(seen);
  if (!is_of_job(had_of(seen, facts, design), file, job.job.id, diagnostics)) return {};
  return of_job(facts, job);
}

std::vector<ObservedFigure> seen_of_summary(const MeasurementSet& set, const std::string& file,
                                            const Design& design, Diagnostics& diagnostics) {
  const std::string& job = design.jobs.front().job.id;
  if (!is_of_job(had_of(set, design), file, job, diagnostics)) return {};
  return of_summary(set, job);
}

}  // namespace stallcast::calibration
