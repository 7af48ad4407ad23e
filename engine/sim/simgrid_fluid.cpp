#include <algorithm>
#include <memory>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <vector>

#include "engine/sim/fluid_loop.hpp"
#include "engine/sim/simgrid_base.hpp"

namespace stallcast::sim {
namespace {

using simgrid::kernel::resource::Model;

// Our event list and solver as a resource model of SimGrid: its loop asks for the next date and
// moves there. Programs resume within the move, so the loop has no timers. It turns once for many
// dates, since a turn costs as much as an event; at the end SimGrid's date is ours again.
class PluggedContext final : public FluidLoop {
 public:
  PluggedContext();
  ~PluggedContext() override { drop_tasks(); }
  void run(Seconds horizon) override;

 private:
  class Clock;
  simgrid::s4u::Engine& engine_;
};

class PluggedContext::Clock final : public Model {
 public:
  explicit Clock(PluggedContext& owner) : Model("stallcast fluid"), owner_(owner) {}

  double next_occurring_event(double now) override {
    next_ = owner_.next_date();
    const double date = next_ == kNoDate ? owner_.now().in(unit::s) : next_;
    return next_ == kNoDate && date <= now ? -1.0 : std::max(0.0, date - now);
  }
  // SimGrid adds the difference to its date, which may differ from ours in the last digit.
  void update_actions_state(double /*now*/, double /*delta*/) override {
    for (int date = 0; date < kDatesPerTurn && next_ != kNoDate; ++date) {
      owner_.arrive(next_);
      next_ = owner_.next_date();
    }
  }

 private:
  static constexpr int kDatesPerTurn = 100;
  PluggedContext& owner_;
  double next_ = kNoDate;
};

PluggedContext::PluggedContext() : engine_(start_simgrid()) {
  engine_.add_model(std::make_shared<Clock>(*this));
  simgrid::s4u::create_empty_zone("nothing");  // the engine's loop needs some platform
  // Which comes with models of CPUs, networks and disks, for which we have no use: they made every
  // turn of the loop four times as long. SimGrid offers no other way to be without them.
  auto& models = const_cast<std::vector<Model*>&>(engine_.get_all_models());
  std::erase_if(models,
                [](const Model* model) { return dynamic_cast<const Clock*>(model) == nullptr; });
}

void PluggedContext::run(Seconds horizon) {
  begin(horizon);
  if (next_date() != kNoDate) engine_.run();
  finish();
}

}  // namespace

std::unique_ptr<Context> make_simgrid_fluid_context() { return std::make_unique<PluggedContext>(); }

}  // namespace stallcast::sim
