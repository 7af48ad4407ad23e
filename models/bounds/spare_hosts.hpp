#pragma once

#include <string>

#include "stallcast/design.hpp"

namespace stallcast::models {

/// Hosts of class `host` that stand by for those that fail: `spares` of the jobs there, of jobs
/// that follow each other the most of any. Where a job names none there is always one that nobody
/// buys.
///    [docs/models/cost.md, eq. 1]
[[nodiscard]] double spare_hosts(const Design& design, const std::string& host);

}  // namespace stallcast::models
