#include "models/run/months.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "models/bounds/failures.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/elastic.hpp"
#include "models/contract/rows.hpp"
#include "models/failure/renewal.hpp"
#include "models/failure/under_way.hpp"
#include "models/run/months_report.hpp"
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

// From the middle of the time with all GPUs to that of a later period: each that is begun ends, and
// GPUs are lent as much of it as of any.    [docs/models/elastic.md, eq. 1]
void let_last_whole_periods(JobProcess& job) {
  constexpr double kWhole = 1e-9;
  Shifts& shifts = *job.shifts;
  const double periods = std::ceil(job.recovery.horizon / shifts.period - kWhole);
  job.recovery.horizon = shifts.period * std::max(1.0, periods);
  shifts.begun = (shifts.period - shifts.busy) / 2.0;
}

/// The interval that is best of what was searched, in the same histories as the present one, which
/// is the best where that keeps less of them. Searched over as much time as the histories last.
BestMonths best_of(const JobProcess& job, std::uint64_t seed, std::int64_t present,
                   std::int64_t runs, const JobOutlook& months) {
  JobProcess trial = job;
  trial.work.reset();
  trial.recovery.horizon = months.mean.horizon();
  const BestInterval found = best_interval(trial, seed, present);
  const double now = months.mean.kept / months.mean.own();
  if (found.steps == present) return {present, now};
  const JobHistory with = outlook(job, found.steps, seed, runs).mean;
  const double kept = with.kept / with.own();
  return kept > now ? BestMonths{found.steps, kept} : BestMonths{present, now};
}

}  // namespace

void add_failures(const Design& design, const JobDesign& job_design, const TrainingJob& job,
                  const Plant& plant, std::uint64_t seed, RunResult& out) {
  if (!job_design.recovery) return;
  const TrainingJob::Measured measured = job.measured();
  if (measured.steps.empty()) return;
  JobProcess process = Feeder(design, job_design, measured, plant).feed();
  if (process.failures.empty() && !job_design.elastic) return;
  for (const WholeRun& run : whole_runs(design))
    if (run.job == process.id) process.work = work_of(run, out.metrics, busy_of(measured));
  // Luck has no part in what so many failures leave: as a share it is that of months.
  //    [docs/models/whole-run.md, eq. 6]
  constexpr double kMostOfRun = 1e6;
  if (process.work && *process.work / mtbf(process) > kMostOfRun) process.work.reset();
  if (process.shifts && !process.work) let_last_whole_periods(process);
  if (measured.saves != nullptr && process.stalls.empty()) {
    // Steps and epochs end a run, too, before its duration.
    const std::optional<Seconds> until = run_params(design.run).duration;
    const bool by_steps = !until || job.wall() < *until * kCutShort;
    const std::string lost = process.failures.empty() ? "shifts" : "failures";
    out.warnings.push_back(
        "job." + process.id + ": no save ended within the run, so goodput over months, and how " +
        "long a whole run takes, is unknown, and GPU utilization is without " + lost + "; " +
        (by_steps ? "save more often, or let the job have more \"steps\" or \"epochs\""
                  : "lengthen \"run\": { \"duration\": ... }"));
    out.metrics.erase(metric::of_job(process.id, "goodput"));
    return;
  }
  MonthsReport report(process, measured, out);
  const std::string often = "job." + process.id + ".failures: one comes every " +
                            base::print_quantity(mtbf(process).in(unit::s), Dimension::time) +
                            " on average, ";
  if (const Seconds restart = least_restart(process); mtbf(process) < restart)
    out.warnings.push_back(
        often + "and a restart takes " +
        base::print_quantity(restart.in(unit::s), Dimension::time) +
        " or longer: the job hardly gets back to work; lengthen \"mtbf\", or shorten \"recovery\"");
  if (const std::optional<JobOutlook> stuck = standstill(process)) {
    report.add(*stuck);
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
  JobOutlook months = outlook(process, steps, seed, runs);
  if (process.work) report.give_up_rarely(months);
  report.add(months);
  if (!process.stalls.empty() && !process.failures.empty() && process.recovery.search > 0)
    report.add(best_of(process, seed, steps, runs, months));
}

}  // namespace stallcast::models
