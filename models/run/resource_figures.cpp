#include "models/run/resource_figures.hpp"

#include <algorithm>

#include "stallcast/metric.hpp"

namespace stallcast::models {

// Share of all waiting, or of `total`, during which a resource was what was waited for.
void blame(const WaitSplit& all, Seconds total, ResourceTable& resources,
           std::vector<ResourceUse>& uses) {
  const bool given = total > Seconds{};
  for (const auto& [resource, time] : all.by_resource)
    if (!given) total += time;
  if (total <= Seconds{}) return;
  for (const auto& [resource, time] : all.by_resource) {
    const std::string& name = resources.name(resource);
    auto found = std::find_if(uses.begin(), uses.end(),
                              [&](const ResourceUse& u) { return u.name == name; });
    if (found == uses.end())
      found = uses.insert(uses.end(), ResourceUse{.name = name,
                                                  .unit = "",
                                                  .capacity = 0,
                                                  .throughput = 0,
                                                  .in_use = 0,
                                                  .blamed_share = 0});
    found->blamed_share = time / total;
  }
}

void add_resources(std::span<const ResourceUse> uses, std::map<std::string, double> lines,
                   std::map<std::string, double> under_way,
                   std::map<std::string, Metric>& metrics) {
  for (const ResourceUse& use : uses) {
    if (use.capacity <= 0.0) {
      under_way.erase(use.name);
      continue;
    }
    metrics[metric::of_resource(use.name, "utilization")] = {use.utilization(), "ratio", {}};
    metrics[metric::of_resource(use.name, "throughput")] = {use.throughput, use.unit, {}};
    if (use.unit == "cores") under_way[use.name] = std::max(under_way[use.name], use.throughput);
  }
  lines.merge(under_way);
  for (const auto& [name, waiting] : lines)
    metrics[metric::of_resource(name, "queue")] = {waiting, "count", {}};
}

}  // namespace stallcast::models
