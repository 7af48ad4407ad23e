#include "engine/decide/explain/what_if.hpp"

#include <algorithm>

#include "engine/decide/plan/plan.hpp"

namespace stallcast::explain {
namespace {

// Less utilization lost than this is nothing lost.
constexpr double kNothing = 0.0005;

std::vector<std::string> in_doubt(const Prediction& prediction) {
  std::vector<std::string> out;
  for (const AssertionOutcome& outcome : prediction.assertions)
    if (outcome.status != "pass" && outcome.level != "warn") out.push_back(outcome.id);
  return out;
}

/// Whether less of something costs GPU time, or makes a target doubtful that was not.
bool loses(const WhatIf& change, const Prediction& with, const Prediction& without) {
  const std::vector<std::string> before = in_doubt(without), after = in_doubt(with);
  return change.gain < -std::max(kNothing, change.noise) ||
         std::any_of(after.begin(), after.end(), [&](const std::string& id) {
           return std::find(before.begin(), before.end(), id) == before.end();
         });
}

}  // namespace

std::vector<WhatIf> what_ifs(const Design& design, const Prediction& base, std::size_t most,
                             const AsBought& as_bought, const plan::Redesign& redesign,
                             const predict::PredictOptions& options) {
  // A third of the simulations is for what could be left out, and what the others do not need.
  const std::size_t relieving = most - most / 3;
  std::vector<plan::Proposal> changes = plan::candidate_changes(design, base, relieving);
  const auto add = [&](const std::vector<plan::Proposal>& more, std::size_t limit,
                       std::vector<plan::Proposal>& to) {
    for (const plan::Proposal& proposal : more)
      if (to.size() < limit &&
          std::none_of(changes.begin(), changes.end(),
                       [&](const plan::Proposal& p) { return p.change == proposal.change; }))
        to.push_back(proposal);
  };
  add(plan::further_changes(design, base, most), relieving, changes);
  std::vector<plan::Proposal> saving;
  add(plan::spare_changes(design, base, most), most - changes.size(), saving);
  as_bought(changes);

  std::vector<WhatIf> out;
  const auto say = [&](WhatIf::Kind kind, const plan::Tried& tried) {
    WhatIf w{plan::in_short(tried, base), kind};
    if (kind == WhatIf::Kind::relieve || !loses(w, tried.prediction, base))
      out.push_back(std::move(w));
  };
  for (const plan::Tried& tried : plan::simulate_as_needed(changes, base, redesign, options))
    say(WhatIf::Kind::relieve, tried);
  for (const plan::Tried& tried : plan::simulate_changes(saving, base, redesign, options))
    say(WhatIf::Kind::save, tried);
  std::stable_sort(out.begin(), out.end(), [&](const WhatIf& a, const WhatIf& b) {
    if (a.kind != b.kind) return a.kind == WhatIf::Kind::relieve;
    if (a.kind == WhatIf::Kind::save) return a.relative_cost < b.relative_cost;
    return plan::is_better(a, b, base);
  });
  return out;
}

}  // namespace stallcast::explain
