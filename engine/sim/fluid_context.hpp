#pragma once

#include <memory>

#include "engine/sim/context.hpp"

namespace stallcast::sim {

/// A context without SimGrid: our own event list and FluidSolver. Agrees with the SimGrid context
/// to 1e-9 (tests/sim/backend_agreement_test.cpp); any number of them may live in one process.
[[nodiscard]] std::unique_ptr<Context> make_fluid_context();

}  // namespace stallcast::sim
