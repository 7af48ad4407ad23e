#pragma once

#include <set>
#include <string>
#include <vector>

#include "models/stage/graph.hpp"

/// Stages from and to drives inside hosts, of which each host has its own. docs/models/stages.md,
/// eq. 8.
namespace stallcast::models {

/// Whether each host has its own of `storage`, which may be "".
[[nodiscard]] bool in_each_host(const Design& design, const std::string& storage);

/// Host classes on which somebody uses `storage`: a job, a stage, a tenant.
[[nodiscard]] std::set<std::string> hosts_that_use(const Design& design,
                                                   const std::string& storage);

/// Sets of how many hosts each has all of what a stage writes. REQUIRES: in order.
void copy_to_each_host(const Design& design, std::vector<StageNode>& nodes);

/// What reads drives of hosts while all that was put on such drives is on those of other hosts.
[[nodiscard]] std::vector<StageFault> faults_of_host_drives(const Design& design,
                                                            const std::vector<StageNode>& nodes);

}  // namespace stallcast::models
