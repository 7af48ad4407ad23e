#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/contract/phase_clock.hpp"
#include "models/contract/resources.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

/// What a run says of its resources.
namespace stallcast::models {

/// Adds to `uses` how much of all waiting, or of `total`, was for each of them.
void blame(const WaitSplit& all, Seconds total, ResourceTable& resources,
           std::vector<ResourceUse>& uses);

/// Adds "resource.R.utilization" and ".throughput" of what has a capacity, and ".queue" of lines.
void add_resources(std::span<const ResourceUse> uses,
                   std::span<const std::pair<std::string, double>> queues,
                   std::map<std::string, Metric>& metrics);

}  // namespace stallcast::models
