#pragma once

#include <functional>

#include "engine/decide/plan/designs.hpp"
#include "engine/decide/plan/space.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"

/// The best design of which the targets hold in most cases, as a run of it says.
namespace stallcast::plan {

/// What draws need to know that is above a plan. Either may be empty.
struct DrawHelp {
  /// Whether a drawn design can be built. Those that cannot are left out.
  std::function<bool(const Design&)> valid = {};
  /// Puts draw i of what a profile measured into a design.
  std::function<void(Design&, std::size_t)> vary = {};
};

struct ConfidenceQuestion {
  /// Of all cases, in which every error-level target holds; none: each target that asks for a
  /// confidence in as many, the others in the design as it is.
  std::optional<double> share;
  std::optional<std::int64_t> draws;  ///< none: as many as suit the nominal answer, 32 at least
  DrawHelp help = {};
};

/// Searches `nominal` again, from the answer of `found` on. The draws are the same ones for every
/// design, so designs differ by what they are and not by luck; of a design no more are simulated
/// than decide it. `judged` gets that search, with the verdicts of the draws; a design of `found`
/// that no draws have judged meets nothing for sure in there. REQUIRES: `found` has an answer.
[[nodiscard]] Result<ConfidentPlan> confident_plan(Designs& designs, const Problem& nominal,
                                                   const Search& found,
                                                   const ConfidenceQuestion& question,
                                                   Search& judged);

}  // namespace stallcast::plan
