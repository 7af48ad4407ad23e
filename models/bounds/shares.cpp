#include <algorithm>
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

// Jobs that read at the same time share every edge max-min, each at most at its own demand.
// [docs/models/bounds.md, eq. 4]
void derive_shares(const std::vector<JobDemand>& jobs, const Plant& plant, Bounds& out) {
  std::vector<graph::Demand> demands;
  std::vector<const JobDemand*> owners;
  std::vector<Rate> wanted;  // at full utilization; a limit of the job may not let it pass
  for (const JobDemand& d : jobs) {
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
        owners.push_back(&d);
      }
    }
  }
  const std::vector<Rate> shares = graph::max_min_shares(plant.topology(), demands);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (i > 0 && owners[i] == owners[i - 1]) continue;
    std::size_t worst = i;  // the group of hosts that gets least sets the pace
    for (std::size_t j = i; j < shares.size() && owners[j] == owners[i]; ++j)
      if (shares[j] / wanted[j] < shares[worst] / wanted[worst]) worst = j;
    const Rate least = shares[worst], demand = wanted[worst];
    const double share = least / demand;
    out.derivations.push_back(derived(
        metric::of_job(owners[i]->id, "gpu.utilization.estimate"), {share, Dimension::ratio},
        "max-min share with the other jobs " + text(least) + " of " + text(demand) + " per GPU"));
  }
}

}  // namespace stallcast::models::detail
