#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stallcast/client.hpp"
#include "ui/app/run_report.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/trace_option.hpp"
#include "ui/report/report.hpp"

/// What the verbs that predict one scenario have in common: their options and how they begin.
namespace stallcast::cli {

/// To be used in this order: construct, declare what the verb has of its own on `line()`, `begin`.
class PredictionVerb {
 public:
  enum class Advice { none, optional };  ///< optional: with --no-advice

  /// Declares the scenario. `verb` must outlive this. `pages`: those of what it finds; `what` may
  /// stand in the place of the scenario.
  PredictionVerb(const Verb& verb, Advice advice, report::Pages pages,
                 std::string_view what = "scenario file; - reads standard input");
  PredictionVerb(const PredictionVerb&) = delete;
  PredictionVerb& operator=(const PredictionVerb&) = delete;

  [[nodiscard]] CommandLine& line() { return line_; }

  /// Declares the options all have, reads the command line and the scenario, while the worker
  /// starts. The exit code when the verb ends here: help was printed, the usage is wrong, or there
  /// is not a design.
  [[nodiscard]] std::optional<int> begin(std::span<const std::string> args);

  // REQUIRES of the rest: `begin` gave nothing.
  [[nodiscard]] const Scenario& scenario() const { return *scenario_; }
  [[nodiscard]] const Design& design() const { return scenario_->design(); }

  /// The scenario may have too few parts for its failures: their number is searched.
  void searches_parts() { few_ = true; }
  /// In the place of a file that is not there a word may stand: `tell` says what it means, "" of
  /// one that it does not know.
  void explains(std::function<std::string(const std::string&)> tell) { tell_ = std::move(tell); }
  /// Declares --draws.
  void draws_option();
  /// Puts what `ask(session, question)` gives into `out`. The exit code when it gives a failure,
  /// which is printed, or the faults of the scenario that it found; of one that `cut_off` saw what
  /// bounds alone say of the design is delivered.
  template <class Found, class Ask>
  [[nodiscard]] std::optional<int> answer(std::optional<Found>& out, const Ask& ask,
                                          client::Passes passes = client::Passes::several) {
    ProgressBar bar(options_, passes);
    bar.when_long([this](const std::string& about) { return long_ahead(about); });
    Diagnostics faults;
    client::Question question = question_of(options_, bar);
    question.faults = &faults;
    bar.show(0.0);
    Result<Found> found = ask(*session_, question);
    bar.clear();
    if (cut_) print_error("stallcast: " + cut_->message, cut_->hint);
    if (!found.ok() && cut_)
      return deliver(client::bounds_alone(*session_, design(), *cut_), ExitCode::inconclusive);
    if (!found.ok()) return refuse(found.failure(), faults);
    out = std::move(found).value();
    return std::nullopt;
  }
  /// Whether the time limit or an interrupt came before `found` was made. Its failure is then
  /// printed, what the verb reports instead is partial, and the exit code 3.
  template <class Found>
  [[nodiscard]] bool cut_off(const Result<Found>& found) {
    if (found.ok() || found.failure().exit != ExitCode::inconclusive) return false;
    cut_ = found.failure();
    return true;
  }
  /// After `answer`.
  [[nodiscard]] bool cut_off() const { return cut_.has_value(); }
  /// The design predicted, as `answer` does; where it is cut off, what bounds alone say.
  [[nodiscard]] std::optional<int> predict(std::optional<Prediction>& out);
  /// Writes the file of --trace, where that is wanted, and says on standard error what is in it.
  /// The exit code when it could not be written.
  [[nodiscard]] std::optional<int> trace(const TraceOptions& wanted, const Prediction& prediction);
  /// Adds changes that help, unless they are unwanted, and for a page what happens when, in what is
  /// left of the time limit.
  void complete(Prediction& prediction);
  /// Whether changes are to be tried.
  [[nodiscard]] bool advised() const { return !no_advice_; }

  /// What the verb has of its own on its command line; a page tells how it is made again.
  void repeat_with(std::vector<std::string> words) { words_ = std::move(words); }

  /// Renders what the verb found and writes it where the user said. The exit code.
  template <class Found>
  [[nodiscard]] int deliver(const Found& found, ExitCode exit) const {
    return deliver(found, exit, style());
  }
  /// The same, in a style of the verb's own.
  template <class Found>
  [[nodiscard]] int deliver(const Found& found, ExitCode exit, const report::Style& style) const {
    return cli::deliver(options_, report::render(found, context(), format_, style), exit);
  }
  [[nodiscard]] report::Style style() const { return report_style(options_); }

 private:
  /// What is said before a simulation that takes long: what bounds alone tell.
  [[nodiscard]] std::string long_ahead(const std::string& about) const;
  [[nodiscard]] report::ReportContext context() const;
  [[nodiscard]] int refuse(const Failure& failure, Diagnostics& faults) const;

  CommandLine line_;
  std::string_view verb_;
  Advice advice_;
  report::Pages pages_;
  bool no_advice_ = false, few_ = false;
  std::optional<std::int64_t> draws_;
  std::string path_;
  CommonOptions options_;
  report::Format format_{};
  std::optional<client::Session> session_;
  std::optional<Scenario> scenario_;
  std::optional<Timeline> timeline_;
  std::optional<Failure> cut_;
  std::function<std::string(const std::string&)> tell_;
  std::vector<std::string> words_;
};

}  // namespace stallcast::cli
