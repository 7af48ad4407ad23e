#include <string>
#include <string_view>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/job_dates.hpp"
#include "scenarios/rules/support.hpp"
#include "stallcast/units.hpp"

/// How often a job saves, and whether what is simulated holds enough of it.
/// docs/models/checkpoint.md.
namespace stallcast::scenarios {
namespace {

// Where the same was said of another job, says it of both: one warning for one place.
bool add_job(Diagnostics& report, const std::string& times, const std::string& id) {
  const std::string begin = "the run lasts only " + times + " times as long as \"every\" of job";
  for (Diagnostic& d : report.items()) {
    if (!d.message.starts_with(begin)) continue;
    const std::size_t end = d.message.find("\", too short");
    if (end == std::string::npos) continue;
    d.message.insert(end + 1, ", \"" + id + "\"");
    if (d.message[begin.size()] == ' ') d.message.insert(begin.size(), "s");
    return true;
  }
  return false;
}

// In what is simulated; steps and epochs may end that before its duration.
void check_saves_there(const Design& design, const JobDesign& job, const Value& every,
                       Diagnostics& report) {
  const Component& save = *job.checkpoint;
  const Value* duration = design.run.find("duration");
  double time = duration == nullptr ? 0.0 : duration->number;
  std::string_view by = "duration";
  if (!report.has_errors()) {
    const models::SimulatedTime simulated = models::simulated_time(design, job);
    if (simulated.by != by) time = simulated.time.in(unit::s), by = simulated.by;
  }
  if (time <= 0.0) return;
  const bool by_time = by == "duration";
  const std::string lasts = base::print_quantity(time, Dimension::time),
                    key = "\"" + std::string(by) + "\"";
  if (every.number > time)
    report.warn("rule", pointer_of(save, "every"),
                by_time ? "no save falls into the " + lasts + " of the run"
                        : "if no GPU waits job \"" + job.job.id + "\" has done its " + key +
                              " after " + lasts + ", before a save is due",
                by_time ? "save more often, or lengthen \"run\": { \"duration\": ... }"
                        : "save more often, or let it have more " + key);
  // Shares of time are over whole runs: the interval that has not ended costs nothing yet.
  constexpr double kFewSaves = 10.0;
  if (save.kind != "sync" || every.number > time || time >= kFewSaves * every.number) return;
  const std::string times = base::print_quantity(time / every.number, Dimension::number);
  if (by_time && design.jobs.size() > 1 && add_job(report, times, job.job.id)) return;
  report.warn(
      "rule", by_time ? "/run/duration" : pointer_of(job.job, by),
      (by_time
           ? "the run lasts only " + times
           : "if no GPU waits the " + key + " of job \"" + job.job.id + "\" last only " + times) +
          " times as long as \"every\"" +
          (by_time && design.jobs.size() > 1 ? " of job \"" + job.job.id + "\"" : std::string()) +
          ", too short for the overhead of a long " + (by_time ? "one" : "run"),
      by_time ? "let it hold ten saves or more" : "let them hold ten saves or more");
}

}  // namespace

void check_save_interval(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& save = *job.checkpoint;
  const Value* every = save.find("every");
  const Value* steps = save.find("every_steps");
  if (every != nullptr ? steps != nullptr
                       : lacks(save, "every", report) && lacks(save, "every_steps", report))
    report.error("rule", every == nullptr ? save.pointer : pointer_of(save, "every_steps"),
                 "the checkpoint of job \"" + job.job.id + "\" needs " +
                     (every == nullptr ? "\"every\" or \"every_steps\""
                                       : "one of \"every\" and \"every_steps\", not both"),
                 "write \"every\": \"30 min\" or \"every_steps\": 200");
  if (every != nullptr) check_saves_there(design, job, *every, report);
}

}  // namespace stallcast::scenarios
