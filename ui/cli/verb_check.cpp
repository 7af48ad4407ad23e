#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "engine/base/text.hpp"
#include "engine/base/whole_files.hpp"
#include "ui/app/check.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/design_context.hpp"

namespace stallcast::cli {
namespace {

/// "--report junit:out.xml"; no path: standard output.
struct ReportTarget {
  const report::CheckKind* kind = nullptr;
  std::string path;
};

constexpr std::array kInconclusive = {Choice{"fail", Inconclusive::fail},
                                      Choice{"warn", Inconclusive::warn},
                                      Choice{"pass", Inconclusive::pass}};
constexpr std::array kFailOn = {Choice{"error", FailOn::error}, Choice{"warn", FailOn::warn},
                                Choice{"never", FailOn::never}};

std::string kind_names() {
  std::string out;
  for (const report::CheckKind& kind : report::check_kinds())
    out += (out.empty() ? "" : ", ") + std::string(kind.name);
  return out;
}

Result<ReportTarget> parse_target(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  ReportTarget out{report::find_check_kind(name),
                   colon == std::string::npos ? "" : text.substr(colon + 1)};
  if (out.kind == nullptr)
    return Failure{ExitCode::bad_input, "unknown kind of report \"" + name + "\"",
                   "use " + kind_names()};
  if (colon != std::string::npos && out.path.empty())
    return Failure{ExitCode::bad_input, "--report " + text + " names no file",
                   "write --report " + name + ":FILE, or leave out the colon"};
  return out;
}

bool is_day(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0;
  char rest = '\0';
  return text.size() == 10 &&
         std::sscanf(text.c_str(), "%4d-%2u-%2u%c", &year, &month, &day, &rest) == 3 &&
         std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month),
                                     std::chrono::day(day))
             .ok();
}

/// What the command line says, as texts.
struct CheckWords {
  std::vector<std::string> scenarios;
  std::vector<std::string> asserts;
  std::string baseline;
  bool no_advice = false;
  std::vector<std::string> reports;
  std::vector<std::string> tolerances;
  std::string inconclusive;
  std::string fail_on;
  std::string tag = "check";
  std::string format;
};

void declare(CommandLine& line, CommonOptions& options, client::CheckRequest& wanted,
             CheckWords& words) {
  line.positionals("SCENARIO", words.scenarios, "scenario files; - reads standard input");
  line.texts(
      "--report", words.reports, "KIND[:PATH]",
      "report to a file, or to standard output without PATH; repeatable; kinds: " + kind_names());
  line.text("--format", words.format, "KIND", "as --report; with --output its file");
  line.texts("--assert", words.asserts, "EXPR",
             "one more assertion for every scenario, as in \"cost.capex <= 2 MUSD\"; repeatable");
  line.texts("--policy", wanted.policies, "FILE", "assertions for many scenarios; repeatable");
  line.text(
      "--baseline", words.baseline, "FILE|git:REV",
      "fail on what became worse since FILE was made, or since a revision; --set changes neither");
  line.flag("--update-baseline", wanted.baseline.update,
            "write what is predicted now to the file of --baseline");
  line.flag("--new-only", wanted.rules.new_only, "let pass what failed in the baseline, too");
  line.texts("--tolerance", words.tolerances, "METRIC=SHARE",
             "how far a metric may become worse, as in job.*.step.time=1% (default 0.5%)");
  line.flag("--allow-skew", wanted.rules.allow_skew,
            "compare with a baseline of other model versions");
  line.text("--fail-on", words.fail_on, "LEVEL",
            "exit 1 from this level on: error (default), "
            "warn, or never");
  line.text("--inconclusive", words.inconclusive, "fail|warn|pass",
            "what counts as inconclusive fails, warns or passes (default: exit 3)");
  line.text("--today", wanted.rules.today, "DATE",
            "the day on which waivers are judged (default: today, UTC)");
  line.text("--tag", words.tag, "NAME", "marks a comment, so that it is found again");
  line.flag("--no-advice", words.no_advice, "do not look for a fix by simulation");
  line.scenario_options(options);
  line.simulation_options(options);
  line.output_options(options);
}

