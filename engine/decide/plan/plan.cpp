#include "engine/decide/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/decide/gain/gains.hpp"
#include "engine/decide/plan/axes.hpp"
#include "engine/decide/plan/instead.hpp"
#include "engine/decide/plan/left_out.hpp"
#include "engine/decide/plan/nearest.hpp"
#include "engine/decide/plan/objective.hpp"
#include "engine/decide/plan/outages.hpp"
#include "engine/decide/plan/reason.hpp"
#include "engine/decide/plan/refusals.hpp"
#include "engine/decide/plan/sensitivity.hpp"
#include "engine/decide/plan/sized.hpp"
#include "engine/decide/plan/space.hpp"
#include "engine/decide/plan/standing.hpp"
#include "engine/decide/predict/estimate.hpp"
#include "models/bounds/bounds.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

constexpr std::int64_t kChecks = 8;     ///< unless PlanSpec says otherwise
constexpr std::int64_t kReplicas = 24;  ///< the same
constexpr std::int64_t kTornado = 4;    ///< the same

/// What it holds has no room: no limit that could be softer.
bool overfills(const TargetMargin& t) {
  return t.status != "pass" && limit_kept(t) > 1.0 &&
         metric::parse(base::parse_assertion(t.that)->metric).figure == "capacity.used";
}

/// From a search to what is said about it.
class Answer {
 public:
  Answer(Designs& designs, const Objective& objective, const Search& search)
      : designs_(designs), objective_(objective), search_(search) {}

  PlanResult make() {
    const std::vector<Axis>& axes = designs_.axes();
    const PlanAxis& first = axes.front().about;
    out_.metric = first.metric;
    out_.noun = first.noun;
    out_.owner = first.owner;
    out_.status = search_.status;
    out_.lower_bound = std::llround(axes.front().numbers[axes.front().start]);
    out_.infinity =
        std::llround(std::max(axes.front().numbers.front(), axes.front().numbers.back()));
    out_.non_monotone = search_.non_monotone;
    out_.notes = search_.notes;
    out_.objective = objective_.about;
    out_.candidates = search_.candidates;
    out_.proven = search_.proven;
    out_.invalid = search_.invalid;
    out_.cheaper = search_.cheaper;
    out_.implied = search_.implied;
    for (const Axis& axis : axes) out_.axes.push_back(axis.about);
    for (const PartDown& outage : designs_.outages()) out_.survived.push_back(outage.label);
    points();
    if (out_.answer) {
      out_.required = out_.points[*out_.answer].count;
      neighbours();
      rank_smaller();
      out_.reason = reason_of(out_, relieved_);
      target_gains();
    }
    out_.nearest = told_nearest(designs_, search_, out_);
    remarks();
    return std::move(out_);
  }

 private:
  void points() {
    const Cell& shown = search_.answer ? *search_.answer : search_.end;
    for (const auto& [cell, prediction] : search_.seen) {
      PlanPoint point = point_of(prediction, designs_.outages());
      point.values = texts_of(designs_.axes(), cell);
      point.count = std::llround(designs_.axes().front().numbers[cell.front()]);
      point.objective = objective_.of(cell, prediction);
      if (cell == shown) {
        if (search_.answer) out_.answer = out_.points.size();
        out_.end = out_.points.size();
        out_.prediction = prediction;
      }
      places_[cell] = out_.points.size();
      out_.points.push_back(std::move(point));
    }
    out_.scenario_id = out_.prediction.scenario_id;
    out_.scenario_file = out_.prediction.scenario_file;
  }

  /// What limits the next smaller design, as a run of it says: by what it would gain.
  void rank_smaller() {
    const PlanNeighbour* of = deciding_neighbour(out_);
    if (of == nullptr) return;
    PlanPoint& point = out_.points[of->point];
    const TargetMargin& missed = deciding_miss(out_, point);
    Cell cell = *search_.answer;
    --cell[of->axis];
    if (missed.when.empty()) rank(cell, point, missed);
  }

