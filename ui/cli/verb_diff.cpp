#include <array>

#include "engine/base/glob.hpp"
#include "engine/decide/predict/compare.hpp"
#include "ui/app/diff.hpp"
#include "ui/app/diff_input.hpp"
#include "ui/app/sweep_diff.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/diff/kinds.hpp"

namespace stallcast::cli {
namespace {

struct DiffWords {
  std::string base, head;
  std::vector<std::string> head_sets;
  std::string attribute = "auto";
  std::string min_change = "0.5%";
  bool no_advice = false;
  bool exit_code = false;
};

constexpr std::array kAttributions = {
    Choice{"auto", Attribution::automatic}, Choice{"oat", Attribution::one_at_a_time},
    Choice{"shapley", Attribution::shapley}, Choice{"none", Attribution::none}};

void declare(CommandLine& line, CommonOptions& options, client::DiffQuestion& question,
             DiffWords& words) {
  line.positional(
      "BASE", words.base,
      "scenario file, FILE#VARIANT, result of run --format json, file of sweep --store, or "
      "REV:path");
  line.positional("HEAD", words.head, "the same, to compare with it");
  line.texts("--set", words.head_sets, "PATH=VALUE",
             "override a value of HEAD, as in storage.ost.count=48; repeatable");
  line.flag("--exit-code", words.exit_code, "exit 1 when something changed");
  line.text("--metrics", question.metrics, "GLOB",
            "compare only these metrics, as in \"job.*\"; * stands for any text");
  line.text("--min-change", words.min_change, "SHARE",
            "smaller relative moves of a metric do not count (default 0.5%)");
  line.text("--attribute", words.attribute, "METHOD",
            "who is to blame: shapley, oat (one at a time), none, or auto (default): shapley up "
            "to 6 changes");
  line.flag("--no-advice", words.no_advice, "do not find by simulation what limits them");
  line.text("--profile", options.profile, "FILE",
            "take fitted values from this calibration profile");
  line.simulation_options(options);
  line.text("--format", options.format, "NAME", "text (default), json, markdown, html or csv");
  line.output_options(options);
}

std::optional<Failure> settle(const CommonOptions& options, const DiffWords& words,
                              client::DiffQuestion& question) {
  if (auto bad = choose("--attribute", words.attribute, kAttributions, question.attribute))
    return bad;
  const auto least = predict::parse_tolerance(words.min_change);
  if (!least.ok() || words.min_change.find('=') != std::string::npos)
    return Failure{ExitCode::bad_input, "--min-change: \"" + words.min_change + "\" is not a share",
                   "write 0.5%"};
  question.min_change = least->relative;
  question.gains = !words.no_advice;
  if (report::find_diff_kind(options.format) == nullptr)
    return Failure{ExitCode::bad_input, "unknown format \"" + options.format + "\"",
                   "use text, json, markdown, html, csv"};
  if (words.base == "-" && words.head == "-")
    return Failure{ExitCode::bad_input, "only one of the two can be standard input", ""};
  return std::nullopt;
}

Failure no_metric(const std::string& pattern) {
  return {ExitCode::bad_input, "--metrics: no metric matches \"" + pattern + "\"",
          "\"stallcast run --format csv\" lists them"};
}

/// A pattern that is for no metric is a fault, never "nothing changed".
std::optional<Failure> check_pattern(const Diff& diff, const std::string& pattern) {
  for (const DiffSide* side : {&diff.base, &diff.head})
    for (const auto& [name, metric] : side->prediction.metrics)
      if (base::matches_metric(pattern, name)) return std::nullopt;
  return no_metric(pattern);
}

int deliver_diff(const CommonOptions& options, const std::string& text, ExitCode exit,
                 bool changed) {
  if (exit == ExitCode::ok && changed) exit = ExitCode::answer_no;
  return deliver(options, text, exit);
}

report::DiffContext context_of(const CommonOptions& options) {
  return {report::tool_context(client::version()), report_style(options)};
}

int diff_designs(const CommonOptions& options, const DiffWords& words,
                 client::DiffQuestion question, client::DiffOperand& base,
                 client::DiffOperand& head) {
  client::Session session(settings_of(options));
  session.warm_up();
  Diagnostics said;
  const bool base_reads = read_scenario(session, base, options.quiet, said);
  if (!read_scenario(session, head, options.quiet, said) || !base_reads)
    return static_cast<int>(ExitCode::bad_input);
  ProgressBar bar(options, client::Passes::several);
  Diagnostics faults;
  question.predict = question_of(options, bar);
  question.predict.faults = &faults;
  bar.show(0.0);
  Result<Diff> found = session.diff(base.input, head.input, question);
  bar.clear();
  if (!found.ok() && faults.has_errors()) {
    for (const client::DiffOperand* operand : {&base, &head}) client::show_places(*operand, faults);
    print_diagnostics(faults, options.quiet);
    return static_cast<int>(ExitCode::bad_input);
  }
  if (!found.ok() && found.failure().exit != ExitCode::inconclusive)
    return report_failure(found.failure());
  if (!found.ok()) {
    const Failure cut = found.failure();
    print_error("stallcast: " + cut.message, cut.hint);
    found = client::inputs_alone(base.input, head.input, cut);
  } else if (const auto failure = check_pattern(*found, question.metrics))
    return report_failure(*failure);
  client::show_places(base, head, *found);
  const report::DiffKind* kind = report::find_diff_kind(options.format);
  return deliver_diff(options, kind->render(*found, context_of(options)), found->exit,
                      words.exit_code && found->changed());
}

int diff_sweeps(const CommonOptions& options, const DiffWords& words,
                const client::DiffQuestion& question, const client::DiffOperand& base,
                const client::DiffOperand& head) {
  auto found = client::diff_sweeps(base.sweep, head.sweep, question);
  if (!found.ok()) return report_failure(found.failure());
  if (!found->has_value()) return report_failure(no_metric(question.metrics));
  SweepDiff& diff = **found;
  diff.base = base.input.name;
  diff.head = head.input.name;
  const report::DiffKind* kind = report::find_diff_kind(options.format);
  return deliver_diff(options, kind->render_sweeps(diff, context_of(options)),
                      diff.unfinished > 0 ? ExitCode::inconclusive : ExitCode::ok,
                      words.exit_code && diff.changed());
}

}  // namespace

int diff_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  client::DiffQuestion question;
  DiffWords words;
  CommandLine line(verb);
  declare(line, options, question, words);
  if (const auto exit = line.parse(args)) return *exit;
  if (const auto failure = settle(options, words, question)) return report_failure(*failure);

