#include "ui/app/diff.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/diff/attribution.hpp"
#include "engine/decide/diff/compare_sides.hpp"
#include "engine/decide/predict/predict.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "models/contract/version.hpp"
#include "scenarios/resolve/print_resolved.hpp"
#include "scenarios/rules/rules.hpp"
#include "stallcast/nominal.hpp"

namespace stallcast::client {
namespace {

/// A scenario that was read.
struct Side {
  Design design;
  diff::Origins origins;
};

Side side_of(const Scenario& scenario) {
  Side out{scenario.design(), {scenario.written(), {}}};
  for (const Parameter& p : scenario.parameters()) out.origins.params.emplace(p.name, p);
  return out;
}

std::string patch_between(const Design& base, const Design& head) {
  return base::Json::diff(scenarios::resolved_json(base), scenarios::resolved_json(head)).dump();
}

/// `verdict` of a prediction without expectations is inconclusive when it was cut off.
bool is_whole(const Prediction& prediction) {
  return prediction.verdict != Verdict::inconclusive || prediction.left_range;
}

/// A result of bounds alone is no other side of a simulation: "better" would say nothing.
std::optional<Failure> nothing_simulated(const DiffInput& input) {
  if (!input.result || input.result->prediction.method != "estimate") return std::nullopt;
  return Failure{ExitCode::inconclusive,
                 input.name + ": figures are those of bounds alone, nothing was simulated",
                 "run it again with more --time-limit"};
}

/// Values of the assertions of `design` in the prediction they are relative to.
predict::BaseValues values_in(const Design& design, const Prediction& prediction) {
  Diagnostics ignored;
  const predict::BaseValues none;
  predict::BaseValues out;
  for (const AssertionOutcome& a : predict::check(design, prediction, ignored, &none))
    if (a.is_known()) out[a.id] = a.value;  // what did not come has none
  return out;
}

/// Judges the assertions, those relative to a baseline against `before`.
void judge(const Design& design, const Prediction& before, Prediction& prediction,
           Diagnostics& faults) {
  const predict::BaseValues values = values_in(design, before);
  prediction.assertions = predict::check(design, prediction, faults, &values);
  const bool unsure = prediction.verdict == Verdict::inconclusive;
  prediction.verdict = predict::verdict_of(prediction.assertions);
  if (unsure && prediction.verdict != Verdict::fail) prediction.verdict = Verdict::inconclusive;
  prediction.design_sha256 = codec::design_hash(design);
}

/// Sides of a diff are compared as simulated: what a result knows of draws is not known of the
/// other side.
void without_outcomes(Prediction& p) {
  for (auto& [name, metric] : p.metrics) metric.ci90.reset(), metric.median.reset();
}

/// What limits it is told by what it waited for alone.
void without_gains(Prediction& p) {
  p.gains.reset();
  for (Bottleneck& b : p.bottlenecks) b.gain.reset();
  std::stable_sort(
      p.bottlenecks.begin(), p.bottlenecks.end(),
      [](const Bottleneck& a, const Bottleneck& b) { return a.blamed_share > b.blamed_share; });
}

/// Only draws judge a confidence. Two results both have theirs; else it stays open on both sides,
/// so that one design is not two.
void leave_open(Diff& diff) {
  std::set<std::string> open;
  for (const DiffSide* side : {&diff.base, &diff.head})
    for (const AssertionOutcome& a : side->prediction.assertions)
      if (a.confidence && !a.probability) open.insert(a.id);
  for (DiffSide* side : {&diff.base, &diff.head}) {
    for (AssertionOutcome& a : side->prediction.assertions)
      if (open.contains(a.id)) a.probability.reset();
    predict::leave_open(side->prediction);
    for (const AssertionOutcome& a : side->prediction.assertions)
      if (a.confidence && !a.probability)
        diff.warnings.push_back(side->name + ": " + only_draws_judge(a.id) + ", of two results");
  }
}

/// Compares two scenarios, or one with a result.
class Comparison {
 public:
  Comparison(const DiffQuestion& question, const PredictAll& predict_all,
             const RankByGain& rank_by_gain)
      : question_(question), predict_all_(predict_all), rank_by_gain_(rank_by_gain) {}

