#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/glob.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::metric {
namespace {

constexpr std::string_view kStatistics[] = {"p50", "p95", "p99", "max"};

/// Figures outside the table of those that reports show.
constexpr std::pair<Domain, std::string_view> kOthers[] = {
    {Domain::job, "*.required"},
    {Domain::job, "accelerators.supported"},
    {Domain::job, "cache.miss"},
    {Domain::job, "cache.missed"},
    {Domain::job, "cache.size"},
    {Domain::job, "checkpoint.backpressure"},
    {Domain::job, "checkpoint.count"},
    {Domain::job, "checkpoint.files"},
    {Domain::job, "checkpoint.held"},
    {Domain::job, "checkpoint.rank0"},
    {Domain::job, "checkpoint.settled"},
    {Domain::job, "checkpoint.slowed"},
    {Domain::job, "checkpoint.stall.total"},
    {Domain::job, "checkpoint.took.*"},
    {Domain::job, "communication.exposed"},
    {Domain::job, "communication.time"},
    {Domain::job, "elastic.shifts"},
    {Domain::job, "epoch.begin"},
    {Domain::job, "epoch.begun"},
    {Domain::job, "failures.bad_saves"},
    {Domain::job, "failures.lost_all"},
    {Domain::job, "failures.mount"},
    {Domain::job, "first_batch.waited"},
    {Domain::job, "first_step"},
    {Domain::job, "lasting.useful"},
    {Domain::job, "lasting.utilization"},
    {Domain::job, "restart.restore.bandwidth"},
    {Domain::job, "restart.restore.rank0"},
    {Domain::job, "restart.restore.read"},
    {Domain::job, "restart.restore.took.*"},
    {Domain::job, "restore.bandwidth"},
    {Domain::job, "restore.rank0"},
    {Domain::job, "restore.read"},
    {Domain::job, "restore.took.*"},
    {Domain::job, "run.steps"},
    {Domain::job, "slow.cost"},
    {Domain::job, "slow.others"},
    {Domain::job, "slow.time"},
    {Domain::job, "stall.cpu"},
    {Domain::job, "stall.metadata"},
    {Domain::job, "steady.au"},
    {Domain::job, "steady.barrier"},
    {Domain::job, "steady.step.time"},
    {Domain::job, "steady.wait"},
    {Domain::job, "steps"},
    {Domain::job, "throughput.dlio"},
    {Domain::job, "time.checkpoint"},
    {Domain::job, "time.communication"},
    {Domain::job, "time.compute"},
    {Domain::job, "time.cpu"},
    {Domain::job, "time.data"},
    {Domain::job, "time.metadata"},
    {Domain::job, "time.restart"},
    {Domain::job, "time.sync"},
    {Domain::job, "time.wall"},
    {Domain::job, "unseen.wait"},
    {Domain::job, "waited.*"},
    {Domain::tenant, "cached"},
    {Domain::tenant, "metadata"},
    {Domain::tenant, "metadata.count"},
    {Domain::tenant, "metadata.latency"},
    {Domain::tenant, "metadata.time"},
    {Domain::tenant, "reads.count"},
    {Domain::tenant, "reads.latency"},
    {Domain::tenant, "reads.time"},
    {Domain::tenant, "step"},
    {Domain::tenant, "step.count"},
    {Domain::tenant, "step.time"},
    {Domain::tenant, "syncs.count"},
    {Domain::tenant, "syncs.latency"},
    {Domain::tenant, "syncs.time"},
    {Domain::tenant, "unwritten"},
    {Domain::tenant, "wait"},
    {Domain::tenant, "wait.count"},
    {Domain::tenant, "wait.time"},
    {Domain::tenant, "writes.count"},
    {Domain::tenant, "writes.latency"},
    {Domain::tenant, "writes.time"},
    {Domain::stage, "read"},
    {Domain::stage, "written"},
    {Domain::storage, "*.required"},
    {Domain::storage, "dirty.peak"},
    {Domain::storage, "link.read"},
    {Domain::storage, "ramped"},
    {Domain::storage, "throttled"},
    {Domain::storage, "tries.most"},
    {Domain::resource, "utilization"},
    {Domain::resource, "throughput"},
    {Domain::resource, "queue"}};

/// Figures that have statistics besides the mean.
constexpr std::pair<Domain, std::string_view> kSpread[] = {{Domain::job, "checkpoint.backpressure"},
                                                           {Domain::job, "checkpoint.duration"},
                                                           {Domain::job, "checkpoint.stall"},
                                                           {Domain::job, "communication.exposed"},
                                                           {Domain::job, "communication.time"},
                                                           {Domain::job, "first_batch"},
                                                           {Domain::job, "first_step"},
                                                           {Domain::job, kStepTime},
                                                           {Domain::tenant, "chunk"},
                                                           {Domain::tenant, "itl"},
                                                           {Domain::tenant, "latency"},
                                                           {Domain::tenant, "load"},
                                                           {Domain::tenant, "metadata.latency"},
                                                           {Domain::tenant, "query"},
                                                           {Domain::tenant, "reads.latency"},
                                                           {Domain::tenant, "step"},
                                                           {Domain::tenant, "syncs.latency"},
                                                           {Domain::tenant, "ttft"},
                                                           {Domain::tenant, "wait"},
                                                           {Domain::tenant, "weights.load"},
                                                           {Domain::tenant, "writes.latency"}};

/// What `plan` finds of hosts, which have no other figures.
constexpr std::string_view kOfHosts = "host.*.required";

bool has_statistics(Domain domain, std::string_view key) {
  return std::find(std::begin(kSpread), std::end(kSpread), std::pair(domain, key)) !=
         std::end(kSpread);
}

/// Whether `holds` of some key of `domain`.
template <typename Holds>
bool any_key(Domain domain, const Holds& holds) {
  for (const Figure& figure : figures())
    if (figure.domain == domain && holds(figure.key)) return true;
  return std::any_of(std::begin(kOthers), std::end(kOthers), [&](const auto& other) {
    return other.first == domain && holds(other.second);
  });
}

bool is_known(std::string_view full) {
  const Name name = parse(full);
  if (name.domain == Domain::any) return true;
  if (name.domain == Domain::other) return base::matches_glob(kOfHosts, full);
  if (name.figure.empty()) return full.find('*') != std::string_view::npos;
  const std::string_view figure =
      full.substr(static_cast<std::size_t>(name.figure.data() - full.data()));
  if (figure.find('*') == std::string_view::npos)
    return any_key(name.domain, [&](std::string_view key) {
      return base::matches_glob(key, figure) ||
             (!name.statistic.empty() && key == name.figure && has_statistics(name.domain, key));
    });
  const std::vector<std::string> known = figures_of(name.domain);
  return std::any_of(known.begin(), known.end(),
                     [&](const std::string& one) { return base::globs_meet(figure, one); });
}

}  // namespace

std::vector<std::string> figures_of(Domain domain) {
  std::vector<std::string> out;
  any_key(domain, [&](std::string_view key) {
    out.emplace_back(key);
    if (has_statistics(domain, key))
      for (const std::string_view statistic : kStatistics)
        out.push_back(std::string(key).append(".").append(statistic));
    return false;
  });
  return out;
}

bool is_reported(std::string_view full) {
  constexpr std::string_view kMean = ".mean";
  return is_known(full) ||
         (full.ends_with(kMean) && is_known(full.substr(0, full.size() - kMean.size())));
}

}  // namespace stallcast::metric
