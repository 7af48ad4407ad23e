#include "models/bounds/failures.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/bounds/parts.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/elastic.hpp"
#include "models/contract/rows.hpp"
#include "models/failure/interval.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {

using namespace detail;

FailingParts failing_parts(const JobDesign& job, const RankLayout& layout) {
  FailingParts out{.ranks = layout.ranks, .hosts = layout.used_hosts()};
  if (job.loader)
    out.workers = layout.readers() * static_cast<double>(loader_params(*job.loader).workers);
  return out;
}

// t = ceil(pods / parallel) delay + start + init    [docs/models/failures.md, eq. 16]
std::vector<Derivation> derive_startup(const JobDesign& job, double hosts) {
  if (!job.recovery) return {};
  const RecoveryParams r = recovery_params(*job.recovery);
  const std::string name = metric::of_job(job.job.id);
  const std::string input = "jobs[" + job.job.id + "].recovery.";
  const double pods = hosts * static_cast<double>(r.pods);
  const Seconds ready = r.mounted(hosts) + r.start + r.init;
  Rule rule{"start + init",
            "docs/models/failures.md, eq. 16",
            {{"start", input + "start"}, {"init", input + "init"}}};
  if (r.mount > Seconds{}) {
    rule.equation = "turns * delay + start + init";
    rule.terms.insert(
        rule.terms.begin(),
        {figure("turns", r.mounted(hosts) / r.mount, Dimension::number,
                base::shortest(pods) + " pods get their volumes" +
                    (r.mount_parallel ? ", " + std::to_string(*r.mount_parallel) + " at one time"
                                      : ", all at one time")),
         {"delay", input + "mount.delay"}});
  }
  return {derived(name + "startup.bound", ready, "until its processes can ask for data",
                  std::move(rule))};
}

std::vector<Derivation> derive_failures(const Design& design, const JobDesign& job,
                                        const FailingParts& parts, Seconds stall) {
  double rate = 0.0;
  std::string terms;
  Rule rule{"", "docs/models/failures.md, eq. 1", {}};
  for (const Component& component : design.failures) {
    const FailureRow& row = failure_row(component.kind);
    if (!row.style.kills) continue;
    const FailureParams p = row.params(component);
    if (p.at || (p.hosts && *p.hosts != job_params(job.job).hosts)) continue;
    const double units = failing_units(p, parts);
    if (units == 0.0) continue;
    rate += units / p.mtbf->in(unit::s);
    terms += (terms.empty() ? "" : " + ") + base::shortest(units) + " / " + text(*p.mtbf) + " (" +
             component.id + ")";
    const std::string number = std::to_string(rule.terms.size() / 2 + 1);
    rule.equation += (rule.equation.empty() ? "n" : " + n") + number + " / mtbf" + number;
    rule.terms.push_back(
        figure("n" + number, units, Dimension::number, "parts that fail as " + component.id));
    rule.terms.push_back({"mtbf" + number, "failures[" + component.id + "].mtbf"});
  }
  if (terms.empty()) return {};
  // M = 1 / sum n / mtbf    [docs/models/failures.md, eq. 1]
  const Seconds mtbf = Seconds::from(1.0 / rate, unit::s);
  const std::string name = metric::of_job(job.job.id);
  rule.equation = "1 / (" + rule.equation + ")";
  std::vector<Derivation> out{
      derived(name + "failures.mtbf", mtbf, "1 / (" + terms + ")", std::move(rule))};
  const RecoveryParams recovery = job.recovery ? recovery_params(*job.recovery) : RecoveryParams{};
  if (const Seconds mounted = recovery.mounted(parts.hosts); mounted > Seconds{})
    out.push_back({name + "failures.mount", mounted.in(unit::s), Dimension::time,
                   "all " + base::shortest(parts.hosts * static_cast<double>(recovery.pods)) +
                       " pods, " + text(recovery.mount) + " each" +
                       (recovery.mount_parallel
                            ? ", " + std::to_string(*recovery.mount_parallel) + " at one time"
                            : ", all at one time")});
  if (stall <= Seconds{}) return out;
  const Seconds young = young_interval(stall, mtbf);
  out.push_back(
      derived(name + "checkpoint.interval.young", young,
              "sqrt(2 x " + text(stall) + " x " + text(mtbf) + ")",
              {"sqrt(2 * stall * mtbf)",
               "docs/models/failures.md",
               {figure("stall", stall.in(unit::s), Dimension::time, "least a save costs training"),
                {"mtbf", name + "failures.mtbf"}}},
              " of work between two saves, for a stall of at least " + text(stall)));
  return out;
}

