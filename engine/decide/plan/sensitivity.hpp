#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/decide/plan/designs.hpp"
#include "engine/decide/plan/space.hpp"
#include "stallcast/plan.hpp"

/// How firm an answer is, by simulation.
namespace stallcast::plan {

/// Varies inputs of the answer that are not known alone, each as far as its range goes, or by
/// `spread` both ways where that is said: all of them, or as many as time allows, those of what
/// binds first. Puts the `most` with the largest swing of the tightest target's margin into `plan`,
/// and how many were varied. A side that makes no valid design, and all sides once time is up,
/// count as nothing changed. REQUIRES: an answer.
void vary_inputs(Designs& designs, const Search& found, std::size_t most,
                 std::optional<double> spread, PlanResult& plan);

/// How often jobs that lose work to failures should save, with the targets judged at that: of the
/// answer, else of the design that comes nearest.
[[nodiscard]] std::vector<PlanInterval> best_intervals(Designs& designs, const Search& found,
                                                       PlanResult& plan);

}  // namespace stallcast::plan
