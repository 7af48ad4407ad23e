#include <algorithm>
#include <array>

#include "engine/base/glob.hpp"
#include "engine/decide/diff/change_list.hpp"
#include "engine/decide/diff/compare_sides.hpp"
#include "engine/decide/predict/compare.hpp"
#include "engine/decide/sweep/store.hpp"
#include "models/contract/version.hpp"
#include "ui/app/sweep_plan.hpp"
#include "ui/cli/diff_input.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/words.hpp"

namespace stallcast::cli {
namespace {

struct DiffWords {
  std::string base, head;
  std::vector<std::string> head_sets;
  std::string attribute = "auto";
  std::string min_change = "0.5%";
  bool exit_code = false;
};

constexpr std::array kAttributions = {
    std::pair{"auto", Attribution::automatic}, std::pair{"oat", Attribution::one_at_a_time},
    std::pair{"shapley", Attribution::shapley}, std::pair{"none", Attribution::none}};

void declare(CommandLine& line, CommonOptions& options, client::DiffQuestion& question,
             DiffWords& words) {
  line.positional("BASE", words.base,
                  "scenario file, FILE#VARIANT, result of run --format json, sweep, or REV:path");
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
  line.text("--profile", options.profile, "FILE",
            "take fitted values from this calibration profile");
  line.simulation_options(options);
  line.text("--format", options.format, "NAME", "text (default), json, markdown, html or csv");
  line.output_options(options);
}

std::optional<Failure> settle(const CommonOptions& options, const DiffWords& words,
                              client::DiffQuestion& question) {
  bool known = false;
  for (const auto& [word, method] : kAttributions)
    if (words.attribute == word) {
      question.attribute = method;
      known = true;
    }
  if (!known)
    return Failure{ExitCode::bad_input, "--attribute: unknown \"" + words.attribute + "\"",
                   "use auto, oat, shapley, none"};
  const auto least = predict::parse_tolerance(words.min_change);
  if (!least.ok() || words.min_change.find('=') != std::string::npos)
    return Failure{ExitCode::bad_input, "--min-change: \"" + words.min_change + "\" is not a share",
                   "write 0.5%"};
  question.min_change = least->relative;
  if (report::find_diff_kind(options.format) == nullptr)
    return Failure{ExitCode::bad_input, "unknown format \"" + options.format + "\"",
                   "use text, json, markdown, html, csv"};
  if (words.base == "-" && words.head == "-")
    return Failure{ExitCode::bad_input, "only one of the two can be standard input", ""};
  return std::nullopt;
}

/// Reads a scenario and prints what is wrong with it; false when it gives no design.
bool read_scenario(const client::Session& session, Operand& operand, bool quiet) {
  if (operand.input.result) return true;
  client::Reading reading = session.read(operand.file);
  show_places(operand, reading.diagnostics);
  print_diagnostics(reading.diagnostics, quiet);
  operand.input.scenario = std::move(reading.scenario);
  return operand.input.scenario.has_value();
}

Failure no_metric(const std::string& pattern) {
  return {ExitCode::bad_input, "--metrics: no metric matches \"" + pattern + "\"",
          "\"stallcast run --format csv\" lists them"};
}

/// A pattern that is for no metric is a fault, never "nothing changed".
std::optional<Failure> check_pattern(const Diff& diff, const std::string& pattern) {
  for (const DiffSide* side : {&diff.base, &diff.head})
    for (const auto& [name, metric] : side->prediction.metrics)
      if (base::matches_glob(pattern, name)) return std::nullopt;
  return no_metric(pattern);
}

int deliver_diff(const CommonOptions& options, const std::string& text, ExitCode exit,
                 bool changed) {
  if (exit == ExitCode::ok && changed) exit = ExitCode::answer_no;
  return deliver(options, text, exit);
}

report::DiffContext context_of(const CommonOptions& options) {
  return {{std::string(program_version()), std::string(models::kVersion), {}},
          report_style(options)};
}

int diff_designs(const CommonOptions& options, const DiffWords& words,
                 client::DiffQuestion question, Operand& base, Operand& head) {
  client::Session session(settings_of(options));
  session.warm_up();
  const bool base_reads = read_scenario(session, base, options.quiet);
  if (!read_scenario(session, head, options.quiet) || !base_reads)
    return static_cast<int>(ExitCode::bad_input);
  ProgressBar bar(options);
  Diagnostics faults;
  question.predict = question_of(options, bar);
  question.predict.faults = &faults;
  bar.show(0.0);
  Result<Diff> found = session.diff(base.input, head.input, question);
  bar.clear();
  if (!found.ok() && faults.has_errors()) {
    for (const Operand* operand : {&base, &head}) show_places(*operand, faults);
    print_diagnostics(faults, options.quiet);
    return static_cast<int>(ExitCode::bad_input);
  }
  if (!found.ok()) return report_failure(found.failure());
  if (const auto failure = check_pattern(*found, question.metrics)) return report_failure(*failure);
  show_places(base, head, *found);
  const report::DiffKind* kind = report::find_diff_kind(options.format);
  return deliver_diff(options, kind->render(*found, context_of(options)), found->exit,
                      words.exit_code && found->changed());
}

/// Inputs that differ between the designs of points that both sweeps have.
Result<std::vector<SweepInputChange>> sweep_inputs(const sweep::Store& base,
                                                   const sweep::Store& head,
                                                   const std::vector<SweepPair>& pairs) {
  constexpr std::size_t kAtATime = 256;
  std::vector<std::string> base_keys, head_keys;
  for (const SweepPair& pair : pairs)
    if (pair.base_key != pair.head_key) {
      base_keys.push_back(pair.base_key);
      head_keys.push_back(pair.head_key);
    }
  std::vector<SweepInputChange> out;
  for (std::size_t from = 0; from < base_keys.size(); from += kAtATime) {
    const std::size_t n = std::min(kAtATime, base_keys.size() - from);
    const auto was = base.designs(std::span(base_keys).subspan(from, n), 0);
    if (!was.ok()) return was.failure();
    const auto is = head.designs(std::span(head_keys).subspan(from, n), 0);
    if (!is.ok()) return is.failure();
    for (std::size_t k = 0; k < n; ++k)
      for (diff::InputStep& change : diff::changes((*was)[k], (*is)[k])) {
        const std::string text = report::change_text(change.said);
        const auto same = std::find_if(out.begin(), out.end(), [&](const SweepInputChange& known) {
          return report::change_text(known.change) == text;
        });
        if (same != out.end())
          ++same->points;
        else
          out.push_back({std::move(change.said), 1});
      }
  }
  return out;
}

int diff_sweeps(const CommonOptions& options, const DiffWords& words,
                const client::DiffQuestion& question, const Operand& base, const Operand& head) {
  const Operand* operands[2] = {&base, &head};
  std::vector<sweep::Store> stores;
  SweepReport reports[2];
  for (int i = 0; i < 2; ++i) {
    Result<sweep::Store> store = sweep::Store::open(operands[i]->sweep, true);
    if (!store.ok()) return report_failure(store.failure());
    Result<SweepReport> report = client::read_sweep(*store, operands[i]->sweep);
    if (!report.ok()) return report_failure(report.failure());
    stores.push_back(std::move(*store));
    reports[i] = std::move(*report);
  }
  SweepDiff found = diff::compare(reports[0], reports[1], {question.metrics, question.min_change});
  found.base = base.input.name;
  found.head = head.input.name;
  bool matches = false;
  for (const SweepReport& report : reports)
    for (const SweepRow& row : report.rows)
      if (row.outcome)
        for (const auto& [name, metric] : row.outcome->metrics)
          matches = matches || base::matches_glob(question.metrics, name);
  if (!matches && question.metrics != "*") return report_failure(no_metric(question.metrics));
  auto inputs = sweep_inputs(stores[0], stores[1], found.pairs);
  if (!inputs.ok()) return report_failure(inputs.failure());
  found.inputs = std::move(*inputs);
  const report::DiffKind* kind = report::find_diff_kind(options.format);
  return deliver_diff(options, kind->render_sweeps(found, context_of(options)),
                      found.unfinished > 0 ? ExitCode::inconclusive : ExitCode::ok,
                      words.exit_code && found.changed());
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

  Result<Operand> base = read_operand(words.base, options);
  if (!base.ok()) return report_failure(base.failure());
  CommonOptions head_options = options;
  head_options.sets.insert(head_options.sets.end(), words.head_sets.begin(), words.head_sets.end());
  Result<Operand> head = read_operand(words.head, head_options);
  if (!head.ok()) return report_failure(head.failure());
  if (base->sweep.empty() != head->sweep.empty())
    return report_failure({ExitCode::bad_input, "a sweep can only be compared with a sweep",
                           "give two sweeps, or two scenarios or results"});
  if (!words.head_sets.empty() && (head->input.result || !head->sweep.empty()))
    return report_failure({ExitCode::bad_input, "--set is for a HEAD that is a scenario", ""});
  if ((base->input.result || head->input.result || !base->sweep.empty()) &&
      (question.attribute == Attribution::one_at_a_time ||
       question.attribute == Attribution::shapley))
    return report_failure({ExitCode::bad_input,
                           "--attribute " + words.attribute + " needs two scenarios to simulate",
                           "leave it out for results and sweeps"});
  if (!base->sweep.empty()) return diff_sweeps(options, words, question, *base, *head);
  return diff_designs(options, words, question, *base, *head);
}

}  // namespace stallcast::cli
