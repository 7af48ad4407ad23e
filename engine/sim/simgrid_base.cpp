#include "engine/sim/simgrid_base.hpp"

#include <xbt/log.h>

#include <array>
#include <cassert>
#include <simgrid/s4u.hpp>
#include <string>

namespace stallcast::sim {
namespace {

namespace s4u = simgrid::s4u;

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

}  // namespace

s4u::Engine& start_simgrid() {
  assert(!s4u::Engine::has_instance());
  xbt_log_control_set("root.thres:warning");
  auto engine = std::make_unique<s4u::Engine>("stallcast");
  for (const char* const setting : kNeutral) s4u::Engine::set_config(std::string(setting));
  return *engine.release();
}

}  // namespace stallcast::sim
