#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "engine/graph/topology.hpp"

namespace stallcast::graph {
namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Levels that differ by less were one level before rounding.
constexpr double kSameLevel = 1.0 + 1e-12;

/// load(e, d): what edge e carries per B/s of one member of demand d = members x times the path
/// crosses e. Only finite edges that some demand crosses have a row.
struct System {
  Matrix load;
  Vector capacity;
};

System make_system(const Topology& topology, std::span<const Demand> demands) {
  std::map<std::uint32_t, int> row_of;
  std::vector<double> capacity;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t d = 0; d < demands.size(); ++d) {
    assert(demands[d].weight > 0.0 && demands[d].cap >= Rate{});
    for (const EdgeId edge : demands[d].path) {
      if (!topology.capacity(edge).finite()) continue;
      const auto [row, is_new] = row_of.emplace(edge.index, static_cast<int>(capacity.size()));
      if (is_new) capacity.push_back(topology.capacity(edge).in(unit::Bps));
      entries.emplace_back(row->second, static_cast<int>(d), demands[d].weight);
    }
  }
  const auto rows = static_cast<Eigen::Index>(capacity.size());
  System system{Matrix(rows, static_cast<Eigen::Index>(demands.size())), Vector(rows)};
  system.load.setFromTriplets(entries.begin(), entries.end());
  if (rows > 0) system.capacity = Eigen::Map<const Vector>(capacity.data(), rows);
  return system;
}

}  // namespace

// All members rise together; at each level the demands on the edge that fills first, or at their
// cap, keep what they have. used + active * level = capacity gives the level at which an edge
// fills. Both sums are made anew in each round, so that no rounding accumulates.
std::vector<Rate> max_min_shares(const Topology& topology, std::span<const Demand> demands) {
  const auto [load, capacity] = make_system(topology, demands);
  const auto count = static_cast<Eigen::Index>(demands.size());
  Vector rate = Vector::Zero(count);    // of the demands that are settled
  Vector active = Vector::Ones(count);  // 1 while a demand still rises
  double level = 0.0;

  while ((active.array() > 0.0).any()) {
    const Vector used = load * rate;
    const Vector rising = load * active;
    Vector full_at = Vector::Constant(capacity.size(), kInfinity);
    for (Eigen::Index e = 0; e < capacity.size(); ++e)
      if (rising[e] > 0.0) full_at[e] = (capacity[e] - used[e]) / rising[e];
    double next = full_at.size() > 0 ? full_at.minCoeff() : kInfinity;
    for (Eigen::Index d = 0; d < count; ++d)
      if (active[d] > 0.0)
        next = std::min(next, demands[static_cast<std::size_t>(d)].cap.in(unit::Bps));
    level = std::max(level, next);  // never falls, whatever rounding says

    const auto settle = [&](Eigen::Index d) {
      if (std::exchange(active[d], 0.0) > 0.0) rate[d] = level;
    };
    for (Eigen::Index e = 0; e < capacity.size(); ++e)
      if (full_at[e] <= level * kSameLevel && full_at[e] < kInfinity)
        for (Matrix::InnerIterator entry(load, e); entry; ++entry) settle(entry.col());
    for (Eigen::Index d = 0; d < count; ++d)
      if (demands[static_cast<std::size_t>(d)].cap.in(unit::Bps) <= level) settle(d);
  }

  std::vector<Rate> shares;
  shares.reserve(demands.size());
  for (Eigen::Index d = 0; d < count; ++d) shares.push_back(Rate::from(rate[d], unit::Bps));
  return shares;
}

}  // namespace stallcast::graph
