#include "engine/sim/simgrid_context.hpp"

#include "engine/sim/simgrid_base.hpp"

namespace stallcast::sim {

std::unique_ptr<Context> make_simgrid_context(FlowBackend backend) {
  return backend == FlowBackend::comm ? make_simgrid_comm_context() : make_simgrid_fluid_context();
}

}  // namespace stallcast::sim
