#include "engine/sim/simgrid_base.hpp"

#include <xbt/log.h>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <string>

namespace stallcast::sim {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

constexpr double kNever = std::numeric_limits<double>::infinity();

// What removes every default that distorts a model of RDMA and NVMe (simgrid_neutral_test.cpp shows
// each of them gone):
constexpr std::array kNeutral = {
    "network/model:CM02",            // no 0.97 bandwidth factor, no 13x latency factor
    "network/crosstraffic:0",        // no 5 % of every flow on the way back
    "network/TCP-gamma:1e60",        // no window: rate <= gamma / (2 latency)
    "network/weight-S:0",            // no weight by capacity
    "network/loopback-bw:1e15",      // no 10 GB/s limit within a node
    "network/latency-factor:1e-30",  // latency is only a weight, see simgrid_comms.cpp
    "network/optim:Full",            // measured 1.7 times as fast as Lazy on a shared pool
    "maxmin/precision:1e-12",        // at 1e-5 the solver aborts on a link that is full but 1e-6
};

// Thrown through the engine's loop to leave it early; the loop holds nothing when timers run.
struct LeaveRun {};

}  // namespace

SimgridBase::SimgridBase() {
  assert(!s4u::Engine::has_instance());
  xbt_log_control_set("root.thres:warning");
  engine_ = std::make_unique<s4u::Engine>("stallcast");
  for (const char* const setting : kNeutral) s4u::Engine::set_config(std::string(setting));
}

SimgridBase::~SimgridBase() {
  // The engine lives as long as the process: it cannot be followed by another one anyway, and
  // taking it down with flows under way is where it is least tested.
  [[maybe_unused]] const s4u::Engine* const kept = engine_.release();
}

void SimgridBase::note_ended(FlowKey key) {
  ended_.push_back(key);
  wake_at_once();
}

void SimgridBase::note_ended(const std::vector<FlowKey>& keys) {
  ended_.insert(ended_.end(), keys.begin(), keys.end());
  wake_at_once();
}

void SimgridBase::wake_at_once() {
  if (waking_at_once_) return;
  waking_at_once_ = true;
  Timer::set(s4u::Engine::get_clock(), [this] {
    waking_at_once_ = false;
    wake();
  });
}

void SimgridBase::wake() {
  now_ = s4u::Engine::get_clock();
  run_due();
  for (const FlowKey key : ended_) release(key);
  close_flows(ended_);
  run_due();
  if (stopping_ || now_ > horizon_) throw LeaveRun{};
  arm();
}

// Sets the one alarm to the next event or the end of the run; to neither when nothing is left to
// do, so that the engine's loop ends.
void SimgridBase::arm() {
  const bool done = flows_running() == 0 && next_event() == kNever;
  // The run ends one step after the horizon, so that flows that end at the horizon are seen.
  const double end = std::nextafter(horizon_, kNever);
  const double next = next_event() <= horizon_ ? next_event() : end;
  const double date = done ? kNever : std::max(next, s4u::Engine::get_clock());
  if (alarm_ != nullptr) {
    if (alarm_->get_date() == date) return;
    alarm_->remove();
    alarm_ = nullptr;
  }
  if (date == kNever) return;
  alarm_ = Timer::set(date, [this] {
    alarm_ = nullptr;
    wake();
  });
}

void SimgridBase::run(Seconds horizon) {
  horizon_ = horizon.in(unit::s);
  if (!stopping_ && horizon_ >= now_) {
    wake_at_once();  // also when only flows are left: without a timer, the loop may see no event
    try {
      engine_->run();
    } catch (const LeaveRun&) {
    }
    now_ = std::min(s4u::Engine::get_clock(), horizon_);
  }
  stopping_ = false;
  rethrow_task_error();
}

}  // namespace stallcast::sim
