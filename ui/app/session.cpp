#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <utility>

#include "calibration/fit/bindings.hpp"
#include "calibration/fit/observed.hpp"
#include "calibration/fit/observed_before.hpp"
#include "calibration/profile/apply.hpp"
#include "calibration/profile/profile_json.hpp"
#include "engine/base/files.hpp"
#include "engine/decide/explain/explain.hpp"
#include "engine/decide/explain/what_if.hpp"
#include "engine/decide/gain/gains.hpp"
#include "engine/decide/gain/neighbours.hpp"
#include "engine/decide/overview/overview.hpp"
#include "engine/decide/plan/advice.hpp"
#include "engine/decide/plan/countables.hpp"
#include "engine/decide/plan/plan.hpp"
#include "engine/decide/plan/reason.hpp"
#include "engine/decide/predict/estimate.hpp"
#include "engine/decide/predict/predict.hpp"
#include "engine/decide/predict/record.hpp"
#include "engine/decide/uncertain/outcomes.hpp"
#include "engine/decide/uncertain/posterior.hpp"
#include "engine/decide/uncertain/swings.hpp"
#include "engine/runtime/run/warm_worker.hpp"
#include "models/bounds/bounds.hpp"
#include "models/contract/version.hpp"
#include "scenarios/rules/rules.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/client.hpp"
#include "stallcast/metric.hpp"
#include "ui/app/as_bought.hpp"
#include "ui/app/diff.hpp"
#include "ui/app/growth.hpp"
#include "ui/app/overview_window.hpp"
#include "ui/app/plan_question.hpp"
#include "ui/app/redesign.hpp"

namespace stallcast::client {
namespace {

/// What is warned of in the design that is shown, and was not in the scenario as it is.
void add_warnings(const Scenario& scenario, const Scenario& shown, PlanResult& plan) {
  const std::vector<Diagnostic>& known = scenario.diagnostics().items();
  for (const Diagnostic& d : shown.diagnostics().items())
    if (std::none_of(known.begin(), known.end(), [&](const Diagnostic& one) {
          return one.code == d.code && one.pointer == d.pointer;
        }))
      plan.prediction.warnings.push_back(d.pointer + ": " + d.message);
}

bool can_be_built(const Design& design) { return scenarios::fault_of(design).empty(); }

}  // namespace

const Version& version() {
  static const Version known{STALLCAST_VERSION, std::string(models::kVersion)};
  return known;
}

struct Session::Impl {
  explicit Impl(Settings wanted) : settings(std::move(wanted)), worker(settings.results_kept) {
    if (settings.jobs <= 0)
      settings.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    if (settings.profile.empty()) return;
    if (auto read = calibration::read_profile_file(settings.profile, profile_faults))
      profile = std::move(read->profile);
  }

  [[nodiscard]] const CalibrationProfile* fitted() const { return profile ? &*profile : nullptr; }

  /// What decides which worker is started.
  [[nodiscard]] run::SimulateOptions of_worker() const {
    run::SimulateOptions out;
    out.jobs = settings.jobs;
    out.worker = settings.worker;
    out.memory_mb = settings.memory_mb;
    out.cpu_s = settings.cpu_s;
    return out;
  }

  /// Options of one call, which begins with this.
  [[nodiscard]] predict::PredictOptions begin(const Question& question, bool leaves_open = false) {
    cancelled = false;
    predict::PredictOptions out{.run = of_worker(),
                                .seed = question.seed,
                                .replicas = question.replicas,
                                .faults = question.faults,
                                .leaves_open = leaves_open};
    out.run.until = base::Deadline::in(question.time_limit_s);
    out.run.crash_directory = settings.crash_directory;
    out.run.on_progress = question.on_progress;
    out.run.warm = &worker;
    out.run.cancelled = &cancelled;
    return out;
  }

  /// Puts draw i of what the profile is unsure of into a design; none without a profile.
  [[nodiscard]] std::function<void(Design&, std::size_t)> profile_draws() const {
    const CalibrationProfile* known = fitted();
    if (known == nullptr) return {};
    return [known](Design& design, std::size_t i) { calibration::apply_draw(*known, i, design); };
  }

