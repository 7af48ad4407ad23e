#include "engine/plan/size_storage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "engine/plan/plan.hpp"
#include "models/bounds.hpp"

namespace stallcast::plan {
namespace {

/// What of a storage system can be counted.
struct Countable {
  std::string_view field;
  std::string_view noun;
  std::string_view metric;
};
constexpr std::array kCountables = {Countable{"ost.count", "OSTs", "osts"},
                                    Countable{"head.count", "controllers", "controllers"},
                                    Countable{"target.count", "targets", "targets"},
                                    Countable{"backend.count", "backends", "backends"},
                                    Countable{"server.count", "servers", "servers"},
                                    Countable{"prefixes", "prefixes", "prefixes"}};

const Countable* countable_of(const Component& storage) {
  for (const Countable& c : kCountables)
    if (storage.find(c.field) != nullptr) return &c;
  return nullptr;
}

/// The storage system to size: the one asked for, else the one the bounds study, else the first.
Result<const Component*> choose_storage(const Design& design, const std::string& wanted,
                                        const std::string& studied) {
  const Component* storage = design.find_storage(wanted.empty() ? studied : wanted);
  if (storage == nullptr && wanted.empty() && !design.storage.empty())
    storage = &design.storage.front();
  if (storage == nullptr) {
    std::string known;
    for (const Component& s : design.storage) known += (known.empty() ? "" : ", ") + s.id;
    return Failure{ExitCode::bad_input,
                   wanted.empty() ? "the scenario has no storage to plan"
                                  : "no storage is named \"" + wanted + "\"",
                   known.empty() ? "" : "known: " + known};
  }
  if (countable_of(*storage) == nullptr)
    return Failure{
        ExitCode::bad_input,
        "plan cannot count anything of storage \"" + storage->id + "\" (" + storage->kind + ")",
        "it sizes storage by its count of OSTs, servers, controllers or prefixes"};
  return storage;
}

bool has_targets(const Design& design) {
  return std::any_of(design.expect.begin(), design.expect.end(), [](const Expectation& e) {
    const auto parsed = predict::parse_assertion(e.that);
    return e.level != "warn" && parsed.ok() && parsed->relative.empty() &&
           !predict::is_plan_metric(parsed->metric);
  });
}

/// Adds the metric `plan` computes and checks the expectations that name it.
void check_plan_metrics(const Design& design, PlanResult& plan, Diagnostics& faults) {
  plan.prediction.metrics[plan.metric] = {static_cast<double>(plan.required), "count", {}};
  Design only = design;
  std::erase_if(only.expect, [](const Expectation& e) {
    const auto parsed = predict::parse_assertion(e.that);
    return !parsed.ok() || !predict::is_plan_metric(parsed->metric);
  });
  for (AssertionOutcome& outcome : predict::check(only, plan.prediction, faults)) {
    outcome.limited_by.clear();
    plan.notes.push_back("target " + outcome.id + ": " + outcome.that + " " +
                         (outcome.status == "pass" ? "holds" : "is missed"));
    plan.prediction.assertions.push_back(std::move(outcome));
  }
  plan.prediction.verdict = predict::verdict_of(plan.prediction.assertions);
}

}  // namespace

Result<PlanResult> size_storage(
    const Design& design, const std::string& wanted,
    const std::function<Result<Design>(const std::string& set)>& redesign,
    const predict::Options& options) {
  if (!has_targets(design))
    return Failure{ExitCode::bad_input, "the scenario has no targets to plan for",
                   "add \"expect\": [ { \"id\": \"au\", \"that\": "
                   "\"job.train.gpu.utilization >= 95 %\" } ]"};
  const models::Bounds bounds = models::bounds(design);
  const auto storage = choose_storage(design, wanted, bounds.storage);
  if (!storage.ok()) return storage.failure();
  const Component& sized = *storage.value();
  const Countable& countable = *countable_of(sized);

  Problem problem;
  if (bounds.storage == sized.id && std::isfinite(bounds.osts_required))
    problem.lower_bound =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(bounds.osts_required)));
  problem.metric = "storage." + sized.id + "." + std::string(countable.metric) + ".required";
  problem.noun = countable.noun;
  problem.owner = "storage " + sized.id;

  const auto design_at = [&](std::int64_t n) {
    return redesign("storage[" + sized.id + "]." + std::string(countable.field) + "=" +
                    std::to_string(n));
  };
  Result<PlanResult> result = solve(problem, simulate_designs(design_at, options));
  if (!result.ok() || result->status != PlanStatus::found) return result;
  Diagnostics faults;
  check_plan_metrics(design, *result, faults);
  if (!faults.has_errors()) return result;
  const Diagnostic first = faults.items().front();
  if (options.faults != nullptr)
    for (Diagnostic& d : faults.items()) options.faults->add(std::move(d));
  return Failure{ExitCode::bad_input, first.message, first.hint};
}

}  // namespace stallcast::plan
