#pragma once

#include "engine/decide/gain/gains.hpp"

/// What jobs and tenants that share storage lose to each other. docs/models/tenants.md, eq. 13.
namespace stallcast::gain {

/// Simulates each job and each tenant on its own, with the first seed, and adds to `prediction`
/// what it loses to the others ("job.J.neighbours.loss", "tenant.T.neighbours.loss", a share of its
/// speed) and, for each storage system that several use, how evenly they lose
/// ("storage.S.fairness", Jain's index). Nothing where nobody shares, where stages decide who is
/// there, or where that would take too long.
void add_neighbours(const Design& design, Prediction& prediction, const GainOptions& options);

/// Jain's index of what each has kept of its speed: 1 where all kept as much, 1 / n where one kept
/// all. REQUIRES: not empty, some above 0.
[[nodiscard]] double jain(const std::vector<double>& kept);

}  // namespace stallcast::gain
