#include "ui/app/as_bought.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "engine/base/design_values.hpp"
#include "engine/decide/plan/countables.hpp"
#include "models/bounds/bounds.hpp"

namespace stallcast::client {
namespace {

/// The only parameter that the value of `count` is made of, where it counts something. None of it
/// is a parameter that is none: of others it is no multiple.
const Parameter* counted_by(const Scenario& scenario, const plan::Proposal::Count& count) {
  const auto needs = scenario.written().needs.find(count.pointer);
  if (needs == scenario.written().needs.end() || needs->second.size() != 1) return nullptr;
  for (const Parameter& p : scenario.parameters())
    if (p.name == needs->second.front() && p.needs.empty() &&
        (count.from > 0.0 ? p.value >= 1.0 : p.value == 0.0) && p.value == std::floor(p.value))
      return &p;
  return nullptr;
}

/// What of `plan` counts `path`, which the scenario may call by a shortcut.
const PlanDimension* planned(const Scenario& scenario, const plan::Proposal::Count& count) {
  for (const PlanDimension& d : scenario.questions().plan.over) {
    const auto path = plan::shortcut_path(d.axis.path, scenario.design());
    const std::string& meant = path.ok() && *path ? **path : d.axis.path;
    if (plan::same_path(meant, count.path) || meant == count.label) return &d;
  }
  return nullptr;
}

/// As many multiples of `step` on top of `from` as make at least `wanted`.
double at_least(double wanted, double from, double step) {
  return from + step * std::max(1.0, std::ceil((wanted - from) / step - 1e-9));
}

/// Counts what `proposal` buys by the parameter that it is made of, in the units of `plan`: steps
/// of a parameter go on from what it is, units of a plan are multiples.
void count_as_bought(const Scenario& scenario, plan::Proposal& proposal) {
  plan::Proposal::Count& count = *proposal.count;
  double wanted = count.to;
  const PlanDimension* units = planned(scenario, count);
  if (const Parameter* p = counted_by(scenario, count)) {
    if (count.from > 0.0) wanted *= p->value / count.from;
    if (p->value != count.from) units = nullptr;  // those of the field are not its own
    count.label = p->name;
    count.path = "params." + p->name;
    count.from = p->value;
    if (p->step && *p->step >= 1.0) count.step = *p->step;
    if (const PlanDimension* own = planned(scenario, count)) units = own;
  }
  if (units != nullptr && units->unit > 0) {
    count.step = static_cast<double>(units->unit);
    count.multiples = true;
  }
  proposal = plan::with_count(proposal, at_least(wanted, count.origin(), count.step));
}

/// As many as there are of what `plan` counts of a storage system without a word about it; nullopt
/// where nothing of it is counted.
std::optional<plan::Proposal> count_of(const Design& design, const std::string& storage) {
  const std::string path = plan::default_path(design, storage);
  const Component* store = design.find_storage(storage);
  const plan::Countable* counted = path.empty() ? nullptr : plan::countable_at(path);
  const Value* now = counted == nullptr || store == nullptr ? nullptr : store->find(counted->field);
  if (now == nullptr || !(now->number > 0.0)) return std::nullopt;
  return plan::Proposal{
      "",
      {path, setting_of(now->number, Dimension::count)},
      0.0,
      plan::Proposal::Count{base::plain_path(path), path, base::pointer_of(*store, counted->field),
                            now->number, now->number}};
}

}  // namespace

void count_as_bought(const Scenario& scenario, std::vector<plan::Proposal>& proposals) {
  std::set<std::string> counted;
  std::erase_if(proposals, [&](plan::Proposal& proposal) {
    if (!proposal.buys()) return false;
    count_as_bought(scenario, proposal);
    return !counted.insert(proposal.count->path).second;
  });
}

void add_planned(const Scenario& scenario, const Design& design,
                 std::vector<plan::Proposal>& proposals) {
  const PlanSpec& spec = scenario.questions().plan;
  const std::string storage = spec.storage.empty() ? models::bounds(design).storage : spec.storage;
  auto counted = count_of(design, storage);
  if (!counted) return;
  // A remedy that changes the same number is that change, and is counted from now on.
  for (plan::Proposal& proposal : proposals)
    if (proposal.change.path == counted->change.path) {
      if (!proposal.count) proposal.count = counted->count;
      proposal.count->bought = true;
      return;
    }
  proposals.push_back(*std::move(counted));
}

bool follows_from(const Scenario& scenario, const std::string& pointer,
                  const std::vector<PlanAxis>& axes) {
  const auto needs = scenario.written().needs.find(pointer);
  return needs != scenario.written().needs.end() &&
         std::ranges::any_of(axes, [&](const PlanAxis& axis) {
           return std::ranges::any_of(needs->second, [&](const std::string& name) {
             return plan::same_path(axis.path, "params." + name);
           });
         });
}

std::optional<plan::Proposal> bought_by_number(const Scenario& scenario, const Design& design,
                                               const Prediction& prediction) {
  constexpr std::size_t kLooked = 8;
  std::vector<plan::Proposal> all = plan::candidate_changes(design, prediction, kLooked);
  if (auto counted = count_of(design, models::bounds(design).storage))
    all.push_back(*std::move(counted));
  std::erase_if(all, [](const plan::Proposal& p) { return !p.buys() || !(p.count->from > 0.0); });
  if (all.empty()) return std::nullopt;
  plan::Proposal first = std::move(all.front());
  const plan::Proposal::Count field = *first.count;
  count_as_bought(scenario, first);
  // A parameter that is just that number has the name of what it counts.
  if (first.count->from == field.from) first.count->label = field.label;
  return first;
}

}  // namespace stallcast::client
