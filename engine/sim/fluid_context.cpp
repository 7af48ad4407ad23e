#include "engine/sim/fluid_context.hpp"

#include "engine/sim/fluid_loop.hpp"

namespace stallcast::sim {
namespace {

class FluidContext final : public FluidLoop {
 public:
  ~FluidContext() override { drop_tasks(); }
  void run(Seconds horizon) override {
    begin(horizon);
    for (double next = next_date(); next < kNoDate; next = next_date()) arrive(next);
    finish();
  }
};

}  // namespace

std::unique_ptr<Context> make_fluid_context() { return std::make_unique<FluidContext>(); }

}  // namespace stallcast::sim
