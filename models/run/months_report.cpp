#include "models/run/months_report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "models/failure/interval.hpp"
#include "models/failure/under_way.hpp"
#include "stallcast/luck.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

/// Histories that may be given up without a word on the others.
constexpr double kRarely = 0.05;

}  // namespace

double busy_of(const TrainingJob::Measured& run) { return run.useful / (run.wall - run.saving); }

MonthsReport::MonthsReport(const JobProcess& job, const TrainingJob::Measured& run, RunResult& out)
    : job_(job), run_(run), name_(metric::of_job(job.id)), busy_(busy_of(run)), out_(out) {}

void MonthsReport::give_up_rarely(JobOutlook& outlook) {
  JobHistory& mean = outlook.mean;
  if (mean.unended <= 0.0) return;
  const bool often = mean.unended > kRarely;
  out_.warnings.push_back(
      "job." + job_.id + ".run: failures undo so much that of 100 whole runs " +
      base::shortest(base::rounded_to(std::max(1.0, 100.0 * mean.unended), 2)) +
      " had not ended after a thousand times their work" +
      (often ? ", so no time of them is known" : ", and take longer than run.time counts") +
      (mean.waiting > mean.own() / 2.0 ? "; it waits for hosts: give it more \"spares\""
       : job_.stalls.empty()           ? "; let it save"
                                       : "; save more often, or keep more saves"));
  if (!often) return;
  outlook.kept = outlook.used = outlook.lasted = {};
  outlook.kept.add(0.0);
  mean.lost += mean.kept;
  mean.lost_for += mean.kept;
  mean.kept = {};
}

void MonthsReport::add(const JobOutlook& outlook) {
  const JobHistory& mean = outlook.mean;
  const Seconds horizon = mean.own();
  if (job_.shifts) lend(mean);
  set("goodput", busy_ * (mean.kept / horizon), "ratio");
  out_.metrics.erase(name_ + "checkpoint.owed");  // all saves of months are in it
  // The share that all but 5 % of the histories reach.
  set("goodput.p5", busy_ * outlook.kept.quantile(0.05), "ratio");
  // GPUs are busy with work that will be lost, too.
  set("gpu.utilization", busy_ * ((mean.kept + mean.lost) / horizon), "ratio");
  add_luck(outlook);
  split(mean);
  const double broken = (mean.lost + mean.restart + mean.waiting) / horizon;
  const double shifted = mean.shifting / horizon;
  // The whole run takes as much longer as less of it is kept, and as more of its GPUs are lent.
  const double lent = mean.lent / horizon;
  for (const auto& [figure, away] :
       {std::pair{"goodput", 0.0}, {"run.time", lent}, {"run.days", lent}}) {
    const double moved = shifted + away, worst = std::max(broken, moved);
    if (worst > 1.0 - busy_ && worst > mean.saving / horizon)
      out_.limited_by[name_ + figure] = name_ + (moved > broken ? "elastic" : "failures");
  }
  if (job_.failures.empty()) return;
  out_.limited_by[name_ + "failures"] = name_ + "failures";
  set("failures.time", mean.horizon().in(unit::s), "s");
  set("failures.count", mean.failures, "count");
  set("failures.mtbf", mtbf(job_).in(unit::s), "s");
  if (mean.failures > 0.0) {
    set("failures.lost_work", mean.lost_for.in(unit::s) / mean.failures, "s");
    set("failures.restart", mean.restart_for.in(unit::s) / mean.failures, "s");
  }
  if (job_.mount > Seconds{}) set("failures.mount", job_.mount.in(unit::s), "s");
  add_bad_saves(mean);
  set("failures.lost.share", mean.lost / horizon, "ratio");
  set("failures.restart.share", mean.restart / horizon, "ratio");
  set("failures.waiting.share", mean.waiting / horizon, "ratio");
  add_histories(outlook);
}

void MonthsReport::add(const BestMonths& best) {
  const Seconds stall = mean_of(job_.stalls);
  const Seconds cost = stall + run_.saves->slowed_by_save();
  // All from start to start of two saves, as `every` counts.
  const std::string key = "checkpoint.best_interval";
  const Seconds work = job_.step * static_cast<double>(best.steps);
  set(key, (work + between_saves(job_, best.steps).slowed + stall).in(unit::s), "s");
  set(key + ".goodput", busy_ * best.kept, "ratio");
  set(key + ".young", (young_interval(cost, mtbf(job_)) + cost).in(unit::s), "s");
  set(key + ".daly", (daly_interval(cost, mtbf(job_)) + cost).in(unit::s), "s");
}

void MonthsReport::set(const std::string& key, double value, const char* unit) {
  out_.metrics[name_ + key] = {value, unit, {}};
}

// Of single histories, over the mean of all.    [docs/models/uncertainty.md, eq. 15]
void MonthsReport::add_luck(const JobOutlook& outlook) {
  const JobHistory& mean = outlook.mean;
  if (!(mean.kept > Seconds{}) || outlook.lasted.empty()) return;
  const auto add = [&](const char* figure, const Series& of, double value) {
    out_.luck[name_ + figure] = luck_of(of.values(), value);
  };
  add("goodput", outlook.kept, mean.kept / mean.own());
  add("gpu.utilization", outlook.used, (mean.kept + mean.lost) / mean.own());
  if (job_.work) add("run.time", outlook.lasted, mean.horizon().in(unit::s));
  out_.histories[name_ + "goodput"] = outlook.apart();
}