  Result<Diff> run(const DiffInput& base, const DiffInput& head) {
    std::optional<Side> sides[2];
    const DiffInput* inputs[2] = {&base, &head};
    DiffSide* found[2] = {&out_.base, &out_.head};
    for (const DiffInput* input : inputs)
      if (auto failure = nothing_simulated(*input)) return *failure;
    for (int i = 0; i < 2; ++i) {
      if (inputs[i]->result) {
        *found[i] = *inputs[i]->result;
        without_outcomes(found[i]->prediction);
      } else {
        sides[i] = side_of(*inputs[i]->scenario);
      }
      found[i]->name = inputs[i]->name;
      if (inputs[i]->name.empty() && inputs[i]->scenario)
        found[i]->name = inputs[i]->scenario->file().file;
    }
    diff::Experiment experiment;
    std::vector<Design> designs;
    std::vector<DiffSide*> whose;  // of the first designs
    if (sides[0] && sides[1]) {
      auto arranged = arrange(*sides[0], *sides[1]);
      if (!arranged.ok()) return arranged.failure();
      experiment = std::move(*arranged);
      for (const diff::InputStep& change : experiment.changes) out_.inputs.push_back(change.said);
      designs = {sides[0]->design, sides[1]->design};
      for (std::size_t k = 2; k < experiment.masks.size(); ++k)
        designs.push_back(diff::apply(sides[0]->design, sides[1]->design, experiment.changes,
                                      experiment.masks[k]));
      whose = {found[0], found[1]};
    } else {
      for (int i = 0; i < 2; ++i)
        if (sides[i]) {
          designs.push_back(sides[i]->design);
          whose.push_back(found[i]);
        }
    }
    for (Design& design : designs) design.expect.clear();
    std::vector<Result<Prediction>> predictions;
    if (!designs.empty()) predictions = predict_all_(designs);
    for (std::size_t k = 0; k < whose.size(); ++k)
      if (auto failure = take(std::move(predictions[k]), *whose[k])) return *failure;
    if (auto failure = judge_both(sides)) return *failure;
    leave_open(out_);
    rank(sides);
    diff::compare(out_, {question_.metrics, question_.min_change});
    if (out_.inputs_known) attribute(experiment, predictions);
    // Whole, and yet not what was asked for.
    const bool left_range = out_.base.prediction.left_range || out_.head.prediction.left_range;
    if (left_range && out_.exit == ExitCode::ok) out_.exit = ExitCode::inconclusive;
    return std::move(out_);
  }

 private:
  Result<diff::Experiment> arrange(const Side& base, const Side& head) {
    out_.inputs_known = true;
    out_.patch = patch_between(base.design, head.design);
    compare_ranges(base.design, head.design);
    return diff::arrange(base.design, head.design,
                         diff::changes(base.design, head.design, base.origins, head.origins),
                         question_.attribute, scenarios::fault_of);
  }

  /// A range is no input of a prediction, and yet somebody changed it.
  void compare_ranges(const Design& base, const Design& head) {
    const auto values = base::values_of(base);
    const std::map<std::string, const Value*> before(values.begin(), values.end());
    std::vector<std::string> moved;
    for (const auto& [path, value] : base::values_of(head))
      if (const auto was = before.find(path); was != before.end() &&
                                              was->second->number == value->number &&
                                              was->second->range != value->range)
        moved.push_back(path);
    if (moved.empty()) return;
    const std::size_t n = moved.size();
    moved.resize(std::min<std::size_t>(n, 3));
    out_.warnings.push_back(
        (n == 1 ? "one value may be" : std::to_string(n) + " values may be") +
        std::string(" something else in truth: ") + base::join(moved, ", ") +
        (n > moved.size() ? ", ..." : "") +
        "; that moves intervals, which \"run\" has, and no figure of the design as it is");
  }

  std::optional<Failure> take(Result<Prediction> prediction, DiffSide& side) {
    if (!prediction.ok()) {
      Failure failure = prediction.failure();
      failure.message = side.name + ": " + failure.message;
      return failure;
    }
    if (!is_whole(*prediction)) out_.exit = ExitCode::inconclusive;
    side.prediction = *std::move(prediction);
    side.model = models::kVersion;
    return std::nullopt;
  }

