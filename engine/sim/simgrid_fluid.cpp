#include <algorithm>
#include <functional>
#include <memory>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

#include "engine/sim/fluid_solver.hpp"
#include "engine/sim/simgrid_base.hpp"

namespace stallcast::sim {
namespace {

// Our solver as a resource model of SimGrid, which asks it for its next event and moves the date.
class FluidModel final : public simgrid::kernel::resource::Model {
 public:
  using Ended = std::function<void(const std::vector<FluidSolver::FlowKey>&)>;
  explicit FluidModel(Ended on_ended) : Model("stallcast fluid"), on_ended_(std::move(on_ended)) {}
  FluidSolver solver;

  double next_occurring_event(double now) override {
    const Seconds next = solver.next_completion();
    return next.finite() ? std::max(0.0, next.in(unit::s)-now) : -1.0;
  }
  void update_actions_state(double now, double /*delta*/) override {
    solver.advance(Seconds::from(now, unit::s), ended_);
    if (ended_.empty()) return;
    on_ended_(ended_);
    ended_.clear();
  }

 private:
  Ended on_ended_;
  std::vector<FluidSolver::FlowKey> ended_;
};

class PluggedContext final : public SimgridBase {
 public:
  PluggedContext()
      : model_(std::make_shared<FluidModel>(
            [this](const std::vector<FlowKey>& ended) { note_ended(ended); })) {
    engine().add_model(model_);
    simgrid::s4u::create_empty_zone("nothing");  // the engine's loop needs some platform
  }
  ~PluggedContext() override { drop_tasks(); }

 protected:
  void open_link(LinkId /*link*/, Rate capacity) override { model_->solver.add_link(capacity); }
  void resize_link(LinkId link, Rate capacity) override {
    model_->solver.set_capacity(link, capacity);
  }
  void open_flow(FlowKey key, const Flow& flow) override {
    model_->solver.start(key, flow.path, flow.bytes, flow.members, flow.cap);
  }

 private:
  std::shared_ptr<FluidModel> model_;  // shared, since add_model asks for that
};

}  // namespace

std::unique_ptr<Context> make_simgrid_fluid_context() { return std::make_unique<PluggedContext>(); }

}  // namespace stallcast::sim
