#include <algorithm>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "models/rows.hpp"
#include "scenarios/rules_support.hpp"

/// Rules of failures and of how jobs recover.
namespace stallcast::scenarios {
namespace {

bool kills(const Component& failure) {
  return !failure.kind.empty() && models::failure_row(failure.kind).style().kills;
}

bool hits(const Component& failure, const JobDesign& job) {
  const Value* hosts = failure.find("hosts");
  const Value* own = job.job.find("hosts");
  return kills(failure) && (hosts == nullptr || own == nullptr || hosts->text == own->text);
}

void check_recovery(const Design& design, const JobDesign& job, Reporter& report) {
  const auto& failures = design.failures;
  const bool failing = std::any_of(failures.begin(), failures.end(),
                                   [&](const Component& f) { return hits(f, job); });
  const Component& recovery = *job.recovery;
  if (!failing) {
    if (!recovery.values.empty() && failures.empty())
      report.warn("rule", recovery.pointer,
                  "job \"" + job.job.id + "\" has a recovery, but nothing fails",
                  "add \"failures\": [ { \"type\": \"host\" } ]");
    return;
  }
  if (!job.checkpoint) {
    report.warn("rule", job.job.pointer,
                "job \"" + job.job.id + "\" never saves: every failure loses all its work",
                "add \"checkpoint\": { \"to\": ..., \"every\": \"30 min\" }");
    return;
  }
  const Component& save = *job.checkpoint;
  const Value* every = save.find("every");
  const Value* duration = design.run.find("duration");
  if (every != nullptr && duration != nullptr && every->number > duration->number)
    report.error("rule", "/run/duration",
                 "no save falls into the " +
                     base::print_quantity(duration->number, Dimension::time) +
                     " that are simulated in detail, so what failures cost is unknown",
                 "let \"duration\" hold one save or more of job \"" + job.job.id + "\"");
}

}  // namespace

void check_failures(const Design& design, Reporter& report) {
  for (const Component& failure : design.failures) {
    check_reference(failure, "hosts", ids_of(design.hosts), "host class", report);
    const Value* hosts = failure.find("hosts");
    if (hosts != nullptr && design.find_host(hosts->text) != nullptr &&
        std::none_of(design.jobs.begin(), design.jobs.end(),
                     [&](const JobDesign& job) { return hits(failure, job); }))
      report.warn("rule", pointer_of(failure, "hosts"),
                  "no job runs on \"" + hosts->text + "\", so its failures hit nothing",
                  "name the host class of a job");
  }
  for (const JobDesign& job : design.jobs)
    if (job.recovery) check_recovery(design, job, report);
}

}  // namespace stallcast::scenarios
