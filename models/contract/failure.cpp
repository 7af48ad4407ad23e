#include "models/contract/failure.hpp"

#include <algorithm>
#include <cmath>

#include "models/contract/checkpoint.hpp"
#include "models/contract/rows.hpp"
#include "models/contract/training.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::array<Field<RecoveryParams>, 12> kRecovery{
    field("detect", &RecoveryParams::detect, "1 min", "until somebody notices that ranks are gone",
          between("10 s", "10 min",
                  assumed(kNonNegative, "watchdog 10-60 s; PyTorch's own NCCL time-out is 10 min"),
                  "as cited")),
    field("replace", &RecoveryParams::replace, "5 min",
          "when a host is lost: until another is scheduled and has the image",
          between("1 min", "15 min", assumed(kNonNegative, "1-15 min"), "as cited")),
    field("start", &RecoveryParams::start, "1 min",
          "until all processes run: imports, data index, file handles",
          between("15 s", "5 min", assumed(kNonNegative),
                  "expert range: cached images 15 s; storms of imports and compilation minutes")),
    field("init", &RecoveryParams::init, "30 s", "until all ranks can communicate",
          between("3 s", "2 min",
                  cited(kNonNegative,
                        "MegaScale: under 5 s for 2,048 GPUs, under 30 s for over 10,000"),
                  "expert range: small jobs 3 s, large ones untuned minutes")),
    field("restore", &RecoveryParams::restore, kOptional,
          "to read the state back from the storage; absent: as simulated, or else its size over "
          "the "
          "rate the storage path allows",
          kNonNegative),
    field("spares", &RecoveryParams::spares, kOptional,
          "idle hosts that replace failed ones; absent: there is always one",
          {.minimum = 0.0, .maximum = 1e7}),
    field("mount.delay", &RecoveryParams::mount, "0 s",
          "time to attach and mount the volumes of one pod (Kubernetes CSI), whenever the job "
          "starts: 5-60 s (expert value)",
          between("0 s", "60 s", kNonNegative,
                  "as described: 5-60 s where pods mount volumes, else nothing")),
    field("mount.parallel", &RecoveryParams::mount_parallel, kOptional,
          "pods whose volumes are attached at one time; absent: all", kAtLeastOne),
    field("mount.pods", &RecoveryParams::pods, "1", "pods of the job on one host", up_to(4096.0)),
    field("horizon", &RecoveryParams::horizon, "30 d",
          "run time that goodput is predicted for; of a job with a whole \"run\" it is for that",
          kPositive),
    field("runs", &RecoveryParams::runs, "1000",
          "random histories of that length; fewer of longer whole runs", up_to(100000.0)),
    // So many that a history's luck weighs less than a step of the search.
    field("search", &RecoveryParams::search, "4000",
          "failures that each interval tried in search of the best one goes through; 0: no search",
          {.minimum = 0.0, .maximum = 1e7})};

// A group of which one host is the job's fails as a full one does.
//    [docs/models/failures.md, eq. 1]
double groups_of(const FailureParams& p, double hosts) {
  constexpr double kWhole = 1e-9;
  return std::max(1.0, std::ceil(hosts / static_cast<double>(p.group) - kWhole));
}

}  // namespace

Scope lost_with(std::string_view tier, bool inside) {
  if (tier == kPeerMemory) return Scope::rack;
  return tier == kHostMemory || inside ? Scope::host : Scope::beyond;
}

std::vector<Outage> outages(const Design& design, std::string_view host) {
  std::vector<Outage> out;
  for (const Component& component : design.failures) {
    const FailureRow& row = failure_row(component.kind);
    const FailureStyle style = row.style;
    if (!style.kills) continue;
    const FailureParams p = row.params(component);
    if (!p.at || (p.hosts && *p.hosts != host)) continue;
    const double hosts = style.scope == Scope::rack   ? static_cast<double>(p.group)
                         : style.scope == Scope::host ? 1.0
                                                      : 0.0;
    out.push_back({.at = *p.at,
                   .scope = style.scope,
                   .hosts = hosts,
                   .repair = p.repair,
                   .id = component.id});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Outage& a, const Outage& b) { return a.at < b.at; });
  return out;
}

RecoveryParams recovery_params(const Component& component) { return bind<kRecovery>(component); }
std::span<const FieldInfo> recovery_fields() { return kInfos<kRecovery>; }

// t = ceil(pods / parallel) x delay    [docs/models/failures.md, eq. 11]
Seconds RecoveryParams::mounted(double hosts) const {
  const double all = hosts * static_cast<double>(pods);
  return mount * (mount_parallel ? std::ceil(all / static_cast<double>(*mount_parallel)) : 1.0);
}

namespace {

bool strikes(const Component& failure, const JobDesign& job) {
  const FailureRow& row = failure_row(failure.kind);
  if (!row.style.kills) return false;
  const FailureParams p = row.params(failure);
  return !p.hosts || *p.hosts == job_params(job.job).hosts;
}

bool fails(const Design& design, const JobDesign& job, bool dated) {
  return std::ranges::any_of(design.failures, [&](const Component& failure) {
    return strikes(failure, job) &&
           failure_row(failure.kind).params(failure).at.has_value() == dated;
  });
}

}  // namespace

bool fails_at_a_date(const Design& design, const JobDesign& job) {
  return fails(design, job, true);
}

bool fails_at_random(const Design& design, const JobDesign& job) {
  return fails(design, job, false);
}

double failing_units(const FailureParams& p, const FailingParts& job) {
  if (p.per == "gpu") return job.ranks;
  if (p.per == "host") return job.hosts;
  if (p.per == "rack") return groups_of(p, job.hosts);
  if (p.per == "worker") return job.workers;
  return 1.0;
}

// They lie in as few groups as hold them, as evenly as it goes.
double lost_together(const FailureParams& p, double hosts) {
  return std::ceil(hosts / groups_of(p, hosts));
}

}  // namespace stallcast::models
