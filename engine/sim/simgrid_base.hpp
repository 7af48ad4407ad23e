#pragma once

#include <memory>
#include <vector>

#include "engine/sim/event_context.hpp"

namespace simgrid::s4u {
class Engine;
}
namespace simgrid::kernel::timer {
class Timer;
}

namespace stallcast::sim {

/// The part of a SimGrid context that knows SimGrid's clock and loop, but not how flows share
/// links. One alarm is set to the next event of the event list; programs run from it, when
/// SimGrid's solver and its lists of ended activities are at rest.
class SimgridBase : public EventContext {
 public:
  void run(Seconds horizon) final;

 protected:
  /// Starts the engine of this process, in the neutral configuration.
  SimgridBase();
  ~SimgridBase() override;

  [[nodiscard]] simgrid::s4u::Engine& engine() { return *engine_; }
  /// To be called from SimGrid's callbacks; the flow is closed soon, outside of them.
  void note_ended(FlowKey key);
  void note_ended(const std::vector<FlowKey>& keys);
  /// Called for every flow noted as ended before it is closed.
  virtual void release(FlowKey /*key*/) {}

 private:
  void wake_at_once();
  void wake();
  void arm();

  std::unique_ptr<simgrid::s4u::Engine> engine_;
  std::vector<FlowKey> ended_;
  simgrid::kernel::timer::Timer* alarm_ = nullptr;  // belongs to SimGrid, until it rings
  bool waking_at_once_ = false;
  double horizon_ = 0.0;
};

/// The two ways to share links.
[[nodiscard]] std::unique_ptr<Context> make_simgrid_comm_context();
[[nodiscard]] std::unique_ptr<Context> make_simgrid_fluid_context();

}  // namespace stallcast::sim
