#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/elastic.hpp"
#include "models/contract/rows.hpp"
#include "models/failure/kinds.hpp"
#include "scenarios/rules/support.hpp"

/// Rules of failures, of how jobs recover, and of GPUs they lend.
namespace stallcast::scenarios {
namespace {

/// What a job's recovery has where nothing is said.
constexpr Seconds kUsualHorizon = Seconds::from(30.0, unit::d);

bool kills(const Component& failure) {
  return !failure.kind.empty() && models::failure_row(failure.kind).style.kills;
}

/// Whether it takes all hosts of a group.
bool whole_group(const Component& failure) {
  return models::failure_row(failure.kind).style.scope == models::Scope::rack;
}

/// Whether it comes at a date of the detailed run, once.
bool dated(const Component& failure) { return failure.find("at") != nullptr; }

void check_date(const Design& design, const Component& failure, Diagnostics& report) {
  const Value *at = failure.find("at"), *duration = design.run.find("duration");
  if (at != nullptr && duration != nullptr && at->number > duration->number)
    report.warn("rule", pointer_of(failure, "at"), "the run ends before this failure",
                "let it come earlier, or lengthen \"run\": { \"duration\": ... }");
}

void check_storage_fault(const Design& design, const Component& failure, Diagnostics& report) {
  check_reference(failure, "on", ids_of(design.storage), "storage system", report);
  if (!complete(models::Role::failure, failure)) return;
  const models::StorageFaultParams p = models::storage_fault_params(failure);
  if (lacks(failure, "at", report) && lacks(failure, "mtbf", report))
    report.error("rule", failure.pointer,
                 "failure \"" + failure.id + "\" has neither \"at\" nor \"mtbf\"",
                 "write \"at\": \"10 min\", or how often one such part fails");
  check_date(design, failure, report);
  const Component* storage = design.find_storage(p.on);
  if (storage == nullptr || !complete(models::Role::storage, *storage)) return;
  const auto model = models::storage_row(storage->kind).make(*storage);
  const double parts = model->parts(models::storage_part(p));
  if (const std::string why = model->why_whole(); parts < 1.0 && !why.empty())
    report.error(
        "rule", pointer_of(failure, "part"),
        "storage \"" + storage->id + "\" of type \"" + storage->kind +
            "\" fails as a whole: " + why,
        "compare it with one server less (which also starts cold), or let its \"service\" fail");
  else if (parts < 1.0)
    report.error("rule", pointer_of(failure, "part"),
                 "storage \"" + storage->id + "\" of type \"" + storage->kind + "\" has no " +
                     p.part + " that fails by itself",
                 "name another \"part\", or give the storage the count of its servers");
  else if (parts < 2.0 && p.part == "server")
    report.error(
        "few", pointer_of(failure, "part"),
        "the only server of storage \"" + storage->id + "\" has no other server to take over",
        "give it two servers or more");
  const auto single = model->single_copies();
  if (parts >= 1.0 && single && (p.part == "target" || p.part == "server"))
    report.warn(
        "rule", pointer_of(failure, "part"),
        "storage \"" + storage->id + "\" has no second copy of what lies on the " + p.part +
            " that fails",
        "let \"failover\" be the time until its data are back" +
            (single->empty() ? "" : ", or give it a second copy or parity by \"" + *single + "\""));
}

// One that kills jobs comes once or at random.
void check_when(const Design& design, const Component& failure, Diagnostics& report) {
  const Value* mtbf = failure.find("mtbf");
  if (!dated(failure)) {
    if (mtbf == nullptr && !report.has_errors())
      report.error("rule", failure.pointer,
                   "failure \"" + failure.id + "\" has neither \"at\" nor \"mtbf\"",
                   "write how often it comes on average, or \"at\": \"10 min\" to see one");
    return;
  }
  if (mtbf != nullptr && mtbf->source.kind != Source::Kind::default_value)
    report.error("rule", pointer_of(failure, "mtbf"),
                 "failure \"" + failure.id + "\" comes \"at\" a date, and at random",
                 "give one of both: \"at\" shows the minutes after one failure, \"mtbf\" months");
  check_date(design, failure, report);
  const Value* hosts = failure.find("hosts");
  if (hosts == nullptr && design.hosts.size() > 1)
    report.error("rule", failure.pointer,
                 "failure \"" + failure.id + "\" has a date and does not say where it comes",
                 "name one of the host classes: \"hosts\": \"" + design.hosts.front().id + "\"");
  const Component* host = hosts != nullptr           ? design.find_host(hosts->text)
                          : design.hosts.size() == 1 ? &design.hosts.front()
                                                     : nullptr;
  const double lost = number(failure, "group", 1.0);
  if (host != nullptr && whole_group(failure) && lost > number(*host, "count"))
    report.error("rule", pointer_of(failure, "group"),
                 "\"" + host->id + "\" has fewer hosts than the " + base::shortest(lost) +
                     " that are lost together",
                 "use at most " + base::shortest(number(*host, "count")));
}

bool per_worker(const Component& failure) {
  const Value* per = failure.find("per");
  return per != nullptr && per->text == "worker";
}

bool hits(const Component& failure, const JobDesign& job) {
  const Value* hosts = failure.find("hosts");
  const Value* own = job.job.find("hosts");
  return kills(failure) && (hosts == nullptr || own == nullptr || hosts->text == own->text);
}

// What is measured for months must not hold a failure already.
void check_dates(const Design& design, const JobDesign& job, Diagnostics& report) {
  const auto& failures = design.failures;
  const auto first = [&](bool with_date) {
    return std::find_if(failures.begin(), failures.end(),
                        [&](const Component& f) { return hits(f, job) && dated(f) == with_date; });
  };
  const auto one = first(true), random = first(false);
  if (one == failures.end()) return;
  if (random != failures.end())
    report.error("rule", pointer_of(*one, "at"),
                 "job \"" + job.job.id + "\" is hit by \"" + one->id + "\" at a date, and by \"" +
                     random->id + "\" at random: months are predicted from a run without failures",
                 "keep one of both, or make two \"scenarios\" of them");
  if (job.elastic)
    report.error("rule", pointer_of(*one, "at"),
                 "job \"" + job.job.id +
                     "\" lends GPUs by a schedule, which is predicted from a run without failures",
                 "leave out \"at\" or \"elastic\"");
  const Value* duration = design.run.find("duration");
  if (duration == nullptr || !complete(models::Role::recovery, *job.recovery)) return;
  const models::RecoveryParams r = models::recovery_params(*job.recovery);
  const bool lost = models::failure_row(one->kind).style.scope != models::Scope::process;
  const Seconds back = Seconds::from(one->find("at")->number, unit::s) + r.detect +
                       (lost ? r.replace : Seconds{}) +
                       r.mounted(number(*host_of(design, job), "count")) + r.start + r.init;
  if (one->find("at")->number <= duration->number && back.in(unit::s) >= duration->number)
    report.warn("rule", "/run/duration",
                "the run ends before job \"" + job.job.id + "\" is back from failure \"" + one->id +
                    "\", which takes until " +
                    base::print_quantity(back.in(unit::s), Dimension::time) + " or longer",
                "lengthen \"run\": { \"duration\": ... } beyond that");
}

/// Whether hosts are lost with it.
bool takes_hosts(const Component& failure) {
  return kills(failure) && models::failure_row(failure.kind).style.scope != models::Scope::process;
}

// Spares stand by for hosts that are lost, and what is repaired comes back to them.
void check_spares(const Design& design, Diagnostics& report) {
  for (const JobDesign& job : design.jobs)
    if (const Value* spares = job.recovery ? job.recovery->find("spares") : nullptr;
        spares != nullptr && spares->number > 0.0 && !design.failures.empty() &&
        std::none_of(design.failures.begin(), design.failures.end(),
                     [&](const Component& f) { return hits(f, job) && takes_hosts(f); }))
      report.warn("rule", pointer_of(*job.recovery, "spares"),
                  "no failure takes a host of job \"" + job.job.id +
                      "\": its spares are paid for, and stand by for nothing",
                  "leave them out, or let hosts fail: \"type\": \"host\"");
  for (const Component& failure : design.failures) {
    if (!takes_hosts(failure)) continue;
    if (is_chosen(models::Role::failure, failure, "repair") &&
        std::none_of(design.jobs.begin(), design.jobs.end(), [&](const JobDesign& job) {
          return hits(failure, job) && job.recovery && job.recovery->find("spares") != nullptr;
        }))
      report.warn(
          "rule", pointer_of(failure, "repair"),
          "how long a repair takes changes nothing: without \"spares\" another host is always "
          "there",
          "give the job it hits \"recovery\": { \"spares\": ... }");
    if (is_chosen(models::Role::failure, failure, "correlated") &&
        number(failure, "correlated") > 0.0 && number(failure, "group", 1.0) <= 1.0)
      report.warn("rule", pointer_of(failure, "correlated"),
                  "one host is lost with a \"group\" of 1, correlated or not",
                  "let \"group\" be the hosts that are lost together");
  }
}

// What an outage does to the saves of the run comes back in the months.
void check_outages(const Design& design, const JobDesign& job, Diagnostics& report) {
  const auto& failures = design.failures;
  const auto random = std::find_if(failures.begin(), failures.end(),
                                   [&](const Component& f) { return hits(f, job) && !dated(f); });
  const auto outage = std::find_if(failures.begin(), failures.end(), [](const Component& f) {
    return !f.kind.empty() && !kills(f) && dated(f);
  });
  if (random == failures.end() || outage == failures.end()) return;
  report.warn("rule", pointer_of(*outage, "at"),
              "what \"" + outage->id +
                  "\" does to steps and saves of the run counts as often in the "
                  "months of \"" +
                  random->id +
                  "\" as the run fits into them, and for the best "
                  "interval of job \"" +
                  job.job.id + "\"",
              "keep one of both, or make two \"scenarios\" of them");
}

/// When the first save of `job` begins, at the earliest: by time, or if no GPU waits.
Seconds first_save(const Design& design, const JobDesign& job, const Diagnostics& report) {
  const Component& save = *job.checkpoint;
  const Value *every = save.find("every"), *steps = save.find("every_steps");
  if (every != nullptr) return Seconds::from(every->number, unit::s);
  if (steps == nullptr || report.has_errors()) return {};
  return models::compute_of(design, job) * steps->number;
}

void check_recovery(const Design& design, const JobDesign& job, Diagnostics& report) {
  const auto& failures = design.failures;
  const bool failing = std::any_of(failures.begin(), failures.end(),
                                   [&](const Component& f) { return hits(f, job); });
  const Component& recovery = *job.recovery;
  const Value* horizon = recovery.find("horizon");
  // A resolved scenario states what was left out.
  if (horizon != nullptr && horizon->source.kind != Source::Kind::default_value &&
      Seconds::from(horizon->number, unit::s) != kUsualHorizon &&
      complete(models::Role::job, job.job) && models::job_params(job.job).whole_runs() > 0)
    report.warn("rule", pointer_of(recovery, "horizon"),
                "job \"" + job.job.id +
                    "\" has a whole run, and its histories go on until that is done: \"horizon\" "
                    "says only how many of them are walked",
                "leave it out");
  if (!failing && !job.elastic) {
    if (!recovery.values.empty() && failures.empty())
      report.warn("rule", recovery.pointer,
                  "job \"" + job.job.id + "\" has a recovery, but nothing fails",
                  "add \"failures\": [ { \"type\": \"host\" } ]");
    return;
  }
  if (!job.checkpoint) {
    if (job.elastic)
      report.error("rule", job.elastic->pointer,
                   "job \"" + job.job.id + "\" lends GPUs, and saves nothing to go on from",
                   "add \"checkpoint\": { \"to\": ..., \"every\": \"30 min\" }");
    if (failing)
      report.warn("rule", job.job.pointer,
                  "job \"" + job.job.id + "\" never saves: every failure loses all its work",
                  "add \"checkpoint\": { \"to\": ..., \"every\": \"30 min\" }");
    return;
  }
  if (!job.elastic && std::none_of(failures.begin(), failures.end(),
                                   [&](const Component& f) { return hits(f, job) && !dated(f); }))
    return;
  const Value* duration = design.run.find("duration");
  if (duration != nullptr && first_save(design, job, report).in(unit::s) >= duration->number)
    report.error("rule", "/run/duration",
                 "no save falls into the " +
                     base::print_quantity(duration->number, Dimension::time) +
                     " that are simulated in detail, so what " + (failing ? "failures" : "shifts") +
                     " cost is unknown",
                 "let \"duration\" hold one save or more of job \"" + job.job.id + "\"");
}

// Both parts of the job must be able to train, and shifts to end before the next one.
void check_elastic(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& component = *job.elastic;
  if (!complete(models::Role::elastic, component)) return;
  const models::ElasticParams p = models::elastic_params(component);
  const double gpus = static_cast<double>(p.gpus);
  const double ranks = accelerators(design, job);
  const double shards =
      number(job.job, "parallel.tensor", 1.0) * number(job.job, "parallel.pipeline", 1.0);
  const std::string all = base::shortest(ranks) + " GPUs of job \"" + job.job.id + "\"";
  if (ranks > 0.0 && gpus >= ranks)
    report.error("rule", pointer_of(component, "gpus"), "no GPU trains: all " + all + " are lent",
                 "lend fewer than it has");
  else if (ranks > 0.0 && std::fmod(ranks - gpus, shards) != 0.0)
    report.error("rule", pointer_of(component, "gpus"),
                 "tensor x pipeline = " + base::shortest(shards) + " does not divide the " +
                     base::shortest(ranks - gpus) + " left of the " + all,
                 "lend whole copies of the model");
  if (p.busy >= p.period) {
    report.error("rule", pointer_of(component, "busy"),
                 "inference never gives the GPUs back: \"busy\" is all of \"period\"",
                 "let \"busy\" be a part of \"period\"");
    return;
  }
  if (!complete(models::Role::recovery, *job.recovery)) return;
  const models::RecoveryParams r = models::recovery_params(*job.recovery);
  const Seconds restart = p.stop + r.start + r.init + r.restore.value_or(Seconds{});
  const Seconds shorter = std::min(p.busy, p.period - p.busy);
  if (restart >= shorter)
    report.error("rule", pointer_of(component, p.busy == shorter ? "busy" : "period"),
                 "a restart takes " + base::print_quantity(restart.in(unit::s), Dimension::time) +
                     ", and GPUs stay at one place for no longer than " +
                     base::print_quantity(shorter.in(unit::s), Dimension::time),
                 "lengthen it, or shorten \"stop\" and the \"recovery\" of the job");
}

}  // namespace

void check_failures(const Design& design, Diagnostics& report) {
  for (const Component& failure : design.failures) {
    if (kills(failure))
      check_when(design, failure, report);
    else if (!failure.kind.empty())
      check_storage_fault(design, failure, report);
    check_reference(failure, "hosts", ids_of(design.hosts), "host class", report);
    const Value* hosts = failure.find("hosts");
    if (kills(failure) && design.jobs.empty())
      report.warn("rule", failure.pointer,
                  "failure \"" + failure.id + "\" stops jobs, and there is none: tenants go on",
                  "remove it, or let a storage system fail: \"type\": \"storage\"");
    if (per_worker(failure) &&
        std::none_of(design.jobs.begin(), design.jobs.end(), [&](const JobDesign& job) {
          return hits(failure, job) && job.loader && number(*job.loader, "workers", 1.0) > 0.0;
        }))
      report.warn("rule", pointer_of(failure, "per"),
                  "no job that it hits has loader processes that could fail",
                  "give a job a \"loader\" with \"workers\", or another \"per\"");
    if (hosts != nullptr && !design.jobs.empty() && design.find_host(hosts->text) != nullptr &&
        std::none_of(design.jobs.begin(), design.jobs.end(),
                     [&](const JobDesign& job) { return hits(failure, job); }))
      report.warn("rule", pointer_of(failure, "hosts"),
                  "no job runs on \"" + hosts->text + "\", so its failures hit nothing",
                  "name the host class of a job");
  }
  check_spares(design, report);
  for (const JobDesign& job : design.jobs) {
    if (job.recovery) check_recovery(design, job, report);
    if (job.recovery && host_of(design, job) != nullptr) check_dates(design, job, report);
    if (job.recovery && job.checkpoint) check_outages(design, job, report);
    if (job.elastic) check_elastic(design, job, report);
  }
}

}  // namespace stallcast::scenarios
