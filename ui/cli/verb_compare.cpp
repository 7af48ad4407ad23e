#include <algorithm>

#include "ui/app/compare.hpp"
#include "ui/app/diff_input.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/design_context.hpp"

namespace stallcast::cli {
namespace {

struct CompareWords {
  std::vector<std::string> files;
  std::optional<std::int64_t> draws;
  bool no_gains = false;
};

/// The variants of a scenario that was named alone, as FILE#VARIANT: of the same text.
std::vector<client::DiffOperand> variants_of(const client::DiffOperand& alone) {
  std::vector<client::DiffOperand> out;
  if (!alone.input.scenario || !alone.file.variant.empty()) return out;
  for (const std::string& variant : alone.input.scenario->variants()) {
    client::DiffOperand& one = out.emplace_back();
    one.input.name = alone.input.name + "#" + variant;
    one.file = alone.file;
    one.file.variant = variant;
    one.folder = alone.folder;
    one.shown = alone.shown;
  }
  return out;
}

/// Reads what is compared, the variants of one scenario, too; false when one gives no design.
Result<bool> read_operands(const client::Session& session, const CompareWords& words,
                           const CommonOptions& options, std::vector<client::DiffOperand>& out) {
  bool read = true;
  Diagnostics said;  // variants of one file have its warnings
  for (const std::string& word : words.files) {
    auto operand = client::read_diff_operand(word, source_of(word == "-" ? "-" : "", options),
                                             options.profile);
    if (!operand.ok()) return operand.failure();
    if (!operand->sweep.empty())
      return Failure{ExitCode::bad_input, "\"" + word + "\" is a sweep",
                     "\"stallcast diff\" compares two of them"};
    read = read_scenario(session, *operand, options.quiet, said) && read;
    out.push_back(std::move(*operand));
  }
  if (out.size() > 1) return read;
  for (client::DiffOperand& variant : variants_of(out.front())) {
    read = read_scenario(session, variant, options.quiet, said) && read;
    out.push_back(std::move(variant));
  }
  return read;
}

/// Nothing of it was simulated.
bool is_cut_off(const ComparedDesign& design) { return design.prediction.method == "estimate"; }

void say_cut_off(const ComparedDesign& design, bool recorded) {
  const std::vector<std::string>& why = design.prediction.warnings;
  print_error("stallcast: " + design.name + ": " +
                  (why.empty() ? "figures are those of bounds alone" : why.front()),
              std::string(recorded ? "run it again: " : "") +
                  "allow more with --time-limit, or simulate less: a shorter run, fewer replicas");
}

ExitCode compare_exit(const SideBySide& comparison) {
  bool asked = false, unsure = false;
  if (std::ranges::any_of(comparison.designs, is_cut_off)) return ExitCode::inconclusive;
  for (const ComparedDesign& d : comparison.designs) {
    if (d.prediction.verdict == Verdict::pass) return ExitCode::ok;
    asked = asked || d.prediction.verdict != Verdict::none;
    unsure = unsure || d.prediction.verdict == Verdict::inconclusive;
  }
  return !asked ? ExitCode::ok : unsure ? ExitCode::inconclusive : ExitCode::answer_no;
}

}  // namespace

int compare_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  CompareWords words;
  CommandLine line(verb);
  line.positionals("FILE", words.files,
                   "scenarios, FILE#VARIANT, results of run --format json, or REV:path; one file "
                   "alone: it and its variants");
  line.scenario_options(options);
  line.integer("--draws", words.draws, 0,
               "simulations with inputs drawn from what they may be (default: as many as fit about "
               "a second; 0: no intervals)");
  line.flag("--no-gains", words.no_gains, "do not find by simulation what limits each");
  line.simulation_options(options);
  line.format_option(options, report::Pages::page);
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const auto format = report::parse_format(options.format, report::Pages::page);
  if (!format.ok()) return report_failure(format.failure());
  if (words.draws && *words.draws > 0 &&
      *words.draws < static_cast<std::int64_t>(client::kFewestDraws))
    return refuse("--draws: fewer than " + std::to_string(client::kFewestDraws) +
                  " say nothing of an interval");

  client::Session session(settings_of(options));
  session.warm_up();
  if (std::count(words.files.begin(), words.files.end(), "-") > 1)
    return refuse("only one of them can be standard input");
  std::vector<client::DiffOperand> operands;
  const Result<bool> read = read_operands(session, words, options, operands);
  if (!read.ok()) return report_failure(read.failure());
  if (!*read) return static_cast<int>(ExitCode::bad_input);
  std::vector<client::DiffInput> inputs;
  for (const client::DiffOperand& operand : operands) inputs.push_back(operand.input);

  ProgressBar bar(options);
  Diagnostics faults;
  client::RunQuestion question;
  question.predict = question_of(options, bar);
  question.predict.faults = &faults;
  question.gains = !words.no_gains;
  question.advise = question.timeline = false;
  question.bounds = true;
  if (words.draws) question.draws = static_cast<std::size_t>(*words.draws);
  bar.show(0.0);
  std::size_t failed = 0;
  const Result<SideBySide> found = client::compare(session, inputs, question, failed);
  bar.clear();
  if (!found.ok() && faults.has_errors()) {
    inputs[failed].scenario->locate(faults);
    client::show_places(operands[failed], faults);
    print_diagnostics(faults, options.quiet);
    return static_cast<int>(ExitCode::bad_input);
  }
  if (!found.ok()) return report_failure(found.failure());
  for (std::size_t i = 0; i < found->designs.size(); ++i)
    if (is_cut_off(found->designs[i])) say_cut_off(found->designs[i], inputs[i].result.has_value());
  return deliver(options,
                 report::render(*found, report::tool_context(client::version()), *format,
                                report_style(options)),
                 compare_exit(*found));
}

}  // namespace stallcast::cli
