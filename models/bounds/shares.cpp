#include <algorithm>
#include <map>
#include <vector>

#include "engine/graph/topology.hpp"
#include "models/bounds/parts.hpp"
#include "stallcast/metric.hpp"

/// What several jobs leave each other: docs/models/bounds.md, eq. 4.
namespace stallcast::models::detail {

std::vector<graph::NodeId> reading_mounts(const JobDemand& d, const std::string& storage,
                                          const Plant& plant) {
  const auto mounts = plant.mounts(d.host, storage, true, d.layout.gds);
  std::vector<graph::NodeId> out;
  for (std::size_t g = 0; g < mounts.size(); ++g)
    if (d.layout.readers_in(plant.groups(d.host)[g]) > kHostRounding) out.push_back(mounts[g]);
  return out;
}

namespace {

/// What jobs that read at one time get, by their numbers, and what they ask for, of a rank each:
/// of the group of hosts that gets least, which sets the pace.
struct OwnShare {
  Rate least, demand;
};
using Shares = std::map<std::size_t, OwnShare>;

// Jobs that read at the same time share every edge max-min, each at most at its own demand.
// [docs/models/bounds.md, eq. 4]
Shares shared_among(const std::vector<JobDemand>& jobs, const std::vector<std::size_t>& together,
                    const Plant& plant) {
  std::vector<graph::Demand> demands;
  std::vector<std::size_t> owners;
  std::vector<Rate> wanted;  // at full utilization; a limit of the job may not let it pass
  for (const std::size_t j : together) {
    const JobDemand& d = jobs[j];
    if (d.missed == Rate{}) continue;
    for (const auto& [storage, part] : d.places) {
      const graph::NodeId source = plant.storage(storage).read_source();
      const auto mounts = plant.mounts(d.host, storage, true, d.layout.gds);
      for (std::size_t g = 0; g < mounts.size(); ++g) {
        const double readers = d.layout.readers_in(plant.groups(d.host)[g]);
        if (readers <= kHostRounding) continue;
        const double allowed =
            plant.storage(storage).own_of_host() ? 1.0 : std::min(d.allowed, d.begun);
        wanted.push_back(d.missed * part / d.layout.readers());
        demands.push_back({.path = plant.topology().route(source, mounts[g]),
                           .weight = readers,
                           .cap = wanted.back() * allowed});
        owners.push_back(j);
      }
    }
  }
  const std::vector<Rate> shares = graph::max_min_shares(plant.topology(), demands);
  Shares out;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto [part, first] = out.try_emplace(owners[i], OwnShare{shares[i], wanted[i]});
    if (!first && shares[i] / wanted[i] < part->second.least / part->second.demand)
      part->second = {shares[i], wanted[i]};
  }
  return out;
}

}  // namespace

void derive_shares(const std::vector<JobDemand>& jobs, const Plant& plant, Bounds& out) {
  std::vector<double> asked;
  for (const JobDemand& d : jobs) asked.push_back(d.missed.in(unit::Bps));
  std::map<std::vector<std::size_t>, Shares> known;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const std::vector<std::size_t> together = plant.order().beside(j, asked);
    if (together.size() < 2) continue;
    auto found = known.find(together);
    if (found == known.end())
      found = known.emplace(together, shared_among(jobs, together, plant)).first;
    const auto part = found->second.find(j);
    if (part == found->second.end()) continue;
    const auto [least, demand] = part->second;
    out.derivations.push_back(derived(
        metric::of_job(jobs[j].id, "gpu.utilization.estimate"), {least / demand, Dimension::ratio},
        "max-min share with the other jobs " + text(least) + " of " + text(demand) + " per GPU"));
  }
}

}  // namespace stallcast::models::detail
