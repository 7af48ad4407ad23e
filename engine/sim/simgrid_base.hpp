#pragma once

#include <memory>

#include "engine/sim/context.hpp"

namespace simgrid::s4u {
class Engine;
}

namespace stallcast::sim {

/// Starts the engine of this process in the neutral configuration. It lives as long as the process:
/// it cannot be followed by another one anyway, and taking it down with flows under way is where it
/// is least tested. REQUIRES: called once.
[[nodiscard]] simgrid::s4u::Engine& start_simgrid();

/// The two ways to share links.
[[nodiscard]] std::unique_ptr<Context> make_simgrid_comm_context();
[[nodiscard]] std::unique_ptr<Context> make_simgrid_fluid_context();

}  // namespace stallcast::sim
