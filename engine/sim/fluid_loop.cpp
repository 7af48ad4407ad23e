#include "engine/sim/fluid_loop.hpp"

#include <algorithm>

namespace stallcast::sim {

void FluidLoop::open_link(LinkId /*link*/, Rate capacity) { solver_.add_link(capacity); }

void FluidLoop::resize_link(LinkId link, Rate capacity) { solver_.set_capacity(link, capacity); }

void FluidLoop::open_flow(FlowKey key, const Flow& flow) {
  solver_.start(key, flow.path, flow.bytes, flow.members, flow.cap);
}

void FluidLoop::begin(Seconds horizon) {
  horizon_ = horizon.in(unit::s);
  over_ = stopping_ || horizon_ < now_;
  if (!over_) settle();
}

double FluidLoop::next_date() {
  if (over_ || stopping_) return kNoDate;
  const double next = next_change();
  return next == kNoDate ? kNoDate : std::min(next, horizon_);
}

double FluidLoop::next_change() {
  return std::min(next_event(), solver_.next_completion().in(unit::s));
}

void FluidLoop::arrive(double date) {
  over_ = date >= horizon_ && next_change() > date;  // the clock stops between two changes
  now_ = std::max(now_, date);
  solver_.advance(now(), ended_);
  if (!over_) settle();
}

void FluidLoop::settle() {
  do {
    run_due();
    if (!ended_.empty()) close_flows(ended_);
  } while (!stopping_ && something_due());
}

void FluidLoop::finish() {
  stopping_ = false;
  rethrow_task_error();
}

}  // namespace stallcast::sim
