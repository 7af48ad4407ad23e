#include "engine/decide/explain/what_if.hpp"

#include <algorithm>

#include "engine/decide/plan/plan.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/nominal.hpp"

namespace stallcast::explain {
namespace {

// Less utilization lost than this is nothing lost.
constexpr double kNothing = 0.0005;

std::vector<std::string> missed(const Prediction& prediction) {
  std::vector<std::string> out;
  for (const AssertionOutcome& outcome : prediction.assertions)
    if (outcome.status != "pass" && outcome.level != "warn") out.push_back(outcome.id);
  return out;
}

bool contains(const std::vector<std::string>& list, const std::string& id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

bool loses(const WhatIf& change, const std::vector<std::string>& before) {
  return change.gain < -kNothing ||
         std::any_of(change.missed.begin(), change.missed.end(),
                     [&](const std::string& id) { return !contains(before, id); });
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

  const std::vector<std::string> before = missed(base);
  std::vector<WhatIf> out;
  const auto say = [&](WhatIf::Kind kind, const plan::Tried& tried) {
    WhatIf w;
    w.kind = kind;
    w.change = tried.proposal.text;
    w.set = text_of(tried.proposal.change);
    w.utilization = mean_utilization(tried.prediction);
    w.gain = plan::gained(base, tried.prediction);
    w.goodput = mean_goodput(tried.prediction);
    w.goodput_gain = w.goodput - mean_goodput(base);
    w.relative_cost = tried.proposal.relative_cost;
    w.meets_targets = tried.prediction.verdict == Verdict::pass;
    w.missed = missed(tried.prediction);
    if (w.kind == WhatIf::Kind::relieve || !loses(w, before)) out.push_back(std::move(w));
  };
  for (const plan::Tried& tried : plan::simulate_as_needed(changes, base, redesign, options))
    say(WhatIf::Kind::relieve, tried);
  for (const plan::Tried& tried : plan::simulate_changes(saving, base, redesign, options))
    say(WhatIf::Kind::save, tried);
  // Of a design that meets its targets more gain is better, of others what costs least and meets.
  const bool good = base.verdict == Verdict::pass || tried_nominally(base);
  std::stable_sort(out.begin(), out.end(), [good](const WhatIf& a, const WhatIf& b) {
    if (a.kind != b.kind) return a.kind == WhatIf::Kind::relieve;
    if (a.kind == WhatIf::Kind::save) return a.relative_cost < b.relative_cost;
    if (a.meets_targets != b.meets_targets) return a.meets_targets;
    if (!good && a.meets_targets && a.relative_cost != b.relative_cost)
      return a.relative_cost < b.relative_cost;
    return std::max(a.gain, a.goodput_gain) > std::max(b.gain, b.goodput_gain);
  });
  return out;
}

}  // namespace stallcast::explain
