#include "models/stage/job_order.hpp"

#include <algorithm>

#include "engine/graph/topology.hpp"
#include "models/stage/graph.hpp"

namespace stallcast::models {
namespace {

constexpr double kMost = 1e30;  // of a weight: flows are finite

}  // namespace

// Dilworth: things of which none is gone when another comes weigh at most what so many rows of
// things one after the other do that each has its weight of them. A flow from each to those gone
// before it, at most its weight on either side, is what rows save; its minimum cut goes through a
// side of each but of the heaviest.    [docs/models/stages.md, eq. 6]
std::vector<std::size_t> heaviest_at_one_time(
    const std::vector<double>& weights, const std::function<bool(std::size_t, std::size_t)>& gone) {
  using enum graph::NodeRole;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0.0) all.push_back(i);
  graph::Topology rows;
  const auto source = rows.add_node("first", network), sink = rows.add_node("last", network);
  std::vector<graph::NodeId> here, earlier;
  std::vector<std::size_t> owner;  // of the edges so far
  for (const std::size_t i : all) {
    const Rate weight = Rate::from(std::min(weights[i], kMost), unit::Bps);
    const std::string number = std::to_string(i);
    here.push_back(rows.add_node("here" + number, network));
    earlier.push_back(rows.add_node("earlier" + number, network));
    rows.add_edge(source, here.back(), "come" + number, weight);
    rows.add_edge(earlier.back(), sink, "gone" + number, weight);
    owner.insert(owner.end(), 2, i);
  }
  bool any = false;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b)
      if (gone(all[a], all[b])) {
        any = true;
        rows.add_edge(here[b], earlier[a], "row" + std::to_string(a) + "." + std::to_string(b),
                      Rate::infinity());
      }
  if (!any) return all;
  std::vector<bool> cut(weights.size(), false);
  for (const graph::EdgeId edge : rows.max_flow({&source, 1}, {&sink, 1}).edges)
    cut[owner[edge.index]] = true;
  std::erase_if(all, [&](std::size_t i) { return cut[i]; });
  return all;
}

JobOrder::JobOrder(const Design& design) : alone_(design.jobs.size(), true) {
  for (const JobDesign& job : design.jobs) ids_.push_back(job.job.id);
  if (!has_order(design)) return;
  const std::vector<StageNode> nodes = stage_graph(design);
  const std::vector<bool> none(design.jobs.size(), false);
  std::vector<std::vector<bool>> ended;  // when a node begins; they are in order
  const auto number = [&](const StageNode& node) {
    return static_cast<std::size_t>(node.job - design.jobs.data());
  };
  for (const StageNode& node : nodes) {
    ended.push_back(none);
    for (const std::size_t before : node.after) {
      for (std::size_t j = 0; j < none.size(); ++j)
        if (ended[before][j]) ended.back()[j] = true;
      if (nodes[before].job != nullptr) ended.back()[number(nodes[before])] = true;
    }
    if (node.job == nullptr) continue;
    if (before_.empty()) before_.assign(none.size(), none);
    before_[number(node)] = ended.back();
  }
  for (std::size_t a = 0; a < before_.size(); ++a)
    for (std::size_t b = 0; b < before_.size(); ++b)
      if (before(a, b)) alone_[a] = alone_[b] = false;
}

std::size_t JobOrder::number_of(const std::string& job) const {
  return static_cast<std::size_t>(std::find(ids_.begin(), ids_.end(), job) - ids_.begin());
}

std::vector<std::size_t> JobOrder::at_one_time(const std::vector<double>& weights) const {
  std::vector<double> others = weights;
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < others.size(); ++j)
    if (alone_[j]) others[j] = 0.0, out.push_back(j);
  const std::vector<std::size_t> most =
      heaviest_at_one_time(others, [&](std::size_t a, std::size_t b) { return before(a, b); });
  out.insert(out.end(), most.begin(), most.end());
  std::sort(out.begin(), out.end());
  return out;
}

double JobOrder::most_at_one_time(const std::vector<double>& weights) const {
  double sum = 0.0;
  for (const std::size_t j : at_one_time(weights)) sum += weights[j];
  return sum;
}

std::vector<std::size_t> JobOrder::beside(std::size_t job, std::vector<double> weights) const {
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (apart(job, j) || j == job) weights[j] = 0.0;
  std::vector<std::size_t> out = at_one_time(weights);
  if (std::find(out.begin(), out.end(), job) == out.end())
    out.insert(std::upper_bound(out.begin(), out.end(), job), job);
  return out;
}

}  // namespace stallcast::models
