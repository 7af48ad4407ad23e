#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "stallcast/explanation.hpp"

/// "What if": changes that would help, and what could be left out, each simulated.
namespace stallcast::explain {

/// Makes of proposals what can be bought.
using AsBought = std::function<void(std::vector<plan::Proposal>& proposals)>;

/// At most `most` changes of `design`, whose prediction is `base`, each simulated alone with its
/// seeds. First those that relieve what limits or serve a job that loses time: those that meet the
/// targets by how much is added (by gain, if the design meets them as it is), the others by gain.
/// Then those that take something away and lose nothing: no target is missed that was met before,
/// and utilization is lower by less than 0.05 points; the greatest part taken away first.
[[nodiscard]] std::vector<WhatIf> what_ifs(const Design& design, const Prediction& base,
                                           std::size_t most, const AsBought& as_bought,
                                           const plan::Redesign& redesign,
                                           const predict::PredictOptions& options);

}  // namespace stallcast::explain
