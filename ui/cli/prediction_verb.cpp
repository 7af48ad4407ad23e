#include "ui/cli/prediction_verb.hpp"

#include <cstdio>
#include <filesystem>

#include "engine/runtime/run/simulate.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/app/run_report.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::cli {
namespace {

/// "GPU utilization of train 94.5 %, 2 of 2 targets missed".
std::string known_of(const Prediction& prediction) {
  std::string out;
  for (const auto& [name, metric] : prediction.metrics)
    if (name == metric::gpu_utilization(metric::parse(name).id))
      out += (out.empty() ? "" : ", ") + label::of_metric(name, metric.unit, true) + " " +
             report::print_metric(metric) +
             report::goodput_remark(goodput_left(prediction, std::string(metric::parse(name).id)));
  const bool judged = prediction.verdict == Verdict::fail || prediction.verdict == Verdict::pass;
  return judged ? out + (out.empty() ? "" : ", ") + report::verdict_phrase(prediction) : out;
}

}  // namespace

PredictionVerb::PredictionVerb(const Verb& verb, Advice advice, report::Pages pages,
                               std::string_view what)
    : line_(verb), verb_(verb.name), advice_(advice), pages_(pages) {
  line_.positional("SCENARIO", path_, what);
}

void PredictionVerb::draws_option() {
  line_.integer(
      "--draws", draws_, 0,
      "simulations with inputs drawn from what they may be (default: as many as fit about "
      "a second; 0: none)");
}

std::optional<int> PredictionVerb::begin(std::span<const std::string> args) {
  line_.scenario_options(options_);
  line_.simulation_options(options_);
  if (advice_ == Advice::optional)
    line_.flag("--no-advice", no_advice_, "do not try changes by simulation");
  line_.format_option(options_, pages_);
  line_.output_options(options_);
  line_.verbose_option(options_, "text: all figures, resources, changes and assumptions");
  if (const auto exit = line_.parse(args)) return *exit;
  constexpr auto kFewest = static_cast<std::int64_t>(client::kFewestDraws);
  if (draws_ && *draws_ > 0 && *draws_ < kFewest)
    return report_failure({ExitCode::bad_input,
                           "--draws " + std::to_string(*draws_) + " says nothing of an interval",
                           "take " + std::to_string(kFewest) + " or more, or 0 for none"});
  const auto format = report::parse_format(options_.format, pages_);
  if (!format.ok()) return report_failure(format.failure());
  format_ = format.value();
  std::error_code ignored;
  if (tell_ && path_ != "-" && !std::filesystem::exists(path_, ignored))
    if (const std::string told = tell_(path_); !told.empty()) {
      if (format_ != report::Format::text)
        return cli::refuse("what \"" + path_ + "\" means is text", "leave out --format");
      return cli::deliver(options_, told, ExitCode::ok);
    }

  session_.emplace(settings_of(options_));
  session_->warm_up();
  ScenarioFile source = source_of(path_, options_);
  source.few = few_;
  client::Reading reading = session_->read(source);
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
  if (cut_) out.partial = cut_->message;
  out.grows = !scenario_->questions().growth.trends.empty();
  return out;
}

std::string PredictionVerb::long_ahead(const std::string& about) const {
  const std::string known = known_of(session_->estimate(design()));
  return std::string(verb_) + " takes " + about + " more" +
         (known.empty() ? "" : "; by bounds alone: " + known);
}

std::optional<int> PredictionVerb::predict(std::optional<Prediction>& out) {
  return answer(
      out,
      [this](client::Session& session, const client::Question& question) {
        Result<Prediction> found = session.predict(design(), question);
        if (cut_off(found)) found = client::bounds_alone(session, design(), *cut_);
        return found;
      },
      client::Passes::one);
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

void PredictionVerb::complete(Prediction& prediction) {
  ProgressBar bar(options_);
  bar.when_long([known = known_of(prediction)](const std::string& about) {
    return "predicted: " + known + "; how sure that is, what limits and what would help take " +
           about + " more (Ctrl+C: a report without them)";
  });
  client::RunQuestion wanted;
  wanted.predict = question_of(options_, bar);
  // The time limit is for the whole verb.
  wanted.predict.time_limit_s -= prediction.wall_s;
  wanted.known = std::move(prediction);
  wanted.advise = wanted.gains = !no_advice_;
  if (draws_) wanted.draws = static_cast<std::size_t>(*draws_);
  wanted.timeline = format_ == report::Format::html;
  wanted.around = wanted.advise && (wanted.timeline || format_ == report::Format::slide);
  client::RunReport found =
      client::run_report(*session_, *scenario_, wanted).value();  // has a prediction
  prediction = std::move(found.prediction);
  timeline_ = std::move(found.timeline);
}

int PredictionVerb::refuse(const Failure& failure, Diagnostics& faults) const {
  if (!faults.has_errors()) return report_failure(failure);
  scenario_->locate(faults);
  print_diagnostics(faults, options_.quiet);
  return static_cast<int>(ExitCode::bad_input);
}

}  // namespace stallcast::cli