  /// Adds what the profile has to say.
  void finish(const Design& design, const Question& question, Prediction& prediction) const {
    prediction.system = overview::system_sentence(design);
    prediction.picture = overview::system_picture(design, prediction);
    if (profile) {
      prediction.profile_sha256 = profile->sha256;
      prediction.profile_id = profile->id;
      prediction.profile_values = calibration::values_from_profile(design);
      std::ranges::move(calibration::said_of(*profile, design),
                        std::back_inserter(prediction.warnings));
    }
    prediction.left_range = prediction.extrapolated && question.strict_range;
    if (prediction.left_range && prediction.verdict != Verdict::fail)
      prediction.verdict = Verdict::inconclusive;
  }

  /// `scenario` changed, with the targets of `design`.
  [[nodiscard]] static plan::Redesign redesign(const Scenario& scenario, const Design& design) {
    return [&scenario, &design](const Change& change) {
      Result<Design> changed = design_with(scenario, {&change, 1});
      if (changed.ok()) changed->expect = design.expect;
      return changed;
    };
  }

  /// The plan that `spec` asks for, of what `with` makes of changes of `scenario`.
  [[nodiscard]] Result<PlanResult> solve(const Scenario& scenario, const InMonth& with,
                                         const PlanSpec& spec, const Question& question);

