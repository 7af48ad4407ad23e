#include "engine/sim/simgrid_context.hpp"

#include <xbt/log.h>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/sim/event_context.hpp"

namespace stallcast::sim {
namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;
using simgrid::kernel::resource::StandardLinkImpl;
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
    "network/latency-factor:1e-30",  // latency is only a weight, see open_flow
    "network/optim:Full",            // measured 1.7 times as fast as Lazy on a shared pool
    "maxmin/precision:1e-12",        // at 1e-5 the solver aborts on a link that is full but 1e-6
};

// Payloads are integers in SimGrid. Every flow is kUnits units of work, and its rate factor says
// how many of them one byte is, so that bytes can be any real number.
constexpr std::uint64_t kUnits = std::uint64_t{1} << 40U;

// A flow is bound for its life by the bandwidth that its links had when it started, so links of the
// model are this wide and get their capacity from a callback, which may also grow under a flow.
constexpr double kWide = 1e30;

// The solver compares sums of weights with an absolute precision; in this unit they are about 1.
constexpr double kWeightUnit = 0x1p20;

// The one route there is: rewritten before each flow starts, since SimGrid looks it up only then.
class FlowZone : public routing::NetZoneImpl {
 public:
  explicit FlowZone(const std::string& name) : NetZoneImpl(name) {}
  std::vector<StandardLinkImpl*> route;
  double penalty = 1.0;  // max-min weight is its inverse

  void get_local_route(const routing::NetPoint* /*from*/, const routing::NetPoint* /*to*/,
                       routing::Route* into, double* latency) override {
    into->link_list_.insert(into->link_list_.end(), route.begin(), route.end());
    if (latency != nullptr) *latency += penalty;
  }
  void get_graph(const s_xbt_graph_t* /*graph*/,
                 std::map<std::string, xbt_node_t, std::less<>>* /*nodes*/,
                 std::map<std::string, xbt_edge_t, std::less<>>* /*edges*/) override {}
};

// Thrown through the engine's loop to leave it early; the loop holds nothing when timers run.
struct LeaveRun {};

class SimgridContext final : public EventContext {
 public:
  SimgridContext();
  ~SimgridContext() override;
  void run(Seconds horizon) override;

 protected:
  void open_link(LinkId link, Rate capacity) override;
  void resize_link(LinkId link, Rate capacity) override;
  void open_flow(FlowKey key, const Flow& flow) override;

 private:
  struct Transfer {
    SimgridContext* owner = nullptr;
    FlowKey key = 0;
    s4u::CommPtr comm{};
    s4u::Link* cap = nullptr;  // its private link while it runs
  };
  s4u::Link* make_link(double capacity);
  s4u::Link* take_cap_link(double capacity);
  void on_ended(Transfer& transfer);
  void wake_at_once();
  void wake();
  void arm();

  std::unique_ptr<s4u::Engine> engine_;
  FlowZone* zone_ = nullptr;       // both zones belong to SimGrid
  FlowZone* link_zone_ = nullptr;  // never sealed, so that links can be added at any time
  s4u::Host* source_ = nullptr;
  s4u::Host* sink_ = nullptr;
  double rate_factor_ = 1.0;  // of the flow that starts next
  std::vector<s4u::Link*> links_;
  std::vector<double> capacities_;  // of links_
  std::vector<s4u::Link*> free_cap_links_;
  std::size_t links_made_ = 0;
  std::deque<Transfer> transfers_;  // by FlowKey; SimGrid holds their addresses
  std::vector<FlowKey> ended_;
  // Activities must not lose their last reference inside the callback that ends them.
  std::vector<s4u::CommPtr> graveyard_;
  Timer* alarm_ = nullptr;
  bool waking_at_once_ = false;
  double horizon_ = kNever;
};

SimgridContext::SimgridContext() {
  assert(!s4u::Engine::has_instance());
  xbt_log_control_set("root.thres:warning");
  engine_ = std::make_unique<s4u::Engine>("stallcast");
  for (const char* const setting : kNeutral) s4u::Engine::set_config(std::string(setting));
  zone_ = std::make_unique<FlowZone>("flows").release();
  engine_->get_netzone_root()->get_network_model()->set_bw_factor_cb(
      [this](double /*size*/, const s4u::Host* /*from*/, const s4u::Host* /*to*/,
             const std::vector<s4u::Link*>& /*links*/,
             const std::unordered_set<s4u::NetZone*>& /*zones*/) { return rate_factor_; });
  link_zone_ = std::make_unique<FlowZone>("links").release();
  link_zone_->set_network_model(zone_->get_network_model());
  source_ = zone_->get_iface()->create_host("source", 1.0);
  sink_ = zone_->get_iface()->create_host("sink", 1.0);
  engine_->seal_platform();
  s4u::Activity::on_completion_cb([](const s4u::Activity& activity) {
    auto* const transfer = activity.get_data<Transfer>();
    transfer->owner->on_ended(*transfer);
  });
}

