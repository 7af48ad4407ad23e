#include "engine/decide/plan/instead.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "engine/decide/plan/countables.hpp"
#include "engine/decide/plan/plan.hpp"
#include "engine/decide/plan/sized.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::plan {
namespace {

/// Changes that are tried, unless they take more events than these together.
constexpr std::size_t kChangesTried = 8;
constexpr double kEventsOfChanges = 40e6;

bool searched(const Designs& designs, const std::string& path) {
  return std::ranges::any_of(designs.axes(),
                             [&](const Axis& axis) { return same_path(axis.about.path, path); });
}

}  // namespace

void look_elsewhere(Designs& designs, const PlanSpec& spec, const Search& found, PlanResult& plan) {
  if (!found.nearest || plan.answer) return;
  const Cell& cell = found.nearest->cell;
  const Result<Design>& design = designs.at(cell);
  const auto seen = found.seen.find(cell);
  if (!design.ok() || seen == found.seen.end()) return;
  const Prediction& prediction = seen->second;
  const auto place = static_cast<std::size_t>(std::distance(found.seen.begin(), seen));

  for (const AssertionOutcome& target : prediction.assertions)
    if (spec.over.empty() && target.status != "pass" && target.level != "warn")
      for (const std::string& storage : storages_of(*design, prediction, target))
        if (const std::string option = "--storage " + storage;
            !searched(designs, default_path(*design, storage)) &&
            std::ranges::find(plan.further, option) == plan.further.end())
          plan.further.push_back(option);

  // Saves at their best interval are said already.
  if (plan.intervals.size() == 1 && plan.intervals.front().meets) return;
  std::vector<Proposal> proposals;
  for (Proposal& one : candidate_changes(*design, prediction, kChangesTried))
    if (!searched(designs, one.change.path)) proposals.push_back(std::move(one));
  const double each = predict::events_of(*design, static_cast<double>(prediction.events));
  if (each * static_cast<double>(proposals.size()) > kEventsOfChanges) return;
  std::stable_sort(proposals.begin(), proposals.end(), [](const Proposal& a, const Proposal& b) {
    return a.relative_cost < b.relative_cost;
  });
  std::vector<std::vector<Change>> tries;
  for (const Proposal& one : proposals) {
    tries.push_back(designs.changes(cell));
    tries.back().push_back(one.change);
  }
  auto next = proposals.begin();
  designs.predict_each(tries, [&](const Result<Prediction>& made) {
    const Proposal& tried = *next++;
    if (!plan.instead && made.ok() && made->verdict == Verdict::pass &&
        designs.finished(made, *design))
      plan.instead = PlanInstead{place, tried.text, text_of(tried.change)};
  });
}

}  // namespace stallcast::plan
