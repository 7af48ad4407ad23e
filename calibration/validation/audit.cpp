#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "calibration/validation/claims.hpp"
#include "engine/base/expression.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/plan/plan.hpp"
#include "models/bounds/bounds.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::calibration {
namespace {

/// Computes the values that formulas refer to.
class Values {
 public:
  Values(const LoadedClaims& loaded, const predict::PredictOptions& options)
      : loaded_(loaded), options_(options) {}

  /// Simulates and searches. nullopt, or why it could not.
  std::optional<Failure> run() {
    std::vector<Design> designs;
    for (const ClaimTask& task : loaded_.tasks)
      for (const ClaimInput& input : task.inputs)
        if (input.from == ClaimInput::From::metric && !index_.contains(input.scenario)) {
          index_[input.scenario] = designs.size();
          designs.push_back(loaded_.scenarios[input.scenario].design);
        }
    predictions_ = predict::predict_all(designs, options_);
    for (const auto& prediction : predictions_) {
      if (!prediction.ok() && prediction.failure().exit == ExitCode::inconclusive)
        return prediction.failure();
      if (prediction.ok()) wall_s_ = std::max(wall_s_, prediction->wall_s);
    }
    for (const ClaimScenario& search : loaded_.plans) plans_.push_back(solve(search));
    return std::nullopt;
  }

  /// A number for people and for formulas, or what is wrong.
  struct Found {
    std::optional<double> value;
    std::string shown;  ///< "51", "95.1 %"
    std::string fault;
  };
  [[nodiscard]] Found find(const ClaimInput& input) const {
    switch (input.from) {
      case ClaimInput::From::metric:
        return metric(input);
      case ClaimInput::From::bound:
        return bound(input);
      case ClaimInput::From::plan:
        return plan(input);
      case ClaimInput::From::value:
        break;
    }
    return {input.value, "", ""};
  }

  [[nodiscard]] std::size_t simulations() const { return predictions_.size(); }
  [[nodiscard]] double wall_s() const { return wall_s_; }

 private:
  [[nodiscard]] Found metric(const ClaimInput& input) const {
    const Result<Prediction>& prediction = predictions_[index_.at(input.scenario)];
    if (!prediction.ok()) return {std::nullopt, "", prediction.failure().message};
    const auto found = prediction->metrics.find(input.quantity);
    if (found == prediction->metrics.end())
      return {std::nullopt, "", "the simulation yields no metric \"" + input.quantity + "\""};
    const Metric& m = found->second;
    const double value = metric::to_base(m.value, m.unit);
    return {value,
            base::print_quantity(value, metric::dimension_of(m.unit).value_or(Dimension::number)),
            ""};
  }

  [[nodiscard]] Found bound(const ClaimInput& input) const {
    for (const models::Derivation& d :
         models::bounds(loaded_.scenarios[input.scenario].design).derivations)
      if (d.name == input.quantity)
        return {d.value, base::print_quantity(d.value, d.dimension), ""};
    return {std::nullopt, "", "nothing derives \"" + input.quantity + "\""};
  }

  [[nodiscard]] Found plan(const ClaimInput& input) const {
    const Result<PlanResult>& result = plans_[input.scenario];
    if (!result.ok()) return {std::nullopt, "", result.failure().message};
    if (result->status != PlanStatus::found)
      return {std::nullopt, "", "no value of " + input.quantity + " meets the targets"};
    return {static_cast<double>(result->required), std::to_string(result->required), ""};
  }

  [[nodiscard]] Result<PlanResult> solve(const ClaimScenario& search) const {
    PlanSpec spec;
    spec.over.emplace_back().axis.path = "params." + search.param;
    spec.tornado = 0;  // a claim takes the answer, not what moves it
    const auto redesign = [&](std::span<const Change> changes) -> Result<Design> {
      const Scenario changed = search.scenario->with(changes);
      if (!changed.ok()) return changed.failure();
      return changed.design();
    };
    return plan::solve(search.design, spec, redesign, options_);
  }