std::optional<Failure> settle(const CommonOptions& options, const CheckWords& words,
                              client::CheckRequest& wanted, std::vector<ReportTarget>& targets) {
  CheckRules& rules = wanted.rules;
  if (!words.fail_on.empty())
    if (auto bad = choose("--fail-on", words.fail_on, kFailOn, rules.fail_on)) return bad;
  if (!words.inconclusive.empty())
    if (auto bad = choose("--inconclusive", words.inconclusive, kInconclusive, rules.inconclusive))
      return bad;
  for (const std::string& text : words.tolerances) {
    const auto tolerance = client::read_tolerance(text);
    if (!tolerance.ok()) return tolerance.failure();
    rules.tolerances.push_back(*tolerance);
  }
  std::vector<std::string> reports = words.reports;
  if (!words.format.empty() || !options.output.empty())
    reports.push_back(
        (words.format.empty() ? "text" : words.format) +
        (options.output.empty() || options.output == "-" ? "" : ":" + options.output));
  bool to_stdout = false;
  for (const std::string& text : reports) {
    const auto target = parse_target(text);
    if (!target.ok()) return target.failure();
    targets.push_back(*target);
    to_stdout = to_stdout || target->path.empty();
  }
  if (!to_stdout) targets.push_back({report::find_check_kind("text"), ""});

  constexpr std::string_view kGit = "git:";
  const bool git = words.baseline.starts_with(kGit);
  if (git)
    wanted.baseline.revision = words.baseline.substr(kGit.size());
  else
    wanted.baseline.file = words.baseline;
  if (wanted.baseline.update && wanted.baseline.file.empty())
    return Failure{ExitCode::bad_input, "--update-baseline needs a file to write to",
                   "give --baseline FILE"};
  if (wanted.baseline.update && !options.sets.empty())
    return Failure{ExitCode::bad_input,
                   "--set never changes a baseline: --update-baseline writes scenarios as they are",
                   "leave out one of the two, or write the change into the scenario"};
  if (rules.new_only && wanted.baseline.empty())
    return Failure{ExitCode::bad_input, "--new-only needs a baseline to know what is new",
                   "give --baseline FILE or --baseline git:REV"};
  const std::string& today = rules.today;
  if (!today.empty() && !is_day(today))
    return Failure{ExitCode::bad_input, "--today: \"" + today + "\" is not a date",
                   "write 2027-03-01"};
  if (words.tag.find("--") != std::string::npos || words.tag.find('>') != std::string::npos ||
      words.tag.find('\n') != std::string::npos)
    return Failure{ExitCode::bad_input, "--tag: \"" + words.tag + "\" would end the comment",
                   "use letters, digits and single dashes"};
  for (const std::string& that : words.asserts) {
    const auto assertion = client::read_assert(that, "--assert");
    if (!assertion.ok())
      return Failure{ExitCode::bad_input, "--assert: " + assertion.failure().message,
                     assertion.failure().hint};
    wanted.asserts.push_back(*assertion);
  }
  return std::nullopt;
}

/// Adds to the file that a CI system named, which may hold what other steps said.
bool append(const report::CheckKind& kind, const CheckReport& found,
            const report::CheckContext& context) {
  const char* path =
      kind.append_to.empty() ? nullptr : std::getenv(std::string(kind.append_to).c_str());
  if (path == nullptr || *path == '\0') return true;
  std::error_code error;
  const auto there = std::filesystem::file_size(path, error);
  const std::size_t used = error ? 0 : static_cast<std::size_t>(there);
  if (used >= kind.most_appended) return true;
  return base::append_file(path, kind.appended(found, context, kind.most_appended - used)).ok();
}

int deliver_all(const CommonOptions& options, const std::vector<ReportTarget>& targets,
                const CheckReport& found, const std::string& tag) {
  CommonOptions where = options;
  int exit = static_cast<int>(found.exit);
  for (const ReportTarget& target : targets) {
    where.output = target.path;
    report::CheckContext context;
    context.tool = report::tool_context(client::version());
    context.style = report_style(where);
    context.tag = tag;
    const int delivered =
        deliver(where, target.kind->render(found, context), static_cast<ExitCode>(exit));
    if (delivered != exit) exit = delivered;
    if (!append(*target.kind, found, context))
      exit = refuse("cannot append to the file of $" + std::string(target.kind->append_to));
  }
  return exit;
}

}  // namespace

int check_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  client::CheckRequest wanted;
  CheckWords words;
  CommandLine line(verb);
  declare(line, options, wanted, words);
  if (const auto exit = line.parse(args)) return *exit;
  std::vector<ReportTarget> targets;
  if (const auto failure = settle(options, words, wanted, targets)) return report_failure(*failure);
  for (const std::string& path : words.scenarios)
    wanted.scenarios.push_back({path, source_of(path, options)});
  ProgressBar bar(options);
  wanted.question = question_of(options, bar);
  wanted.advise = !words.no_advice;
  client::Session session(settings_of(options));
  session.warm_up();
  const Result<CheckReport> found = client::check(
      session, wanted,
      {.on_diagnostics = [&](const Diagnostics& d) { print_diagnostics(d, options.quiet); },
       .on_notice =
           [&](const std::string& message, const std::string& hint) {
             bar.clear();
             if (!options.quiet) print_error("stallcast check: " + message, hint);
           }});
  bar.clear();
  if (!found.ok()) return report_failure(found.failure());
  return deliver_all(options, targets, *found, words.tag);
}

}  // namespace stallcast::cli
