#pragma once

#include <map>
#include <span>
#include <string>
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

/// Adds "resource.R.utilization" and ".throughput" of what has a capacity, and ".queue": of lines
/// those who wait, of others the transfers `under_way` or the cores at work.
void add_resources(std::span<const ResourceUse> uses, std::map<std::string, double> lines,
                   std::map<std::string, double> under_way, std::map<std::string, Metric>& metrics);

}  // namespace stallcast::models