  void rank(const Cell& cell, PlanPoint& point, const TargetMargin& missed) {
    const Result<Design>& design = designs_.at(cell);
    if (!design.ok()) return;
    Prediction ranked = search_.seen.at(cell);
    gain::rank_by_gain(*design, ranked, {.predict = designs_.options()});
    const PlanPoint named = point_of(ranked, designs_.outages());
    point.binding = named.binding;
    point.waited = named.waited;
    point.binding_utilization = named.binding_utilization;
    point.binding_load = named.binding_load;
    const Prediction& answer = search_.seen.at(*search_.answer);
    relieved_ = computes_less(answer, ranked, missed.id)
                    ? std::string(kCompute)
                    : relieved_by(answer, ranked, named.binding);
  }

  void neighbours() {
    const Cell& answer = *search_.answer;
    const PlanPoint& point = out_.points[*out_.answer];
    for (std::size_t a = 0; a < answer.size(); ++a)
      for (const int direction : {-1, 1}) {
        if (direction < 0 && answer[a] == 0) continue;
        Cell cell = answer;
        cell[a] += static_cast<std::size_t>(direction);
        const auto place = places_.find(cell);
        if (place == places_.end()) continue;
        const PlanPoint& other = out_.points[place->second];
        const std::vector<double>& numbers = designs_.axes()[a].numbers;
        PlanNeighbour n{a, direction, place->second,
                        std::abs(numbers[cell[a]] - numbers[answer[a]])};
        if (n.units > 0.0) {
          const auto lasts = [&](const Cell& of) {
            return lasting_utilization(search_.seen.at(of));
          };
          n.utilization = (lasts(cell) - lasts(answer)) / n.units;
        }
        if (direction < 0) prices(n, point, other);
        out_.neighbours.push_back(n);
      }
  }

  /// What neighbours gain of the target that decided the answer.
  void target_gains() {
    const TargetMargin* target = deciding_target(out_);
    for (PlanNeighbour& n : out_.neighbours) {
      if (target == nullptr || !(n.units > 0.0)) continue;
      for (const TargetMargin& t : out_.points[n.point].targets)
        if (t.id == target->id && t.when == target->when)
          n.target = (t.margin - target->margin) * std::abs(t.limit) / n.units;
    }
  }

  /// What the cheaper neighbour misses is what its targets would have to be.
  void prices(const PlanNeighbour& neighbour, const PlanPoint& answer, const PlanPoint& other) {
    if (other.meets || !answer.objective || !other.objective) return;
    const double saved = objective_.cost(*answer.objective) - objective_.cost(*other.objective);
    if (!(saved > 0.0)) return;
    // What misses a confidence does not miss its limit: another limit would be a guess. And nothing
    // can be fuller than full.
    if (std::any_of(other.targets.begin(), other.targets.end(),
                    [](const TargetMargin& t) { return t.unsure() || overfills(t); }))
      return;
    for (const TargetMargin& t : other.targets)
      if (t.status != "pass")
        out_.prices.push_back(
            {t.name(), t.limit, limit_kept(t), t.unit, saved,
             base::counted(out_.axes[neighbour.axis], other.values[neighbour.axis]),
             base::parse_assertion(t.that)->metric});
  }

  /// The design beyond the answer that misses; its targets where it was simulated.
  [[nodiscard]] std::optional<PlanPoint> contradiction() const {
    if (!search_.contradiction) return std::nullopt;
    const Cell& cell = *search_.contradiction;
    if (const auto place = places_.find(cell); place != places_.end())
      return out_.points[place->second];
    PlanPoint point;
    point.values = texts_of(designs_.axes(), cell);
    return point;
  }

  /// Where the answer took more replicas than a run of it has.
  void replicas(const PlanPoint& answer) {
    const std::int64_t usual = designs_.usual_replicas(*search_.answer);
    if (answer.replicas > usual)
      out_.notes.push_back("decided by " + std::to_string(answer.replicas) + " replicas: of the " +
                           std::to_string(usual) +
                           " that a run of it has, the interval straddles a limit (--replicas " +
                           std::to_string(answer.replicas) + ")");
  }