  std::optional<Failure> judge_both(const std::optional<Side> (&sides)[2]) {
    DiffSide* found[2] = {&out_.base, &out_.head};
    std::optional<Failure> failure;
    for (int i = 0; i < 2; ++i) {
      if (!sides[i]) continue;
      Diagnostics faults;
      judge(sides[i]->design, out_.base.prediction, found[i]->prediction, faults);
      for (Diagnostic& d : faults.items()) {
        for (const Expectation& e : sides[i]->design.expect)
          if (d.pointer == e.pointer + "/that") d.position = base::position_of(e.where);
        failure = {ExitCode::bad_input, "an assertion cannot be judged: " + d.message, d.hint};
        if (question_.predict.faults != nullptr) question_.predict.faults->add(std::move(d));
      }
    }
    return failure;
  }

  /// What limits a side is said as `run` says it: by what it would gain; by what was waited for,
  /// where one of them is a result that does not know that or was cut off, or where nobody asks.
  void rank(const std::optional<Side> (&sides)[2]) {
    DiffSide* found[2] = {&out_.base, &out_.head};
    bool known = question_.gains && out_.exit == ExitCode::ok;
    for (int i = 0; i < 2; ++i) known = known && (sides[i] || found[i]->prediction.gains);
    for (int i = 0; i < 2; ++i) {
      if (!known) without_gains(found[i]->prediction);
      if (known && sides[i]) rank_by_gain_(sides[i]->design, found[i]->prediction);
    }
  }

  void attribute(const diff::Experiment& experiment,
                 const std::vector<Result<Prediction>>& predictions) {
    std::vector<diff::Figures> figures = {&out_.base.prediction.metrics,
                                          &out_.head.prediction.metrics};
    if (out_.exit != ExitCode::ok) figures[0] = nullptr;
    for (std::size_t k = 2; k < predictions.size(); ++k)
      figures.push_back(predictions[k].ok() && is_whole(*predictions[k]) ? &predictions[k]->metrics
                                                                         : nullptr);
    out_.attributed = diff::attribute(experiment, figures);
    for (std::size_t k = 2; k < predictions.size(); ++k)
      if (figures[k] == nullptr && out_.exit == ExitCode::ok)
        out_.exit = predictions[k].ok() ? ExitCode::inconclusive : predictions[k].failure().exit;
  }

  const DiffQuestion& question_;
  const PredictAll& predict_all_;
  const RankByGain& rank_by_gain_;
  Diff out_;
};

}  // namespace

Result<Diff> diff(const DiffInput& base, const DiffInput& head, const DiffQuestion& question,
                  const PredictAll& predict_all, const RankByGain& rank_by_gain) {
  return Comparison(question, predict_all, rank_by_gain).run(base, head);
}

std::vector<InputChange> changed_inputs(const Scenario& base, const Scenario& head) {
  const Side a = side_of(base), b = side_of(head);
  std::vector<InputChange> out;
  for (diff::InputStep& step : diff::changes(a.design, b.design, a.origins, b.origins))
    out.push_back(std::move(step.said));
  return out;
}

Diff inputs_alone(const DiffInput& base, const DiffInput& head, const Failure& why) {
  Diff out;
  for (const auto& [input, side] : {std::pair{&base, &out.base}, {&head, &out.head}}) {
    side->name = input->name;
    if (input->result) {
      side->recorded = true;
      side->model = input->result->model;
      side->prediction.scenario_id = input->result->prediction.scenario_id;
      side->prediction.design_sha256 = input->result->prediction.design_sha256;
    }
    if (input->scenario) {
      side->prediction.scenario_id = input->scenario->design().id;
      side->prediction.design_sha256 = codec::design_hash(input->scenario->design());
    }
    side->prediction.verdict = Verdict::inconclusive;
  }
  out.inputs_known = base.scenario && head.scenario;
  if (out.inputs_known) {
    out.inputs = changed_inputs(*base.scenario, *head.scenario);
    out.patch = patch_between(base.scenario->design(), head.scenario->design());
  }
  out.warnings = {"partial: " + why.message +
                  (out.inputs_known ? "; inputs alone are compared" : "; nothing is compared")};
  out.exit = ExitCode::inconclusive;
  return out;
}

}  // namespace stallcast::client
