#pragma once

#include <algorithm>
#include <vector>

#include "engine/sim/context.hpp"
#include "models/contract/chance.hpp"
#include "models/contract/storage.hpp"

namespace stallcast::models {

/// Bytes of each member of `client` have moved along `path` within `flow`, at `own` at most: what
/// of that one who comes by chance waited for others there.    [docs/models/tenants.md, eq. 3]
inline void waits_for_others(const Client& client, const sim::Context& context,
                             const std::vector<sim::LinkId>& path, Bytes bytes, Rate own,
                             const sim::FlowOutcome& flow) {
  if (client.chance == nullptr) return;
  Rate most = Rate::infinity();
  for (const sim::LinkId link : path) most = std::min(most, context.use(link).capacity);
  client.chance->waits(
      shared_wait(flow.ended - flow.began, std::max(bytes / own, bytes * client.members / most),
                  client.chance->others.in(unit::per_s) * (bytes / most).in(unit::s)));
}

}  // namespace stallcast::models