  Settings settings;
  std::optional<CalibrationProfile> profile;
  Diagnostics profile_faults;
  calibration::ProfileFiles others;  // of scenarios that have their own
  run::WarmWorker worker;
  std::atomic<bool> cancelled = false;
};

Session::Session(Settings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

void Session::warm_up() {
  // Where results are kept in a folder there may be nothing to simulate: a start takes a fourth of
  // such a call.
  if (run::folder_of_results().empty()) (void)impl_->worker.start(impl_->of_worker());
}

Reading Session::read(const ScenarioFile& file) const {
  if (impl_->profile_faults.has_errors()) return {std::nullopt, impl_->profile_faults};
  Diagnostics faults;
  const CalibrationProfile* const profile =
      file.profile.empty() ? impl_->fitted() : impl_->others.read(file.profile, faults);
  if (faults.has_errors()) return {std::nullopt, std::move(faults)};
  Scenario scenario = Scenario::read(file, profile);
  Diagnostics diagnostics = scenario.diagnostics();
  if (!scenario.ok()) {
    // A field that is missing may be one that the profile was thought to set.
    const bool missing = std::ranges::any_of(
        diagnostics.items(), [](const Diagnostic& d) { return d.code == "missing"; });
    if (missing && profile != nullptr)
      for (const Fit* fit : calibration::refused_with_fields(*profile))
        diagnostics.warn("refused", "",
                         "the profile \"" + profile->id + "\" sets no field by " + fit->id +
                             ", which it refused" +
                             (fit->reasons.empty() ? "" : ": " + fit->reasons.front()));
    return {std::nullopt, std::move(diagnostics)};
  }
  return {std::move(scenario), std::move(diagnostics)};
}

Prediction Session::estimate(const Design& design) const {
  Prediction prediction = predict::estimate(design);
  impl_->finish(design, {}, prediction);
  return prediction;
}

Result<Prediction> Session::predict(const Design& design, const Question& question) {
  return std::move(predict_all({&design, 1}, question).front());
}

std::vector<Result<Prediction>> Session::predict_all(std::span<const Design> designs,
                                                     const Question& question) {
  const predict::PredictOptions options = impl_->begin(question, true);
  std::vector<Result<Prediction>> predictions = predict::predict_all(designs, options);
  for (std::size_t i = 0; i < designs.size(); ++i)
    if (predictions[i].ok()) impl_->finish(designs[i], question, *predictions[i]);
  return predictions;
}

Result<Uncertainty> Session::uncertainty(const Design& design, const Prediction& prediction,
                                         std::optional<std::size_t> draws,
                                         const Question& question) {
  uncertain::DrawOptions options{.predict = impl_->begin(question, predict::has_open(prediction)),
                                 .draws = draws};
  options.valid = can_be_built;
  options.vary = impl_->profile_draws();
  Result<Uncertainty> out = uncertain::outcomes(design, prediction, options);
  if (out.ok() && impl_->profile) calibration::tell_refused(*impl_->profile, design, *out);
  return out;
}

Result<CalibrationProfile> Session::calibrate(const Design& design,
                                              std::span<const ObservedFigure> observed,
                                              const std::string& id,
                                              std::optional<std::size_t> draws,
                                              const Question& question) {
  uncertain::ConditionOptions options{.predict = impl_->begin(question)};
  if (draws) options.draws = *draws;
  options.valid = can_be_built;
  // What runs observed before say is drawn as other inputs are.
  CalibrationProfile measured;
  if (impl_->profile) {
    if (!calibration::has_rows(*impl_->profile))
      return Failure{
          ExitCode::bad_input,
          "the inputs of the profile \"" + impl_->profile->id + "\" have not as many draws each",
          "calibrate its runs again"};
    measured = *impl_->profile;
    measured.narrowed.clear();
    options.known = calibration::observed_before(*impl_->profile, design).known;
    options.seen = calibration::seen_before(*impl_->profile, design);
    options.vary = [&measured](Design& one, std::size_t i) {
      calibration::apply_draw(measured, i, one);
    };
  }
  const Result<uncertain::Posterior> found = uncertain::condition(design, observed, options);
  if (!found.ok()) return found.failure();
  return calibration::profile_of(*found, design, id, impl_->fitted());
}

void Session::rank_by_gain(const Design& design, Prediction& prediction, const Question& question) {
  gain::GainOptions options{.predict = impl_->begin(question, predict::has_open(prediction))};
  options.valid = can_be_built;
  options.of = question.gain_of;
  gain::rank_by_gain(design, prediction, options);
}

void Session::add_neighbours(const Design& design, Prediction& prediction,
                             const Question& question) {
  gain::add_neighbours(design, prediction, {.predict = impl_->begin(question)});
}

Result<Explanation> Session::explain(const Design& design, const std::vector<std::string>& metrics,
                                     bool simulate, const Question& question) {
  if (!simulate) {
    Result<Explanation> found = explain::explain(design, nullptr, {}, metrics);
    if (found.ok()) found->estimate = estimate(design);
    return found;
  }
  std::vector<RunResult> runs;
  Result<Prediction> prediction = predict::predict(design, impl_->begin(question, true), runs);
  if (!prediction.ok()) return prediction.failure();
  impl_->finish(design, question, *prediction);
  if (explain::any_printed(metrics)) rank_by_gain(design, *prediction, question);
  return explain::explain(design, &*prediction, runs, metrics);
}

Result<Timeline> Session::record(const Design& design, const TimelineRequest& what,
                                 const Question& question) {
  if (!(what.begin_s >= 0.0 && what.end_s > what.begin_s && std::isfinite(what.end_s)))
    return Failure{ExitCode::bad_input, "the window to record ends before it begins", ""};
  if (what.bins == 0) return Failure{ExitCode::bad_input, "counters need at least one bin", ""};
  return predict::record(design, what, impl_->begin(question));
}

std::optional<Timeline> Session::overview(const Design& design, const Prediction& prediction,
                                          const Question& question) {
  const TimelineRequest what = overview_window(design, prediction);
  if (!(what.end_s > 0.0) || !(question.time_limit_s > 0.0)) return std::nullopt;
  Result<Timeline> timeline = record(design, what, question);
  if (!timeline.ok()) return std::nullopt;
  end_with_lanes(*timeline);
  return std::move(timeline).value();
}

std::vector<Alternative> Session::alternatives(const Scenario& scenario, const Design& design,
                                               const Prediction& prediction, std::size_t most,
                                               const Question& question) {
  std::vector<plan::Proposal> changes = plan::candidate_changes(design, prediction, most);
  if (prediction.verdict == Verdict::fail) add_planned(scenario, design, changes);
  count_as_bought(scenario, changes);
  return plan::try_changes(changes, prediction, Impl::redesign(scenario, design),
                           impl_->begin(question));
}

void Session::add_surroundings(const Scenario& scenario, const Design& design,
                               Prediction& prediction, const Question& question) {
  constexpr std::size_t kMostSwings = 3;
  const predict::PredictOptions options = impl_->begin(question);
  if (const auto counted = bought_by_number(scenario, design, prediction))
    prediction.counts =
        plan::count_curve(*counted, prediction, Impl::redesign(scenario, design), options);
  if (uncertain::tells_inputs(prediction)) return;
  uncertain::add_swings(design, {.predict = options, .draws = {}, .valid = can_be_built},
                        kMostSwings, prediction);
}

std::vector<WhatIf> Session::what_ifs(const Scenario& scenario, const Design& design,
                                      const Prediction& prediction, std::size_t most,
                                      const Question& question) {
  const auto as_bought = [&](std::vector<plan::Proposal>& proposals) {
    count_as_bought(scenario, proposals);
  };
  return explain::what_ifs(design, prediction, most, as_bought, Impl::redesign(scenario, design),
                           impl_->begin(question));
}

Result<PlanResult> Session::plan(const Scenario& scenario, const PlanQuestion& wanted,
                                 const Question& question) {
  Diagnostics faults;
  PlanSpec spec = asked_plan(scenario, wanted, faults);
  add_plan_faults(scenario, spec, faults);
  spec.judge_each = std::ranges::any_of(scenario.design().expect, [](const Expectation& e) {
    return e.level != "warn" && e.confidence;
  });
  if (faults.has_errors()) {
    if (question.faults != nullptr)
      for (Diagnostic& d : faults.items()) question.faults->add(std::move(d));
    return Failure{ExitCode::bad_input, "the scenario has errors", "read it to see them"};
  }
  const auto solve = [&, until = base::Deadline::in(question.time_limit_s)](
                         const Scenario& of, const InMonth& with, const PlanSpec& what) {
    Question left = question;
    left.time_limit_s = until.left_s();
    return impl_->solve(of, with, what, left);
  };
  if (wanted.until) return plan_until(scenario, spec, *wanted.until, solve);
  return solve(
      scenario, [&](std::span<const Change> changes) { return scenario.with(changes); }, spec);
}

Result<PlanResult> Session::Impl::solve(const Scenario& scenario, const InMonth& with,
                                        const PlanSpec& spec, const Question& question) {
  const auto redesigned = [&](std::span<const Change> changes) { return design_of(with(changes)); };
  const predict::PredictOptions options = begin(question);
  Result<PlanResult> found = plan::solve(scenario.design(), spec, redesigned, options,
                                         {.valid = can_be_built, .vary = profile_draws()});
  if (!found.ok() || found->points.empty()) return found;
  // What the design that is shown is, and what limits it: as `run` says of it.
  const std::vector<std::string>& values = found->points[found->answer.value_or(found->end)].values;
  std::vector<Change> changes;
  for (std::size_t a = 0; a < std::min(values.size(), found->axes.size()); ++a)
    changes.push_back({found->axes[a].path, parse_setting(values[a])});
  const Scenario shown = with(changes);
  if (!shown.ok()) return found;
  finish(shown.design(), question, found->prediction);
  add_warnings(scenario, shown, *found);
  gain::rank_by_gain(shown.design(), found->prediction,
                     {.predict = options, .valid = can_be_built});
  if (found->status != PlanStatus::found)
    if (std::string note = plan::unsearched_note(
            shown.design(), *found,
            [&](const std::string& at) { return follows_from(scenario, at, found->axes); });
        !note.empty())
      found->notes.push_back(std::move(note));
  return found;
}

Result<GrowthResult> Session::grow(const Scenario& scenario, const GrowthQuestion& wanted,
                                   const Question& question) {
  Result<GrowthResult> found = client::grow(scenario, wanted, impl_->begin(question));
  if (found.ok() && impl_->profile) found->profile_sha256 = impl_->profile->sha256;
  return found;
}

Result<PlanResult> Session::plan(const Scenario& scenario, const std::string& storage,
                                 const Question& question) {
  PlanQuestion wanted;
  wanted.spec.storage = storage;
  return plan(scenario, wanted, question);
}

Result<Diff> Session::diff(const DiffInput& base, const DiffInput& head,
                           const DiffQuestion& question) {
  const base::Deadline until = base::Deadline::in(question.predict.time_limit_s);
  return client::diff(
      base, head, question,
      [&](std::span<const Design> designs) { return predict_all(designs, question.predict); },
      [&](const Design& design, Prediction& prediction) {
        Question of_gains = question.predict;
        of_gains.time_limit_s = until.left_s();
        if (!until.passed()) rank_by_gain(design, prediction, of_gains);
      });
}

void Session::cancel() noexcept { impl_->cancelled = true; }

const CalibrationProfile* Session::profile() const { return impl_->fitted(); }
const std::string& Session::profile_file() const { return impl_->settings.profile; }

}  // namespace stallcast::client
