#include <algorithm>

#include "engine/sim/fluid_solver.hpp"

/// Flows that change their groups: which links these name has changed.
namespace stallcast::sim {
// Each flow is moved at most once, and where links are now full, now not, the next ones begin in
// groups.
void FluidSolver::group_loose() {
  loose_from_ = next_order_ + kBackOff * flows_;
  loose_.take_all([&](FlowKey key, LooseFlows::Loose& flow) {
    const LooseFlows::Loose& loose = flow;
    shares_.release(loose.path, flow.rate());
    join(key, flow.left(now_), flow);
  });
}

// The flows of these groups look for others; what is left of each stays as it is. Clears `groups`.
void FluidSolver::split(LongVector<std::uint32_t>& groups) {
  while (!groups.empty()) {
    apart_.swap(groups);
    groups.clear();
    moving_.clear();
    for (const std::uint32_t index : apart_) {
      Group& group = groups_[index];
      if (group.heap.empty()) continue;
      const double reading = read(group);
      for (const Member& member : group.heap) {
        moving_.push_back({member.order, member.key, std::max(0.0, member.end - reading)});
        const LooseFlows::Loose& flow = loose_.noted(member.key);
        shares_.pass_no_more(index, flow.path, flow.members);
      }
      group.heap.clear();
      --busy_;
      change(index);
    }
    std::sort(moving_.begin(), moving_.end(),
              [](const Moving& a, const Moving& b) { return a.order < b.order; });
    for (const Moving& flow : moving_) join(flow.key, flow.left, loose_.note(flow.key));
  }
}

// Links that are passed and may be full now: those that are get named, and flows that passed them
// look for other groups. Whether there are any.
bool FluidSolver::relieve() {
  if (shares_.in_doubt().empty()) return false;
  bool any = false;
  for (const std::uint32_t index : shares_.in_doubt()) {
    shares_.look(index);
    for (const Member& member : groups_[index].heap)
      shares_.look_again(index, loose_.noted(member.key).path);
    if (!shares_.strained(index)) continue;
    for (const Member& member : groups_[index].heap)
      shares_.name_narrow(index, loose_.noted(member.key).path);
    shares_.outdated().push_back(index);
    any = true;
  }
  return any;
}

// Once a link has been full, flows that cross it need not name all the others any more.
bool FluidSolver::gather() {
  if (flows_ <= kFewFlows || shares_.named() == named_ || next_order_ < gather_from_) return false;
  named_ = shares_.named();
  gather_from_ = next_order_ + kBackOff * flows_;
  LongVector<std::uint32_t>& again = shares_.outdated();
  for (std::uint32_t index = 0; index < groups_.size(); ++index)
    if (!groups_[index].heap.empty() && shares_.names_more(index)) again.push_back(index);
  return !again.empty();
}

}  // namespace stallcast::sim
