#pragma once

#include <vector>

#include "models/stage/graph.hpp"

/// Stages from and to drives inside hosts, of which each host has its own. docs/models/stages.md,
/// eq. 8.
namespace stallcast::models {

/// Sets of how many hosts each has all of what a stage writes. REQUIRES: in order.
void copy_to_each_host(const Design& design, std::vector<StageNode>& nodes);

/// What reads drives of hosts while all that was put on such drives is on those of other hosts.
[[nodiscard]] std::vector<StageFault> faults_of_host_drives(const Design& design,
                                                            const std::vector<StageNode>& nodes);

}  // namespace stallcast::models
