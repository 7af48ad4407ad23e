#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "engine/graph/topology.hpp"

namespace stallcast::graph {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Levels that differ by less were one level before rounding.
constexpr double kSameLevel = 1.0 + 1e-12;

/// A finite edge that some demand crosses.
struct Loaded {
  double capacity = 0.0;  ///< B/s
  /// What it carries per B/s of one member of a demand, by demand: members x times the path crosses
  /// it.
  std::vector<std::pair<std::size_t, double>> load;

  /// What it carries when each demand has `rate`.
  [[nodiscard]] double carries(const std::vector<double>& rate) const {
    double sum = 0.0;
    for (const auto& [demand, load_of] : load) sum += load_of * rate[demand];
    return sum;
  }
};

std::vector<Loaded> loaded_edges(const Topology& topology, std::span<const Demand> demands) {
  std::map<std::uint32_t, std::size_t> place_of;
  std::vector<Loaded> edges;
  for (std::size_t d = 0; d < demands.size(); ++d) {
    assert(demands[d].weight > 0.0 && demands[d].cap >= Rate{});
    for (const EdgeId id : demands[d].path) {
      const Rate capacity = topology.capacity(id);
      if (!capacity.finite()) continue;
      const auto [place, is_new] = place_of.emplace(id.index, edges.size());
      if (is_new) edges.push_back({capacity.in(unit::Bps), {}});
      auto& load = edges[place->second].load;
      if (load.empty() || load.back().first != d) load.emplace_back(d, 0.0);
      load.back().second += demands[d].weight;
    }
  }
  return edges;
}

}  // namespace

// All members rise together; at each level the demands on the edge that fills first, or at their
// cap, keep what they have. used + active * level = capacity gives the level at which an edge
// fills. Both sums are made anew in each round, so that no rounding accumulates.
std::vector<Rate> max_min_shares(const Topology& topology, std::span<const Demand> demands) {
  const std::vector<Loaded> edges = loaded_edges(topology, demands);
  std::vector<double> rate(demands.size(), 0.0);    // of the demands that are settled
  std::vector<double> active(demands.size(), 1.0);  // 1 while a demand still rises
  std::vector<double> full_at(edges.size());
  double level = 0.0;

  while (std::find(active.begin(), active.end(), 1.0) != active.end()) {
    double next = kInfinity;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const double used = edges[e].carries(rate), rising = edges[e].carries(active);
      full_at[e] = rising > 0.0 ? (edges[e].capacity - used) / rising : kInfinity;
      next = std::min(next, full_at[e]);
    }
    for (std::size_t d = 0; d < demands.size(); ++d)
      if (active[d] > 0.0) next = std::min(next, demands[d].cap.in(unit::Bps));
    level = std::max(level, next);  // never falls, whatever rounding says

    const auto settle = [&](std::size_t d) {
      if (std::exchange(active[d], 0.0) > 0.0) rate[d] = level;
    };
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (full_at[e] <= level * kSameLevel && full_at[e] < kInfinity)
        for (const auto& [demand, load] : edges[e].load) settle(demand);
    for (std::size_t d = 0; d < demands.size(); ++d)
      if (demands[d].cap.in(unit::Bps) <= level) settle(d);
  }

  std::vector<Rate> shares;
  shares.reserve(demands.size());
  for (const double each : rate) shares.push_back(Rate::from(each, unit::Bps));
  return shares;
}

}  // namespace stallcast::graph
