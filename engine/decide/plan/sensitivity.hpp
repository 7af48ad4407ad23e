#pragma once

#include <cstddef>
#include <vector>

#include "engine/decide/plan/designs.hpp"
#include "engine/decide/plan/space.hpp"
#include "stallcast/plan.hpp"

/// How firm an answer is, by simulation.
namespace stallcast::plan {

/// Varies assumed inputs of the answer alone, each by `spread` both ways: all of them, or as many
/// as time allows, those of what binds first. Puts the `most` with the largest swing of the
/// tightest target's margin into `plan`, and how many were varied. A side that makes no valid
/// design, and all sides once time is up, count as nothing changed. REQUIRES: an answer.
void vary_inputs(Designs& designs, const Search& found, std::size_t most, double spread,
                 PlanResult& plan);

/// How often jobs that lose work to failures should save, with the targets judged at that: of the
/// answer, else of the largest design that was tried.
[[nodiscard]] std::vector<PlanInterval> best_intervals(Designs& designs, const Search& found,
                                                       PlanResult& plan);

}  // namespace stallcast::plan
