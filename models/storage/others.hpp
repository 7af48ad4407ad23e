#pragma once

#include <algorithm>

#include "engine/sim/context.hpp"
#include "models/contract/chance.hpp"
#include "models/contract/storage.hpp"

namespace stallcast::models {

/// `asked`, of each member of `client`, has moved as `flow` says: what of that one who comes by
/// chance waited for others on its way.    [docs/models/tenants.md, eq. 3]
inline void waits_for_others(const Client& client, const sim::Context& context,
                             const sim::Flow& asked, const sim::FlowOutcome& flow) {
  if (client.chance == nullptr) return;
  Rate most = Rate::infinity();
  for (const sim::LinkId link : asked.path) most = std::min(most, context.use(link).capacity);
  client.chance->waits(
      shared_wait(flow.ended - flow.began,
                  std::max(asked.bytes / asked.cap, asked.bytes * client.members / most),
                  client.chance->others.in(unit::per_s) * (asked.bytes / most).in(unit::s)));
}

}  // namespace stallcast::models
