#include "engine/sim/fluid_context.hpp"

#include <algorithm>
#include <limits>

#include "engine/sim/event_context.hpp"
#include "engine/sim/fluid_solver.hpp"

namespace stallcast::sim {
namespace {

class FluidContext final : public EventContext {
 public:
  ~FluidContext() override { drop_tasks(); }
  void run(Seconds horizon) override;

 protected:
  void open_link(LinkId /*link*/, Rate capacity) override { solver_.add_link(capacity); }
  void resize_link(LinkId link, Rate capacity) override { solver_.set_capacity(link, capacity); }
  void open_flow(FlowKey key, const Flow& flow) override {
    solver_.start(key, flow.path, flow.bytes, flow.members, flow.cap);
  }

 private:
  FluidSolver solver_;
  std::vector<FlowKey> ended_;
};

void FluidContext::run(Seconds horizon) {
  const double end = horizon.in(unit::s);
  while (!stopping_ && end >= now_) {
    run_due();
    close_flows(ended_);
    if (stopping_) break;
    if (something_due()) continue;
    const double flows = solver_.next_completion().in(unit::s);
    const double next = std::min(next_event(), flows);
    if (next == std::numeric_limits<double>::infinity()) break;
    if (next > end) {
      now_ = end;
      solver_.advance(horizon, ended_);
      break;
    }
    now_ = std::max(now_, next);
    solver_.advance(now(), ended_);
  }
  stopping_ = false;
  rethrow_task_error();
}

}  // namespace

std::unique_ptr<Context> make_fluid_context() { return std::make_unique<FluidContext>(); }

}  // namespace stallcast::sim
