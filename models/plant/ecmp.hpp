#pragma once

#include "engine/base/random.hpp"

/// Connections placed on equal links by a hash. docs/models/network.md.
namespace stallcast::models {

/// Share of what `links` equal links carry that `flows` equal connections reach when each keeps the
/// link its hash drew and all end together: mean over the most loaded link. At least one of each.
/// [docs/models/network.md, eq. 1]
[[nodiscard]] double hashed_share(double flows, double links, base::RandomStream& random);

/// The least of `switches` such draws.
[[nodiscard]] double worst_hashed_share(double switches, double flows, double links,
                                        base::RandomStream& random);

}  // namespace stallcast::models