  /// Where all designs have the same of what is to be had least or most of.
  void undecided() {
    if (search_.candidates < 2 || out_.points.empty()) return;
    const std::optional<double>& same = out_.points[out_.end].objective;
    if (!same || std::any_of(out_.points.begin(), out_.points.end(), [&](const PlanPoint& point) {
          return point.objective && *point.objective != *same;
        }))
      return;
    // Of what follows from the design the ends tell, too, whether they were simulated or not.
    const Cell& shown = search_.answer ? *search_.answer : search_.end;
    for (std::size_t a = 0; objective_.of_cell && a < shown.size(); ++a)
      for (const std::size_t i : {std::size_t{0}, designs_.axes()[a].size() - 1}) {
        Cell cell = shown;
        cell[a] = i;
        if (designs_.at(cell).ok() && objective_.of_cell(cell) != *same) return;
      }
    if (!objective_.of_cell && out_.points.size() < 2) return;
    out_.notes.push_back(
        out_.objective.name + " is " + base::print_value(*same, out_.objective.unit) +
        " in every design that was looked at: nothing that is searched changes it");
  }

  /// Where designs that would be better were passed over for what others miss, and that is no
  /// proof.
  void unseen() {
    const bool doubtful = search_.non_monotone || out_.status != PlanStatus::found;
    if (search_.implied <= 0 || !objective_.about.maximize || !doubtful) return;
    const std::string n = std::to_string(search_.implied);
    out_.notes.push_back(n + " of " + std::to_string(search_.cheaper) +
                         (out_.answer ? " better designs" : " designs") +
                         " were not looked at, since others miss: --checks " + n + " tries them");
  }

  void remarks() {
    const Cell& shown = search_.answer ? *search_.answer : search_.end;
    for (std::string& note : notes_of_left_out(designs_, search_, shown))
      out_.notes.push_back(std::move(note));
    undecided();
    unseen();
    if (out_.answer) replicas(out_.points[*out_.answer]);
    if (search_.non_monotone) out_.notes.push_back(non_monotone_note(out_, contradiction()));
    if (!objective_.of_cell)
      for (std::string& note : notes_of_ends(out_)) out_.notes.push_back(std::move(note));
    for (const PlanNeighbour& n : out_.neighbours)
      if (n.direction < 0 && out_.points[n.point].inconclusive)
        out_.notes.push_back("with " +
                             base::counted(out_.axes[n.axis], out_.points[n.point].values[n.axis]) +
                             " the replicas' interval straddles a limit: more replicas may " +
                             (out_.axes[n.axis].falls ? "raise" : "lower") + " the answer");
  }

  Designs& designs_;
  const Objective& objective_;
  const Search& search_;
  PlanResult out_;
  std::map<Cell, std::size_t> places_;
  std::string relieved_;  ///< what the step from the next smaller design to the answer relieves
};

/// "job.J.accelerators.supported" of the jobs on the hosts whose number was searched.
void add_supported(const Design& design, PlanResult& plan) {
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    for (const JobDesign& job : design.jobs) {
      const Value* hosts = job.job.find("hosts");
      const Component* host = hosts != nullptr ? design.find_host(hosts->text) : nullptr;
      if (host == nullptr || plan.axes[a].path != "cluster.hosts[" + host->id + "].count") continue;
      const Value* used = job.job.find("accelerators");
      const Value* each = host->find("gpus");
      const auto count =
          base::parse_quantity(plan.points[*plan.answer].values[a], Dimension::number);
      if (!count.value || each == nullptr) continue;
      plan.prediction.metrics[metric::of_job(job.job.id, "accelerators.supported")] = {
          used != nullptr ? used->number : *count.value * each->number, "count", {}};
    }
}

/// The plan that draws have decided, with what was found out around the one without.
PlanResult decided(PlanResult plan, PlanResult nominal) {
  plan.tornado = std::move(nominal.tornado);
  plan.varied = nominal.varied;
  for (std::string& note : nominal.notes)
    if (std::find(plan.notes.begin(), plan.notes.end(), note) == plan.notes.end())
      plan.notes.push_back(std::move(note));
  return plan;
}

