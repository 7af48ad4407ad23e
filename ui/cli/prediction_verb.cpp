#include "ui/cli/prediction_verb.hpp"

#include <cstdio>

#include "engine/runtime/run/simulate.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/design_context.hpp"

namespace stallcast::cli {
namespace {

constexpr std::size_t kMostShownAlternatives = 4;

}  // namespace

PredictionVerb::PredictionVerb(const Verb& verb, Advice advice, bool pages)
    : line_(verb), verb_(verb.name), advice_(advice), pages_(pages) {
  line_.positional("SCENARIO", path_, "scenario file; - reads standard input");
}

std::optional<int> PredictionVerb::begin(std::span<const std::string> args) {
  line_.scenario_options(options_);
  line_.simulation_options(options_);
  if (advice_ == Advice::optional)
    line_.flag("--no-advice", no_advice_, "do not try changes by simulation");
  line_.format_option(options_, pages_);
  line_.output_options(options_);
  if (const auto exit = line_.parse(args)) return *exit;
  const auto format = report::parse_format(options_.format, pages_);
  if (!format.ok()) return report_failure(format.failure());
  format_ = format.value();

  session_.emplace(settings_of(options_));
  session_->warm_up();
  client::Reading reading = session_->read(source_of(path_, options_));
  print_diagnostics(reading.diagnostics, options_.quiet);
  if (!reading.scenario) return static_cast<int>(ExitCode::bad_input);
  scenario_ = std::move(reading.scenario);
  return std::nullopt;
}

report::ReportContext PredictionVerb::context() const {
  report::ReportContext out = report::context_of(design(), client::version());
  ProgressBar unseen(options_);
  out.command = report::command_of(verb_, path_, scenario_->file(), question_of(options_, unseen),
                                   options_.profile, words_);
  out.timeline = timeline_;
  return out;
}

std::optional<int> PredictionVerb::predict(std::optional<Prediction>& out) {
  return answer(out, [this](client::Session& session, const client::Question& question) {
    return session.predict(design(), question);
  });
}

std::optional<int> PredictionVerb::trace(const TraceOptions& wanted, const Prediction& prediction) {
  if (wanted.file.empty() || run::interrupt_flag() != 0) return std::nullopt;
  ProgressBar bar(options_);
  client::Question question = question_of(options_, bar);
  question.time_limit_s -= prediction.wall_s;
  const Result<std::string> written =
      write_trace(*session_, design(), prediction, wanted, question);
  bar.clear();
  if (!written.ok()) return report_failure(written.failure());
  if (!options_.quiet) std::fputs(written.value().c_str(), stderr);
  return std::nullopt;
}

std::optional<client::Question> PredictionVerb::question_of_changes(const Prediction& prediction,
                                                                    ProgressBar& bar) const {
  if (advice_ == Advice::none || no_advice_ || run::interrupt_flag() != 0) return std::nullopt;
  client::Question question = question_of(options_, bar);
  // The time limit is for the whole verb.
  question.time_limit_s -= prediction.wall_s;
  if (question.time_limit_s <= 0.0) return std::nullopt;
  return question;
}

void PredictionVerb::advise(Prediction& prediction) {
  ProgressBar bar(options_);
  if (const auto question = question_of_changes(prediction, bar))
    prediction.alternatives =
        session_->alternatives(*scenario_, design(), prediction, kMostShownAlternatives, *question);
}

std::vector<WhatIf> PredictionVerb::what_ifs(const Prediction& prediction, std::size_t most) {
  ProgressBar bar(options_);
  const auto question = question_of_changes(prediction, bar);
  if (!question.has_value() || most == 0) return {};
  return session_->what_ifs(*scenario_, design(), prediction, most, *question);
}

void PredictionVerb::record(const Prediction& prediction) {
  if (format_ != report::Format::html || run::interrupt_flag() != 0) return;
  ProgressBar bar(options_);
  client::Question question = question_of(options_, bar);
  question.time_limit_s -= prediction.wall_s;
  timeline_ = session_->overview(design(), prediction, question);
}

int PredictionVerb::refuse(const Failure& failure, Diagnostics& faults) const {
  if (!faults.has_errors()) return report_failure(failure);
  scenario_->locate(faults);
  print_diagnostics(faults, options_.quiet);
  return static_cast<int>(ExitCode::bad_input);
}

}  // namespace stallcast::cli
