#include "models/run/months.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/failures.hpp"
#include "models/contract/elastic.hpp"
#include "models/contract/rows.hpp"
#include "models/failure/interval.hpp"
#include "models/failure/renewal.hpp"
#include "models/failure/under_way.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

/// Of its duration; a run that ends before has ended by its steps.
constexpr double kCutShort = 0.999;

/// Of each of `count` saves; of those of which only every n-th has one, that of the last that has.
std::vector<Seconds> seconds(const std::vector<double>& values, std::size_t count,
                             std::size_t every = 1) {
  std::vector<Seconds> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(Seconds::from(values[i / every], unit::s));
  return out;
}

/// Feeds the renewal process with the measured run of one job.
class Feeder {
 public:
  Feeder(const Design& design, const JobDesign& job, const TrainingJob::Measured& measured,
         const Plant& plant)
      : design_(design),
        job_(job),
        run_(measured),
        plant_(plant),
        host_(job_params(job.job).hosts),
        hosts_(run_.layout.used_hosts()),
        parts_(failing_parts(job, run_.layout)),
        stays_(job.elastic ? elastic_params(*job.elastic).stays(run_.layout.ranks) : 1.0) {}

  JobProcess feed() {
    out_.id = job_.job.id;
    out_.recovery = recovery_params(*job_.recovery);
    out_.mount = out_.recovery.mounted(hosts_);
    const double steps = static_cast<double>(run_.steps.size());
    out_.step = (run_.wall - run_.saving) / steps;
    out_.step_deviation = run_.steps.variation();
    out_.refill = run_.first_wait + run_.warm_up;
    for (const Component& component : design_.failures) add_failure(component);
    if (run_.saves != nullptr) add_saves(*run_.saves);
    if (job_.elastic && !out_.stalls.empty()) add_shifts(elastic_params(*job_.elastic));
    return std::move(out_);
  }

 private:
  void add_failure(const Component& component) {
    const FailureRow& row = failure_row(component.kind);
    if (!row.style.kills) return;
    const FailureParams p = row.params(component);
    if (p.at || (p.hosts && *p.hosts != host_)) return;
    const double units = failing_units(p, parts_);
    if (units == 0.0) return;
    // M = mtbf of one / how many there are    [docs/models/failures.md, eq. 1]
    out_.failures.push_back({.id = component.id,
                             .mtbf = *p.mtbf / units,
                             .shape = p.shape,
                             .scope = row.style.scope,
                             .correlated = p.correlated.in(unit::ratio),
                             .group = lost_together(p, hosts_),
                             .repair = p.repair,
                             .away = p.per == "job" ? 1.0 : stays_});
  }

  void add_saves(const Checkpointer& checkpointer) {
    const Checkpointer::Saves saves = checkpointer.saves();
    const CheckpointParams& p = checkpointer.params();
    // Of a tier that only every n-th save comes to, one is enough.
    const std::size_t n = static_cast<std::size_t>(p.drain_every);
    const bool drains = n > 1 && !p.ends_in_memory();
    std::size_t count = saves.stalls.size();
    for (std::size_t t = 0; t < saves.complete.size(); ++t)
      count = std::min(
          count, saves.complete[t].size() * (drains && t + 1 == saves.complete.size() ? n : 1));
    const bool blocking = saves.backpressure.empty();
    // Back-pressure follows from the interval: the process works it out for any.
    const std::vector<Seconds> pressed =
        blocking ? std::vector<Seconds>(count) : seconds(saves.backpressure.values(), count);
    const auto unpressed = [&](const std::vector<double>& values, std::size_t every = 1) {
      std::vector<Seconds> out = seconds(values, count, every);
      for (std::size_t i = 0; i < count; ++i) out[i] -= pressed[i / every * every];
      return out;
    };
    out_.slowed = checkpointer.slowed();
    out_.stalls = unpressed(saves.stalls.values());
    out_.drains = p.drain_every;
    out_.whole = p.chain();
    if (!blocking) {
      out_.buffers = p.buffers;
      out_.staged = unpressed(saves.staged);
      out_.ahead = p.snapshot_first ? out_.stalls : std::vector<Seconds>(count, p.quiesce);
    }
    const bool held = !blocking || p.ends_in_memory();
    if (held && std::find(p.tiers.begin(), p.tiers.end(), kHostMemory) != p.tiers.end())
      add_tier(checkpointer, kHostMemory, out_.stalls);
    if (p.ends_in_cache()) {
      add_tier(checkpointer, saves.tiers.front(), out_.stalls);
      out_.tiers.back().lost_with = lost_with(kHostMemory, true);
    }
    for (std::size_t t = 0; t < saves.tiers.size(); ++t) {
      const bool last = drains && t + 1 == saves.tiers.size();
      add_tier(checkpointer, saves.tiers[t], unpressed(saves.complete[t], last ? n : 1));
      if (!last) continue;
      // What increments build on does not come there.    [docs/models/checkpoint.md, eq. 9]
      out_.tiers.back().every = p.drain_every;
      out_.tiers.back().whole = p.chain(p.drain_every);
    }
  }

