#include "calibration/observe/job_figures.hpp"

#include <cmath>

#include "calibration/observe/observation_json.hpp"
#include "engine/base/jsonc.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::calibration {
namespace {

/// Of a figure that was seen once: what runs of one job differ by.
constexpr double kOnce = 0.05;

double own_error(const Seen& seen) {
  if (seen.count < 2 || !(seen.mean > 0.0)) return kOnce;
  return 1.6448536269514722 * seen.variation() / std::sqrt(static_cast<double>(seen.count));
}

}  // namespace

std::vector<JobFigure> figures_of(const JobFacts& facts, const std::string& job) {
  using What = JobFigure::What;
  std::vector<JobFigure> out;
  const auto add = [&](What what, const char* label, const char* figure, double value,
                       double error) {
    out.push_back({what, label, metric::of_job(job, figure), Dimension::time, value, error});
  };
  // A simulation's steady steps are all but the first.
  const bool several = facts.steps > 1 || facts.epochs > 1;
  add(What::step, "step time", several ? "steady.step.time" : "step.time", facts.step.in(unit::s),
      facts.step_error);
  if (several && facts.waits_known && facts.sample)
    add(What::wait, "wait of a step", "steady.wait", facts.wait.in(unit::s),
        facts.wait > Seconds{} ? facts.wait_error * (facts.step / facts.wait) : 0.0);
  if (facts.first_batch && facts.sample)
    add(What::first_batch, "first batch", "first_batch", facts.first_batch->mean,
        own_error(*facts.first_batch));
  if (facts.saves && facts.saves->size && facts.saves->time.mean > 0.0)
    add(What::save, "save", facts.saves->asynchronous ? "checkpoint.duration" : "checkpoint.stall",
        facts.saves->time.mean, own_error(facts.saves->time));
  return out;
}

std::vector<JobFigure> first_batches_of(const JobFacts& facts) {
  std::vector<JobFigure> out;
  for (const auto& [label, seen] :
       {std::pair{"first batch", &facts.first_of_run}, {"of later epochs", &facts.first_of_later}})
    out.push_back({JobFigure::What::first_batch, label, "", Dimension::time, (*seen)->mean,
                   own_error(**seen)});
  return out;
}

std::optional<Observation> read_job(const std::string& text, const std::string& file,
                                    Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.items().size();
  Observation out = read_observation(text, file, diagnostics);
  for (std::size_t i = before; i < diagnostics.items().size(); ++i)
    if (diagnostics.items()[i].severity == Severity::error) return std::nullopt;
  const bool some =
      out.steps && out.steps->count > 0 && (out.steps->duration || out.steps->compute);
  if (!some) {
    Diagnostics ignored;
    const base::JsonDocument document = base::parse_jsonc(text, file, ignored);
    diagnostics.add(
        {Severity::error, "missing", "/steps", base::locate(document, "/steps"),
         out.steps ? "the observation has steps without their times"
                   : "the observation has no steps, so there is no job to write",
         "traces of files alone tell none: run the job below stallcast observe, or import a "
         "trace that marks steps (kineto, dftracer, dlio-output)"});
    return std::nullopt;
  }
  return out;
}

}  // namespace stallcast::calibration
