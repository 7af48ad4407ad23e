#include <algorithm>
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
#include <utility>
#include <vector>

#include "engine/sim/event_context.hpp"
#include "engine/sim/simgrid_base.hpp"

namespace stallcast::sim {
namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;
using simgrid::kernel::resource::StandardLinkImpl;
using simgrid::kernel::timer::Timer;

constexpr double kNever = std::numeric_limits<double>::infinity();

// Payloads are integers in SimGrid. Every flow is kUnits units of work, and its rate factor says
// how many of them one byte is, so that bytes can be any real number.
constexpr std::uint64_t kUnits = std::uint64_t{1} << 40U;

// A flow is bound for its life by the bandwidth that its links had when it started, so links of the
// model are this wide and get their capacity from a callback, which may also grow under a flow.
constexpr double kWide = 1e30;

// The solver compares sums of weights with an absolute precision; in this unit they are about 1.
constexpr double kWeightUnit = 0x1p20;

// Thrown through the engine's loop to leave it early; the loop holds nothing when timers run.
struct LeaveRun {};

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

// Every flow is a Comm on a route made for it. One alarm is set to the next event of the event
// list; programs run from it, when SimGrid's solver and its lists of ended activities are at rest.
class CommContext final : public EventContext {
 public:
  CommContext();
  ~CommContext() override;
  void run(Seconds horizon) override;

 protected:
  void open_link(LinkId link, Rate capacity) override;
  void resize_link(LinkId link, Rate capacity) override;
  void open_flow(FlowKey key, const Flow& flow) override;
  [[nodiscard]] double left_of(FlowKey key) const override {
    return transfers_[key].comm->get_remaining() / static_cast<double>(kUnits);
  }

 private:
  struct Transfer {
    CommContext* owner = nullptr;
    FlowKey key = 0;
    s4u::CommPtr comm{};
    s4u::Link* cap = nullptr;  // its private link while it runs
  };
  s4u::Link* make_link(double capacity);
  s4u::Link* take_cap_link(double capacity);
  void note_ended(FlowKey key);
  void release(FlowKey key);
  void wake_at_once();
  void wake();
  void arm();

  s4u::Engine& engine_;
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
  Timer* alarm_ = nullptr;  // belongs to SimGrid, until it rings
  bool waking_at_once_ = false;
  double horizon_ = 0.0;
};

CommContext::CommContext() : engine_(start_simgrid()) {
  zone_ = std::make_unique<FlowZone>("flows").release();
  engine_.get_netzone_root()->get_network_model()->set_bw_factor_cb(
      [this](double /*size*/, const s4u::Host* /*from*/, const s4u::Host* /*to*/,
             const std::vector<s4u::Link*>& /*links*/,
             const std::unordered_set<s4u::NetZone*>& /*zones*/) { return rate_factor_; });
  link_zone_ = std::make_unique<FlowZone>("links").release();
  link_zone_->set_network_model(zone_->get_network_model());
  source_ = zone_->get_iface()->create_host("source", 1.0);
  sink_ = zone_->get_iface()->create_host("sink", 1.0);
  engine_.seal_platform();
  s4u::Activity::on_completion_cb([](const s4u::Activity& activity) {
    auto* const transfer = activity.get_data<Transfer>();
    transfer->owner->note_ended(transfer->key);
  });
}

CommContext::~CommContext() {
  drop_tasks();
  for (Transfer& transfer : transfers_) transfer.comm.detach();
}

s4u::Link* CommContext::make_link(double capacity) {
  s4u::Link* const link =
      link_zone_->create_link("link" + std::to_string(links_made_++), {capacity});
  link->seal();
  return link;
}

s4u::Link* CommContext::take_cap_link(double capacity) {
  if (free_cap_links_.empty()) return make_link(capacity);
  s4u::Link* const link = free_cap_links_.back();
  free_cap_links_.pop_back();
  link->set_bandwidth(capacity);
  return link;
}

void CommContext::open_link(LinkId link, Rate capacity) {
  s4u::Link* const made = make_link(kWide);
  capacities_.push_back(capacity.in(unit::Bps));
  made->set_sharing_policy(
      s4u::Link::SharingPolicy::NONLINEAR,
      [this, link](double /*wide*/, int /*flows*/) { return capacities_[link.index]; });
  links_.push_back(made);
}

void CommContext::resize_link(LinkId link, Rate capacity) {
  capacities_[link.index] = capacity.in(unit::Bps);
  links_[link.index]->set_bandwidth(kWide);  // makes SimGrid share it anew
}

void CommContext::open_flow(FlowKey key, const Flow& flow) {
  for (std::size_t next = transfers_.size(); next <= key; ++next)
    transfers_.push_back({.owner = this, .key = static_cast<FlowKey>(next)});
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

void CommContext::release(FlowKey key) {
  // An activity must not lose its last reference inside the callback that ends it; here it may.
  Transfer& transfer = transfers_[key];
  transfer.comm.reset();
  if (transfer.cap != nullptr) free_cap_links_.push_back(std::exchange(transfer.cap, nullptr));
}

// Called from SimGrid's callback; the flow is closed soon, outside of it.
void CommContext::note_ended(FlowKey key) {
  ended_.push_back(key);
  wake_at_once();
}

void CommContext::wake_at_once() {
  if (waking_at_once_) return;
  waking_at_once_ = true;
  Timer::set(s4u::Engine::get_clock(), [this] {
    waking_at_once_ = false;
    wake();
  });
}

void CommContext::wake() {
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
void CommContext::arm() {
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

void CommContext::run(Seconds horizon) {
  horizon_ = horizon.in(unit::s);
  if (!stopping_ && horizon_ >= now_) {
    wake_at_once();  // also when only flows are left: without a timer, the loop may see no event
    try {
      engine_.run();
    } catch (const LeaveRun&) {
    }
    now_ = std::min(s4u::Engine::get_clock(), horizon_);
  }
  stopping_ = false;
  rethrow_task_error();
}

}  // namespace

std::unique_ptr<Context> make_simgrid_comm_context() { return std::make_unique<CommContext>(); }

}  // namespace stallcast::sim