  // Fewer GPUs step and save as all do, each with its own batch. The state goes through the
  // quickest of the tiers that all hosts read.    [docs/models/elastic.md, eq. 2]
  void add_shifts(const ElasticParams& p) {
    out_.shifts = {.period = p.period,
                   .busy = p.busy,
                   .stop = p.stop,
                   .stays = stays_,
                   .tier = 0,
                   .pace = out_};
    out_.shifts->pace.mount = out_.recovery.mounted(hosts_ * stays_);
    Seconds least = Seconds::infinity();
    for (std::size_t t = 0; t < out_.tiers.size(); ++t) {
      const CopyTier& tier = out_.tiers[t];
      const Seconds through = mean_of(tier.after) + tier.restore;
      if (tier.lost_with != Scope::beyond || through >= least) continue;
      least = through;
      out_.shifts->tier = t;
    }
  }

  // Copies within the hosts: a process that failed finds them, a lost host takes them along, a lost
  // rack the copies of its peers.
  void add_tier(const Checkpointer& checkpointer, std::string_view tier,
                std::vector<Seconds> after) {
    const HostParams& host = plant_.host(host_);
    const CheckpointParams& p = checkpointer.params();
    const std::string store(tier);
    const bool in_memory = tier == kHostMemory || tier == kPeerMemory;
    CopyTier out{.restore = {}, .after = std::move(after)};
    out.overwrites = !in_memory && p.overwrites();
    if (!in_memory)  // files; what lies in memory is taken as good
      out.life = {.corrupt = p.corrupt.in(unit::ratio),
                  .verified = p.verify == "read-back",
                  .keep = p.keep_last,
                  .spare = p.keep_every.value_or(0)};
    const bool inside = !in_memory && plant_.storage(store).own_of_host();
    out.lost_with = lost_with(tier, inside);
    if (tier == kHostMemory) {
      out.restore = checkpointer.of_rank() / host.gpu_copy;
    } else if (tier == kPeerMemory) {
      out.restore = checkpointer.of_host() / host.nic();
    } else {
      // What the scenario gives is the restore from outside.
      out.restore =
          !inside && out_.recovery.restore ? *out_.recovery.restore : restore(checkpointer, store);
    }
    out_.tiers.push_back(std::move(out));
  }

  // As given, as simulated, or what the path from the storage allows at best.
  // Of drives inside hosts the fullest host takes longest.
  //     t = S / max flow, S_host / (max flow / H)    [docs/models/failures.md, eq. 6]
  Seconds restore(const Checkpointer& checkpointer, const std::string& storage) const {
    if (checkpointer.restoring() > Seconds{} && checkpointer.restored_from() == storage)
      return checkpointer.restoring();
    const graph::NodeId source = plant_.storage(storage).read_source();
    const std::vector<graph::NodeId> mounts = plant_.mounts(host_, storage, true);
    const Rate flow = plant_.topology().max_flow({&source, 1}, mounts).value;
    if (!plant_.storage(storage).own_of_host()) return checkpointer.size() / flow;
    return checkpointer.of_host() / (flow / static_cast<double>(plant_.host(host_).count));
  }

  const Design& design_;
  const JobDesign& job_;
  const TrainingJob::Measured& run_;
  const Plant& plant_;
  std::string host_;
  double hosts_;
  FailingParts parts_;
  double stays_;  ///< share of the GPUs that is never lent
  JobProcess out_;
};

