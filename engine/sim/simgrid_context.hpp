#pragma once

#include <memory>

#include "engine/sim/context.hpp"

namespace stallcast::sim {

/// Who shares the links among flows. Both agree to 1e-9 (tests/contract/backends_test.cpp,
/// docs/adr/0011).
enum class FlowBackend {
  comm,   ///< SimGrid's own transfers and solver: the reference; up to about 1,000 flows at a time
  fluid,  ///< our FluidSolver as a model inside SimGrid: faster with any number of them
};

/// A context whose date comes from SimGrid. Its engine is a singleton with a clock that never
/// resets: at most one per process, which then runs nothing else. A failed check inside SimGrid
/// aborts the process.
[[nodiscard]] std::unique_ptr<Context> make_simgrid_context(FlowBackend backend);

}  // namespace stallcast::sim