SimgridContext::~SimgridContext() {
  drop_tasks();
  // The engine lives as long as the process: it cannot be followed by another one anyway, and
  // taking it down with flows under way is where it is least tested.
  for (Transfer& transfer : transfers_) transfer.comm.detach();
  [[maybe_unused]] const s4u::Engine* const kept = engine_.release();
}

s4u::Link* SimgridContext::make_link(double capacity) {
  s4u::Link* const link =
      link_zone_->create_link("link" + std::to_string(links_made_++), {capacity});
  link->seal();
  return link;
}

s4u::Link* SimgridContext::take_cap_link(double capacity) {
  if (free_cap_links_.empty()) return make_link(capacity);
  s4u::Link* const link = free_cap_links_.back();
  free_cap_links_.pop_back();
  link->set_bandwidth(capacity);
  return link;
}

void SimgridContext::open_link(LinkId link, Rate capacity) {
  s4u::Link* const made = make_link(kWide);
  capacities_.push_back(capacity.in(unit::Bps));
  made->set_sharing_policy(
      s4u::Link::SharingPolicy::NONLINEAR,
      [this, link](double /*wide*/, int /*flows*/) { return capacities_[link.index]; });
  links_.push_back(made);
}

void SimgridContext::resize_link(LinkId link, Rate capacity) {
  capacities_[link.index] = capacity.in(unit::Bps);
  links_[link.index]->set_bandwidth(kWide);  // makes SimGrid share it anew
}

void SimgridContext::open_flow(FlowKey key, const Flow& flow) {
  if (key == transfers_.size()) transfers_.push_back({.owner = this, .key = key});
  Transfer& transfer = transfers_[key];
  // The max-min weight of a flow is the inverse of its latency; the delay itself is configured
  // away.
  zone_->penalty = kWeightUnit / flow.members;
  zone_->route.clear();
  for (const LinkId link : flow.path) zone_->route.push_back(links_[link.index]->get_impl());
  if (flow.cap.finite()) {
    transfer.cap = take_cap_link(flow.cap.in(unit::Bps)*flow.members);
    zone_->route.push_back(transfer.cap->get_impl());
  }
  rate_factor_ = static_cast<double>(kUnits) / (flow.bytes.in(unit::B)*flow.members);
  transfer.comm = s4u::Comm::sendto_init();
  transfer.comm->set_payload_size(kUnits);
  transfer.comm->set_data(&transfer);
  transfer.comm->set_source(source_);
  transfer.comm->set_destination(sink_);  // starts it
}

void SimgridContext::on_ended(Transfer& transfer) {
  graveyard_.push_back(std::move(transfer.comm));
  ended_.push_back(transfer.key);
  wake_at_once();
}

void SimgridContext::wake_at_once() {
  if (waking_at_once_) return;
  waking_at_once_ = true;
  Timer::set(s4u::Engine::get_clock(), [this] {
    waking_at_once_ = false;
    wake();
  });
}

// Runs from a timer, when SimGrid's solver and its lists of ended activities are at rest.
void SimgridContext::wake() {
  now_ = s4u::Engine::get_clock();
  graveyard_.clear();
  for (const FlowKey key : ended_) {
    if (transfers_[key].cap == nullptr) continue;
    free_cap_links_.push_back(transfers_[key].cap);
    transfers_[key].cap = nullptr;
  }
  close_flows(ended_);
  run_due();
  if (stopping_) throw LeaveRun{};
  if (now_ > horizon_) throw LeaveRun{};
  arm();
}

// Sets the one alarm to the next event or the end of the run; to neither when nothing is left to
// do, so that the engine's loop ends.
void SimgridContext::arm() {
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

void SimgridContext::run(Seconds horizon) {
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

}  // namespace

std::unique_ptr<Context> make_simgrid_context() { return std::make_unique<SimgridContext>(); }

}  // namespace stallcast::sim