/// Steps between two saves as the scenario has it.
std::int64_t steps_between(const JobDesign& design, const JobProcess& job) {
  if (job.stalls.empty()) return 1;
  const CheckpointParams p = checkpoint_params(*design.checkpoint);
  if (p.every_steps) return *p.every_steps;
  // `every` counts from start to start, and a save begins at the first barrier after it: sooner by
  // as many steps as those that are slowed down take longer.
  const Seconds left = *p.every - mean_of(job.stalls);
  const auto steps_in = [&](Seconds each) {
    return static_cast<std::int64_t>(std::max(std::ceil(left / each - 1e-9), 1.0));
  };
  std::int64_t least = steps_in(job.step + job.slowed), most = steps_in(job.step);
  while (least < most) {
    const std::int64_t middle = least + (most - least) / 2;
    const Seconds taken =
        job.step * static_cast<double>(middle) + between_saves(job, middle).slowed;
    if (taken < left * (1.0 - 1e-9))
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

class Reporter {
 public:
  Reporter(const JobProcess& job, const TrainingJob::Measured& run, RunResult& out)
      : job_(job), run_(run), name_(metric::of_job(job.id)), out_(out) {}

  void report(const JobOutlook& outlook) {
    const JobHistory& mean = outlook.mean;
    const Seconds horizon = mean.own();
    const double busy = run_.useful / (run_.wall - run_.saving);  // of time without saves
    if (job_.shifts) lend(mean, busy);
    set("goodput", busy * outlook.kept.mean(), "ratio");
    out_.metrics.erase(name_ + "checkpoint.owed");  // all saves of months are in it
    // The share that all but 5 % of the histories reach.
    set("goodput.p5", busy * outlook.kept.quantile(0.05), "ratio");
    // GPUs are busy with work that will be lost, too.
    set("gpu.utilization", busy * ((mean.kept + mean.lost) / horizon), "ratio");
    split(mean);
    const double broken = (mean.lost + mean.restart + mean.waiting) / horizon;
    const double shifted = mean.shifting / horizon;
    const double worst = std::max(broken, shifted);
    // The whole run takes as much longer as less of it is kept.
    if (worst > 1.0 - busy && worst > mean.saving / horizon)
      for (const char* figure : {"goodput", "run.time"})
        out_.limited_by[name_ + figure] = name_ + (shifted > broken ? "elastic" : "failures");
    if (job_.failures.empty()) return;
    out_.limited_by[name_ + "failures"] = name_ + "failures";
    set("failures.count", mean.failures, "count");
    set("failures.mtbf", mtbf(job_).in(unit::s), "s");
    if (mean.failures > 0.0) {
      set("failures.lost_work", mean.lost.in(unit::s) / mean.failures, "s");
      set("failures.restart", mean.restart.in(unit::s) / mean.failures, "s");
    }
    if (job_.mount > Seconds{}) set("failures.mount", job_.mount.in(unit::s), "s");
    report_bad_saves(mean);
    set("failures.lost.share", mean.lost / horizon, "ratio");
    set("failures.restart.share", mean.restart / horizon, "ratio");
    set("failures.waiting.share", mean.waiting / horizon, "ratio");
  }

  /// `present` is the share that is kept as it is.
  void report(const BestInterval& best, double present) {
    const Seconds stall = mean_of(job_.stalls);
    const Seconds cost = stall + run_.saves->slowed_by_save();
    const double busy = run_.useful / (run_.wall - run_.saving);
    // All from start to start of two saves, as `every` counts.
    const std::string key = "checkpoint.best_interval";
    const Seconds work = job_.step * static_cast<double>(best.steps);
    set(key, (work + between_saves(job_, best.steps).slowed + stall).in(unit::s), "s");
    // Under equal bad luck: the search has fewer histories.
    const double kept = best.at_present > 0.0 ? present * (best.kept / best.at_present) : best.kept;
    set(key + ".goodput", busy * kept, "ratio");
    set(key + ".young", (young_interval(cost, mtbf(job_)) + cost).in(unit::s), "s");
    set(key + ".daly", (daly_interval(cost, mtbf(job_)) + cost).in(unit::s), "s");
  }

 private:
  void set(const std::string& key, double value, const char* unit) {
    out_.metrics[name_ + key] = {value, unit, {}};
  }

  void report_bad_saves(const JobHistory& mean) {
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
  void lend(const JobHistory& mean, double busy) {
    const Shifts& shifts = *job_.shifts;
    const Seconds horizon = mean.horizon();
    const auto gpu_hours = [&](Seconds time) { return time.in(unit::h)*run_.layout.ranks; };
    out_.limited_by[name_ + "elastic"] = name_ + "elastic";
    set("elastic.shifts", mean.shifts, "count");
    set("elastic.lent.gpu_hours", gpu_hours(mean.lent), "GPU h");
    set("elastic.lent.share", mean.lent / horizon, "ratio");
    set("elastic.lost.gpu_hours", gpu_hours(mean.shifting), "GPU h");
    set("elastic.lost.share", mean.shifting / horizon, "ratio");
    set("elastic.trained.share", busy * (mean.kept / horizon), "ratio");
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
  void split(const JobHistory& mean) {
    const Seconds horizon = mean.own();
    auto& shares = out_.breakdown[job_.id];
    const Seconds shown = run_.wall + run_.once;  // what the shares are of
    shares["cpu"] = std::max(0.0, shares["cpu"] - run_.warm_up / shown);
    shares["data"] = std::max(0.0, shares["data"] - run_.starved / shown);
    const Seconds scanned = run_.once - run_.warm_up - run_.starved;
    shares["metadata"] = std::max(0.0, shares["metadata"] - scanned / shown);
    const double between = (run_.wall - run_.saving) / shown;
    for (auto& [cause, share] : shares) share *= (mean.kept / horizon) / between;
    shares["checkpoint"] = mean.saving / horizon;
    shares["restart"] = (mean.lost + mean.restart + mean.waiting + mean.shifting) / horizon;
  }

  const JobProcess& job_;
  const TrainingJob::Measured& run_;
  std::string name_;
  RunResult& out_;
};

}  // namespace

void add_failures(const Design& design, const JobDesign& job_design, const TrainingJob& job,
                  const Plant& plant, std::uint64_t seed, RunResult& out) {
  if (!job_design.recovery) return;
  const TrainingJob::Measured measured = job.measured();
  if (measured.steps.empty()) return;
  const JobProcess process = Feeder(design, job_design, measured, plant).feed();
  if (process.failures.empty() && !job_design.elastic) return;
  if (measured.saves != nullptr && process.stalls.empty()) {
    // Steps and epochs end a run, too, before its duration.
    const std::optional<Seconds> until = run_params(design.run).duration;
    const bool by_steps = !until || job.wall() < *until * kCutShort;
    out.warnings.push_back(
        "job." + process.id +
        ": no save ended within the run, so goodput over months is unknown; " +
        (by_steps ? "save more often, or let the job have more \"steps\" or \"epochs\""
                  : "lengthen \"run\": { \"duration\": ... }"));
    out.metrics.erase(metric::of_job(process.id, "goodput"));
    return;
  }
  Reporter reporter(process, measured, out);
  const std::string often = "job." + process.id + ".failures: one comes every " +
                            base::print_quantity(mtbf(process).in(unit::s), Dimension::time) +
                            " on average, ";
  if (const Seconds restart = least_restart(process); mtbf(process) < restart)
    out.warnings.push_back(
        often + "and a restart takes " +
        base::print_quantity(restart.in(unit::s), Dimension::time) +
        " or longer: the job hardly gets back to work; lengthen \"mtbf\", or shorten \"recovery\"");
  if (const std::optional<JobOutlook> stuck = standstill(process)) {
    reporter.report(*stuck);
    return;
  }
  const std::int64_t runs = histories(process);
  if (runs == 0) {
    out.warnings.push_back(often +
                           "too often to walk through months, so goodput is unknown; lengthen "
                           "\"mtbf\", or shorten \"recovery.horizon\"");
    out.metrics.erase(metric::of_job(process.id, "goodput"));
    return;
  }
  const std::int64_t steps = steps_between(job_design, process);
  const JobOutlook months = outlook(process, steps, seed, runs);
  reporter.report(months);
  if (!process.stalls.empty() && !process.failures.empty() && process.recovery.search > 0)
    reporter.report(best_interval(process, seed, steps), months.kept.mean());
}

}  // namespace stallcast::models
