#include <string>
#include <string_view>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/bounds/job_dates.hpp"
#include "scenarios/rules/support.hpp"
#include "stallcast/units.hpp"

/// How often a job saves, and whether what is simulated holds enough of it.
/// docs/models/checkpoint.md.
namespace stallcast::scenarios {
namespace {

/// Jobs for whose saves the run is equally short: one warning for one place.
struct ShortRun {
  std::string times;  ///< how often "every" is in it
  std::vector<std::string> jobs;
};

void add_job(std::vector<ShortRun>& runs, const std::string& times, const std::string& id) {
  for (ShortRun& run : runs)
    if (run.times == times) return run.jobs.push_back(id);
  runs.push_back({times, {id}});
}

constexpr std::string_view kTooShort = ", too short for the overhead of a long ";

// In what is simulated; steps and epochs may end that before its duration.
void check_saves_there(const Design& design, const JobDesign& job, const Value& every,
                       std::vector<ShortRun>& short_runs, Diagnostics& report) {
  const Component& save = *job.checkpoint;
  const Value* duration = design.run.find("duration");
  double time = duration == nullptr ? 0.0 : duration->number;
  std::string_view by = "duration";
  if (!report.has_errors()) {
    const models::SimulatedTime simulated = models::simulated_time(design, job);
    if (simulated.by != by) time = simulated.time.in(unit::s), by = simulated.by;
  }
  if (time <= 0.0) return;
  const bool by_time = by == "duration", all = by == "run";
  const std::string lasts = base::print_quantity(time, Dimension::time),
                    key = "\"" + std::string(by) + "\"";
  if (every.number > time)
    report.warn("rule", pointer_of(save, "every"),
                by_time ? "no save falls into the " + lasts + " of the run"
                        : "if no GPU waits job \"" + job.job.id + "\" has done its " + key +
                              " after " + lasts + ", before a save is due",
                by_time ? "save more often, or lengthen \"run\": { \"duration\": ... }"
                : all   ? "save more often"
                        : "save more often, or let it have more " + key);
  if (all) return;  // it is no part of a longer run
  // Shares of time are over whole runs: the interval that has not ended costs nothing yet.
  constexpr double kFewSaves = 10.0;
  if (save.kind != "sync" || every.number > time || time >= kFewSaves * every.number) return;
  const std::string times = base::print_quantity(time / every.number, Dimension::number);
  if (by_time) return add_job(short_runs, times, job.job.id);
  report.warn("rule", pointer_of(job.job, by),
              "if no GPU waits the " + key + " of job \"" + job.job.id + "\" last only " + times +
                  " times as long as \"every\"" + std::string(kTooShort) + "run",
              "let them hold ten saves or more");
}

}  // namespace

void check_save_interval(const JobDesign& job, Diagnostics& report) {
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
}

void check_few_saves(const Design& design, Diagnostics& report) {
  std::vector<ShortRun> short_runs;
  for (const JobDesign& job : design.jobs) {
    if (!job.checkpoint || job.checkpoint->kind.empty()) continue;
    if (const Value* every = job.checkpoint->find("every"); every != nullptr)
      check_saves_there(design, job, *every, short_runs, report);
  }
  for (const ShortRun& run : short_runs) {
    const std::string of = run.jobs.size() > 1 ? " of jobs \"" : " of job \"";
    report.warn("rule", "/run/duration",
                "the run lasts only " + run.times + " times as long as \"every\"" +
                    (design.jobs.size() > 1 ? of + base::join(run.jobs, "\", \"") + "\"" : "") +
                    std::string(kTooShort) + "one",
                "let it hold ten saves or more");
  }
}

}  // namespace stallcast::scenarios