/// Adds the metrics `plan` computes and checks the expectations that name them.
void check_plan_metrics(const Design& design, PlanResult& plan, Diagnostics& faults) {
  const PlanPoint& answer = plan.points[*plan.answer];
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    if (!plan.axes[a].metric.empty())
      if (const auto count = base::parse_quantity(answer.values[a], Dimension::number); count.value)
        plan.prediction.metrics[plan.axes[a].metric] = {*count.value, "count", {}};
  if (plan.objective.maximize) add_supported(design, plan);
  Design only = design;
  std::erase_if(only.expect, [](const Expectation& e) {
    const auto parsed = base::parse_assertion(e.that);
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

Result<PlanResult> solve(const Design& design, const PlanSpec& spec, const RedesignAll& redesign,
                         const predict::PredictOptions& options, const DrawHelp& help) {
  if (const std::optional<Failure> refused = refused_targets(design)) return *refused;
  if (const std::optional<Failure> refused = refused_metric(spec, design)) return *refused;
  if (const std::optional<Failure> refused = refused_accelerators(spec, design)) return *refused;
  const models::Bounds bounds = models::bounds(design);
  PlanSpec sized = spec;
  sized.storage = storage_to_size(spec, design, options);
  Result<std::vector<Axis>> axes = make_axes(sized, design, bounds, redesign);
  if (!axes.ok()) return axes.failure();
  Result<std::vector<PartDown>> outages = make_outages(spec.survive, design, *axes, redesign);
  if (!outages.ok()) return outages.failure();
  Designs designs(redesign, std::move(axes).value(), std::move(outages).value(), options,
                  spec.replicas.value_or(kReplicas));
  Result<Objective> objective = make_objective(spec, design, designs);
  if (!objective.ok()) return objective.failure();

  Problem problem;
  problem.axes = designs.axes();
  problem.checks = spec.checks.value_or(kChecks);
  if (objective->of_cell)
    problem.cost = [&](const Cell& cell) { return objective->cost(objective->of_cell(cell)); };
  else
    problem.value = [&](const Prediction& p) {
      Result<double> figure = objective->of_prediction(p);
      return figure.ok() ? Result(objective->cost(*figure)) : figure;
    };
  problem.most = objective->about.maximize;
  problem.present = present_of(problem.axes);
  problem.dated = std::ranges::any_of(
      design.failures, [](const Component& failure) { return failure.find("at") != nullptr; });
  problem.invalid = [&](const Cell& cell) { return designs.fault(cell); };
  // Bounds prove that a target is missed: no simulation can be better.  [docs/models/bounds.md]
  problem.bound = [&](const Cell& cell) {
    return standing_of(predict::estimate(*designs.at(cell)));
  };
  problem.standing = [](const Prediction& p) {
    return p.verdict == Verdict::pass             ? Standing::meets
           : standing_of(p) == Standing::too_much ? Standing::too_much
                                                  : Standing::misses;
  };
  Result<Search> found =
      search(problem, [&](std::span<const Cell> cells) { return designs.predict(cells); });
  if (!found.ok()) return found.failure();
  // Bounds said that it misses; how far only a simulation knows.
  if (found->status == PlanStatus::infeasible) {
    if (const std::optional<Cell> cell = largest_within(designs); cell)
      if (Result<Prediction> made = std::move(designs.predict({&*cell, 1}).front()); made.ok())
        found->seen.emplace(*cell, *std::move(made));
    found->nearest = look_for_nearest(designs, true, *found);
  }

  PlanResult plan = Answer(designs, *objective, *found).make();
  if (plan.status != PlanStatus::found) {
    plan.intervals = best_intervals(designs, *found, plan);
    look_elsewhere(designs, spec, *found, plan);
    return plan;
  }
  vary_inputs(designs, *found, static_cast<std::size_t>(spec.tornado.value_or(kTornado)),
              spec.spread, plan);
  Search judged;
  if (spec.confidence || spec.judge_each) {
    Result<ConfidentPlan> sure =
        confident_plan(designs, problem, *found, {spec.confidence, spec.draws, help}, judged);
    if (!sure.ok()) return sure.failure();
    sure->decides = spec.judge_each;
    if (judged.status == PlanStatus::infeasible)
      judged.nearest = look_for_nearest(designs, false, judged);
    if (sure->decides) plan = decided(Answer(designs, *objective, judged).make(), std::move(plan));
    plan.confident = std::move(sure).value();
  }
  plan.intervals = best_intervals(designs, plan.decided_by_draws() ? judged : *found, plan);
  if (!plan.answer) return plan;
  Diagnostics faults;
  check_plan_metrics(design, plan, faults);
  if (!faults.has_errors()) return plan;
  const Diagnostic first = faults.items().front();
  if (options.faults != nullptr)
    for (Diagnostic& d : faults.items()) options.faults->add(std::move(d));
  return Failure{ExitCode::bad_input, first.message, first.hint};
}

}  // namespace stallcast::plan