namespace {

/// Periods that its histories have at least: of `recovery.horizon`, or of the whole run.
///    [docs/models/elastic.md]
double periods_of(const Design& design, const JobDesign& job, const ElasticParams& p, double lent) {
  for (const WholeRun& run : whole_runs(design))
    if (run.job == job.job.id) return std::floor(run.time(1.0 - lent) / p.period * (1.0 + 1e-9));
  return std::max(1.0, std::ceil(recovery_params(*job.recovery).horizon / p.period - 1e-9));
}

}  // namespace

std::vector<Derivation> derive_elastic(const Design& design, const JobDesign& job,
                                       const Plant& plant, Seconds save, Bytes written) {
  if (!job.elastic || !job.checkpoint) return {};
  const ElasticParams p = elastic_params(*job.elastic);
  const RecoveryParams r = recovery_params(*job.recovery);
  const std::string host = job_params(job.job).hosts, to = checkpoint_params(*job.checkpoint).to;
  if (in_memory(to)) return {};
  const double ranks = plant.layout(job.job.id).ranks;
  const std::string name = metric::of_job(job.job.id, "elastic.");
  const std::string gpus = base::shortest(static_cast<double>(p.gpus));
  const double lent = 1.0 - p.own(ranks);
  std::vector<Derivation> out{derived(name + "lent.share", {lent, Dimension::ratio},
                                      gpus + " of " + base::shortest(ranks) + " GPUs x " +
                                          text(p.busy) + " of every " + text(p.period))};
  const graph::NodeId source = plant.storage(to).read_source();
  const Seconds restore = r.restore.value_or(
      written / plant.topology().max_flow({&source, 1}, plant.mounts(host, to, true)).value);
  const Seconds mount = r.mounted(plant.layout(job.job.id).used_hosts() * p.stays(ranks));
  // t = t_save + t_stop + t_mount + t_start + t_init + t_restore    [docs/models/elastic.md, eq. 2]
  const Seconds shift = save + p.stop + mount + r.start + r.init + restore;
  out.push_back({name + "shift", shift.in(unit::s), Dimension::time,
                 "save " + text(save) + " + stop " + text(p.stop) +
                     (mount > Seconds{} ? " + mount " + text(mount) : "") + " + start " +
                     text(r.start) + " + init " + text(r.init) + " + restore " + text(restore) +
                     " = at least " + text(shift)});
  // (N + N - g) t a period    [docs/models/elastic.md, eq. 3]
  const double held = 2.0 * ranks - static_cast<double>(p.gpus);
  const std::string of_period = "(" + base::shortest(ranks) + " GPUs going + " +
                                base::shortest(ranks - static_cast<double>(p.gpus)) +
                                " coming) x " + text(shift);
  const double periods = periods_of(design, job, p, lent);
  out.push_back(derived(name + "lost.gpu_hours",
                        {periods * held * shift.in(unit::h), Dimension::number},
                        base::shortest(periods) + " periods x " + of_period, {},
                        " GPU hours at least, in " + text(p.period * periods)));
  out.push_back(derived(name + "lost.share", {held * (shift / p.period) / ranks, Dimension::ratio},
                        of_period + " of " + base::shortest(ranks) + " GPUs x " + text(p.period),
                        {}, " of the GPU time at least"));
  return out;
}

}  // namespace stallcast::models
