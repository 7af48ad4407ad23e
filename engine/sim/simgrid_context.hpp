#pragma once

#include <memory>

#include "engine/sim/context.hpp"

namespace stallcast::sim {

/// A context whose date and shares come from SimGrid. Its engine is a singleton with a clock that
/// never resets: at most one per process, which then runs nothing else. A failed check inside
/// SimGrid aborts the process.
[[nodiscard]] std::unique_ptr<Context> make_simgrid_context();

}  // namespace stallcast::sim