  const LoadedClaims& loaded_;
  const predict::PredictOptions& options_;
  std::map<std::size_t, std::size_t> index_;  ///< scenario -> prediction
  std::vector<Result<Prediction>> predictions_;
  std::vector<Result<PlanResult>> plans_;
  double wall_s_ = 0.0;
};

/// Computes one figure of `claim`; what is wrong goes to its faults.
void compute(const ClaimTask& task, const Values& values, AuditedClaim& claim) {
  ClaimFigure& figure = claim.figures[task.figure];
  const std::string name = figure.what.empty() ? figure.formula : figure.what;
  std::map<std::string, double> parameters;
  for (std::size_t i = 0; i < task.inputs.size(); ++i) {
    const Values::Found found = values.find(task.inputs[i]);
    if (!found.value.has_value()) {
      claim.faults.push_back(name + ": " + found.fault);
      return;
    }
    parameters[task.inputs[i].name] = *found.value;
    if (!found.shown.empty()) figure.inputs[i].value = found.shown;
  }
  const base::ExpressionResult result = base::evaluate(task.expression, parameters);
  if (!result.value.has_value()) {
    claim.faults.push_back(name + ": " + result.message);
    return;
  }
  for (const auto& [parameter, value] : parameters)
    if (!result.names.contains(parameter))
      claim.faults.push_back(name + ": the formula does not use " + parameter);
  // What rounding leaves of the difference of equals is zero.
  constexpr double kRounding = 1e-12;
  figure.value = std::abs(*result.value) < kRounding ? 0.0 : *result.value;
  figure.correct_holds = task.correct.holds_for(figure.value, task.tolerance);
  figure.agrees = task.claimed && task.claimed->holds_for(figure.value, task.tolerance);
  if (task.claimed && !figure.agrees && !figure.own_test)
    figure.deviation = task.claimed->deviation(figure.value);
  if (!figure.correct_holds)
    claim.faults.push_back(name + ": computed " +
                           base::print_quantity(figure.value, figure.dimension) + ", expected " +
                           (figure.correct.empty() ? figure.claimed : figure.correct));
}

}  // namespace

std::string_view verdict_of(ClaimOutcome outcome) {
  switch (outcome) {
    case ClaimOutcome::none:
      return "qualitative";
    case ClaimOutcome::argued:
      return "";
    case ClaimOutcome::agrees:
      return "right";
    case ClaimOutcome::off:
      return "wrong";
    case ClaimOutcome::own_sum:
      return "inputs wrong";
    case ClaimOutcome::mixed:
      return "depends";
    case ClaimOutcome::contradicted:
      return "inconsistent";
    case ClaimOutcome::dated:
      return "outdated";
    case ClaimOutcome::not_carried:
      return "misleading";
    case ClaimOutcome::unpublished:
    case ClaimOutcome::unmatched:
      return "open";
  }
  return "";
}

bool follows(std::string_view verdict, ClaimOutcome outcome) {
  if (outcome == ClaimOutcome::argued) return verdict == "right" || verdict == "wrong";
  return verdict == verdict_of(outcome);
}

ClaimOutcome outcome_of(std::span<const ClaimFigure> figures, std::string_view basis) {
  int own_right = 0, own_off = 0, right = 0, off = 0;
  std::set<ClaimCounter> counters;
  for (const ClaimFigure& figure : figures) {
    if (figure.claimed.empty()) continue;
    if (!figure.agrees) counters.insert(figure.counter);
    if (figure.own_inputs)
      ++(figure.agrees ? own_right : own_off);
    else
      ++(figure.agrees ? right : off);
  }
  if (own_right + own_off + right + off == 0) {
    if (basis.empty()) return ClaimOutcome::none;
    return basis == "unpublished" ? ClaimOutcome::unpublished : ClaimOutcome::argued;
  }
  if (own_off + off == 0) return ClaimOutcome::agrees;
  if (counters.contains(ClaimCounter::claim)) return ClaimOutcome::contradicted;
  if (counters.contains(ClaimCounter::dated)) return ClaimOutcome::dated;
  if (counters.contains(ClaimCounter::published)) return ClaimOutcome::unmatched;
  if (counters.contains(ClaimCounter::conclusion) && own_right + right > 0)
    return ClaimOutcome::not_carried;
  if (own_off > 0 || right + own_right == 0) return ClaimOutcome::off;
  return right == 0 ? ClaimOutcome::own_sum : ClaimOutcome::mixed;
}

Result<Audit> audit(const LoadedClaims& loaded, const predict::PredictOptions& options) {
  Audit out = loaded.audit;
  Values values(loaded, options);
  if (auto failure = values.run()) return *std::move(failure);
  for (const ClaimTask& task : loaded.tasks)
    compute(task, values, out.files[task.file].claims[task.claim]);
  for (ClaimsFile& file : out.files)
    for (AuditedClaim& claim : file.claims) {
      claim.outcome = outcome_of(claim.figures, claim.basis);
      if (claim.faults.empty() && !follows(claim.verdict, claim.outcome)) {
        const std::string_view wanted = verdict_of(claim.outcome);
        claim.faults.push_back("the verdict \"" + claim.verdict +
                               "\" does not follow from its figures: by the rule it is " +
                               (wanted.empty() ? "right or wrong" : std::string(wanted)));
      }
    }
  out.simulations = values.simulations();
  out.wall_s = values.wall_s();
  return out;
}

}  // namespace stallcast::calibration