  Result<client::DiffOperand> base = client::read_diff_operand(
      words.base, source_of(words.base == "-" ? "-" : "", options), options.profile);
  if (!base.ok()) return report_failure(base.failure());
  ScenarioFile changed = source_of(words.head == "-" ? "-" : "", options);
  changed.sets.insert(changed.sets.end(), words.head_sets.begin(), words.head_sets.end());
  Result<client::DiffOperand> head =
      client::read_diff_operand(words.head, changed, options.profile);
  if (!head.ok()) return report_failure(head.failure());
  if (base->sweep.empty() != head->sweep.empty())
    return refuse("a sweep can only be compared with a sweep",
                  "give two sweeps, or two scenarios or results");
  if (!words.head_sets.empty() && (head->input.result || !head->sweep.empty()))
    return refuse("--set is for a HEAD that is a scenario");
  if ((base->input.result || head->input.result || !base->sweep.empty()) &&
      (question.attribute == Attribution::one_at_a_time ||
       question.attribute == Attribution::shapley))
    return refuse("--attribute " + words.attribute + " needs two scenarios to simulate",
                  "leave it out for results and sweeps");
  if (!base->sweep.empty()) return diff_sweeps(options, words, question, *base, *head);
  return diff_designs(options, words, question, *base, *head);
}

}  // namespace stallcast::cli