// What a change makes of these is as unsure as of goodput.    [docs/models/blame.md, eq. 2]
void MonthsReport::add_histories(const JobOutlook& outlook) {
  using Of = const JobHistory&;
  const auto add = [&](const char* figure, const JobOutlook::Sum& of, const JobOutlook::Sum& per) {
    const auto known = out_.metrics.find(name_ + "failures." + figure);
    if (known == out_.metrics.end() || !(known->second.value > 0.0)) return;
    if (Histories groups = outlook.apart(of, per); !groups.empty())
      out_.histories[known->first] = std::move(groups);
  };
  const auto lost = [](Of h) { return h.lost.in(unit::s); };
  const auto restart = [](Of h) { return h.restart.in(unit::s); };
  const auto waiting = [](Of h) { return h.waiting.in(unit::s); };
  const auto lost_for = [](Of h) { return h.lost_for.in(unit::s); };
  const auto restart_for = [](Of h) { return h.restart_for.in(unit::s); };
  const auto own = [](Of h) { return h.own().in(unit::s); };
  const auto failures = [](Of h) { return h.failures; };
  add("lost_work", lost_for, failures);
  add("restart", restart_for, failures);
  add("lost.share", lost, own);
  add("restart.share", restart, own);
  add("waiting.share", waiting, own);
  add(
      "bad_saves", [](Of h) { return h.bad_saves; }, failures);
  add(
      "lost_all", [](Of h) { return h.lost_all; }, [](Of h) { return h.runs; });
}

void MonthsReport::add_bad_saves(const JobHistory& mean) {
  const auto& tiers = job_.tiers;
  if (std::all_of(tiers.begin(), tiers.end(),
                  [](const CopyTier& tier) { return tier.life.corrupt <= 0.0; }))
    return;
  if (mean.failures > 0.0) set("failures.bad_saves", mean.bad_saves / mean.failures, "count");
  set("failures.lost_all", mean.lost_all, "count");
  if (mean.lost_all > 0.0)
    out_.warnings.push_back("job." + job_.id +
                            ".failures: restarts that find no checkpoint they can load lose all "
                            "work; keep more of them (\"keep\"), or \"verify\" them");
}

// GPU time of all GPUs: lent, lost to shifts, and spent on training.    [elastic.md, eq. 3, 4]
void MonthsReport::lend(const JobHistory& mean) {
  const Shifts& shifts = *job_.shifts;
  const Seconds horizon = mean.horizon();
  const auto gpu_hours = [&](Seconds time) { return time.in(unit::h)*run_.layout.ranks; };
  out_.limited_by[name_ + "elastic"] = name_ + "elastic";
  set("elastic.time", horizon.in(unit::s), "s");
  set("elastic.shifts", mean.shifts, "count");
  set("elastic.lent.gpu_hours", gpu_hours(mean.lent), "GPU h");
  set("elastic.lent.share", mean.lent / horizon, "ratio");
  set("elastic.lost.gpu_hours", gpu_hours(mean.shifting), "GPU h");
  set("elastic.lost.share", mean.shifting / horizon, "ratio");
  set("elastic.trained.share", busy_ * (mean.kept / horizon), "ratio");
  Seconds save, restart;
  for (const JobPace* pace : {static_cast<const JobPace*>(&job_), &shifts.pace}) {
    const CopyTier& tier = pace->tiers[shifts.tier];
    save += mean_of(tier.after) / 2.0;
    restart += (shifts.stop + pace->mount + job_.recovery.start + job_.recovery.init +
                tier.restore + pace->refill) /
               2.0;
  }
  set("elastic.shift.save", save.in(unit::s), "s");
  set("elastic.shift.restart", restart.in(unit::s), "s");
  if (save + restart >= std::min(shifts.busy, shifts.period - shifts.busy))
    out_.warnings.push_back("job." + job_.id +
                            ".elastic: a shift lasts as long as GPUs stay at one place; lengthen "
                            "\"busy\" or \"period\"");
}

// What a step's time is made of is as measured; saves, lost work and restarts are as over months.
void MonthsReport::split(const JobHistory& mean) {
  const Seconds horizon = mean.own();
  auto& shares = out_.breakdown[job_.id];
  Seconds shown = run_.wall + run_.once;  // what the shares are of
  for (const Seconds filled : run_.filled) shown += filled;
  shares["cpu"] = std::max(0.0, shares["cpu"] - run_.warm_up / shown);
  shares["data"] = std::max(0.0, shares["data"] - run_.starved / shown);
  const Seconds scanned = run_.once - run_.warm_up - run_.starved;
  shares["metadata"] = std::max(0.0, shares["metadata"] - scanned / shown);
  for (const auto& [cause, phase] :
       {std::pair{"cpu", Phase::cpu}, {"metadata", Phase::metadata}, {"data", Phase::data}})
    shares[cause] =
        std::max(0.0, shares[cause] - run_.filled[static_cast<std::size_t>(phase)] / shown);
  const double between = (run_.wall - run_.saving) / shown;
  for (auto& [cause, share] : shares) share *= (mean.kept / horizon) / between;
  shares["checkpoint"] = mean.saving / horizon;
  shares["restart"] = (mean.lost + mean.restart + mean.waiting + mean.shifting) / horizon;
}

}  // namespace stallcast::models
