#include <array>
#include <limits>

#include "ui/app/run_report.hpp"
#include "ui/app/sweep_file.hpp"
#include "ui/app/sweep_launch.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/sweep.hpp"

namespace stallcast::cli {
namespace {

/// What every form of the verb can show of a sweep.
struct Show {
  std::vector<std::string> metrics;
  bool wide = false;
  bool need_pass = false;
};

constexpr std::string_view kKeepIn = "keep the sweep in this SQLite file";

void declare(CommandLine& line, Show& show) {
  line.texts("--metric", show.metrics, "NAME",
             "show this metric; NAME:min or NAME:max makes it a goal of the Pareto front, also "
             "for something varied; * for any text; repeatable");
  line.flag("--wide", show.wide, "with --format csv: a row per point");
  line.flag("--need-pass", show.need_pass, "exit 1 unless a point meets all targets");
}

/// Simulations beyond one a core: most are short, and while some begin and end, others compute.
constexpr unsigned kAhead = 2;

void declare_simulation(CommandLine& line, CommonOptions& options) {
  options.time_limit_s = std::numeric_limits<double>::infinity();
  line.run_options(options, kAhead);
}

void declare(CommandLine& line, client::SweepRequest& input, CommonOptions& options) {
  line.texts("--vary", input.varied, "PATH=VALUES",
             "vary a value of the scenario: a,b,c or from..to:n or from..to:n:log; repeatable");
  line.text("--mode", input.mode, "MODE", "product (default), zip, latin:N or sobol:N");
  line.integer("--sample-seed", input.sample_seed, 0, "seed of latin and sobol (default 0)");
  line.scenario_options(options);
}

bool is_database(std::string_view file) {
  return file.ends_with(".db") || file.ends_with(".sqlite") || file.ends_with(".sqlite3");
}

/// The exit code of what a sweep has become, one for all verbs; prints why it `ended` early.
ExitCode exit_of(const SweepReport& sweep, const Show& show,
                 const std::optional<Failure>& ended = std::nullopt) {
  ExitCode worst = ExitCode::ok;
  for (const SweepRow& row : sweep.rows)
    if (row.outcome && row.outcome->failed)
      worst = worst == ExitCode::internal ? worst : row.outcome->exit;
  if (ended) {
    print_error("stallcast sweep: " + ended->message, ended->hint);
    return worst == ExitCode::internal ? worst : ended->exit;
  }
  const SweepReport::Counts counts = sweep.counts();
  if (worst != ExitCode::ok) return worst;
  if (counts.missing > 0) return ExitCode::inconclusive;
  if (!show.need_pass || counts.meet > 0) return ExitCode::ok;
  return counts.unsure > 0 ? ExitCode::inconclusive : ExitCode::answer_no;
}

/// Prints the sweep as far as it is. `ended` is why it is no farther.
/// Parts that were not used, and what to do with them.
void say_left_out(const SweepReport& sweep) {
  for (const Failure& part : sweep.left_out) print_error(part.message, part.hint);
}

int report_sweep(SweepReport sweep, const Show& show, const CommonOptions& options,
                 report::Format format, const std::optional<Failure>& ended) {
  say_left_out(sweep);
  const std::optional<std::string> fault = client::choose_columns(sweep, show.metrics);
  ExitCode exit = exit_of(sweep, show, ended);
  if (fault) {
    print_error("stallcast sweep: " + *fault, "\"--metric '*' --format csv\" lists all");
    if (exit == ExitCode::ok) exit = ExitCode::bad_input;
  }
  return deliver(options, report::render(sweep, {report_style(options), format, show.wide}), exit);
}

std::optional<Failure> run_sweep(client::SweepFile& sweep, const CommonOptions& options,
                                 bool retry = false) {
  ProgressBar bar(options);
  client::SweepFile::Run how;
  how.settings = settings_of(options);
  how.time_limit_s = options.time_limit_s;
  how.retry = retry;
  how.on_progress = [&bar](std::size_t done, std::size_t all) {
    bar.show(all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all),
             std::to_string(done) + " of " + std::to_string(all) + " designs");
  };
  return sweep.run(how);
}

/// `sweep SCENARIO` and `sweep plan SCENARIO`.
int from_scenario(const Verb& verb, std::span<const std::string> args, bool is_run) {
  CommandLine line(verb);
  std::string scenario;
  client::SweepRequest input;
  CommonOptions options;
  Show show;
  line.positional("SCENARIO", scenario,
                  is_run
                      ? "scenario file, - for standard input; or plan, run, status, collect, retry "
                        "(each has --help)"
                      : "scenario file, - for standard input");
  declare(line, input, options);
  line.integer("--seed", options.seed, 0, "first random seed of every point");
  line.integer("--replicas", options.replicas, 1, "simulations of every point");
  std::optional<std::int64_t> draws;
  line.integer("--draws", draws, 0,
               "simulations of every point with its inputs drawn from what they may be, for "
               "intervals of its figures; 0 (default): none");
  if (is_run) {
    declare_simulation(line, options);
    declare(line, show);
  }
  std::string store;
  line.text("--store", store, "FILE", std::string(kKeepIn));
  line.format_option(options, report::Pages::page);
  if (is_run)
    line.output_options(options);
  else
    line.output_options(options, kKeepIn);
  if (const auto exit = line.parse(args)) return *exit;
  const auto format = report::parse_format(options.format, report::Pages::page);
  if (!format.ok()) return report_failure(format.failure());
  // A plan is nothing but its file; and a report is not called sweep.db.
  if (store.empty() && (!is_run || is_database(options.output))) std::swap(store, options.output);
  if (draws.value_or(0) > 0 && *draws < static_cast<std::int64_t>(client::kFewestDraws))
    return refuse("so few draws say nothing of an interval",
                  "give at least " + std::to_string(client::kFewestDraws) + ", or 0 for none");
  if (!is_run && store.empty())
    return refuse("where should the plan be kept?",
                  "write --store sweep.db; \"stallcast sweep SCENARIO\" plans and runs at once");

  Diagnostics faults;
  input.source = source_of(scenario, options);
  input.seed = options.seed;
  input.replicas = options.replicas;
  input.draws = static_cast<std::size_t>(draws.value_or(0));
  input.profile = options.profile;
  input.version = client::version().program;
  Result<client::SweepFile> sweep = client::SweepFile::create(store, input, faults);
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors()) return static_cast<int>(ExitCode::bad_input);
  if (!sweep.ok()) return report_failure(sweep.failure());
  std::optional<Failure> ended;
  if (const auto fault = client::refused_columns(*sweep, show.metrics))
    return report_failure(*fault);
  if (is_run) ended = run_sweep(*sweep, options);
  Result<SweepReport> report = sweep->report();
  if (!report.ok()) return report_failure(report.failure());
  if (is_run) return report_sweep(*std::move(report), show, options, *format, ended);
  return deliver(options, report::render_status(*report, {report_style(options), *format, false}),
                 ExitCode::ok);
}

int sweep_plan(const Verb& verb, std::span<const std::string> args) {
  return from_scenario(verb, args, false);
}

/// What `run`, `retry`, `status` and `collect` have in common.
struct FromFile {
  explicit FromFile(const Verb& verb) : line(verb) {
    line.positional("FILE", path, "SQLite file of \"stallcast sweep plan\"");
  }

  std::optional<int> begin(std::span<const std::string> args) {
    declare(line, show);
    line.format_option(options, report::Pages::page);
    line.output_options(options);
    if (const auto exit = line.parse(args)) return *exit;
    const auto parsed = report::parse_format(options.format, report::Pages::page);
    if (!parsed.ok()) return report_failure(parsed.failure());
    format = *parsed;
    return std::nullopt;
  }

  CommandLine line;
  std::string path;
  CommonOptions options;
  Show show;
  report::Format format{};
};

void declare(CommandLine& line, client::SweepLaunch& launch) {
  line.text("--engine", launch.engine, "NAME",
            "print the script or manifest that runs all parts on slurm, mpi, k8s or parallel");
  line.integer("--shards", launch.parts, 1, "with --engine: how many parts (default 8)");
  line.flag("--submit", launch.submit, "with --engine: submit it instead of printing it");
  line.text("--image", launch.image, "IMAGE", "with --engine k8s: container with stallcast");
  line.text("--claim", launch.claim, "NAME", "with --engine k8s: volume claim with the sweep");
}

int launch_file(client::SweepLaunch launch, const std::string& path, const CommonOptions& options) {
  launch.path = path;
  launch.time_limit_s = options.time_limit_s;
  const Result<std::string> made = client::launch_sweep(launch);
  if (!made.ok()) return report_failure(made.failure());
  return launch.submit ? static_cast<int>(ExitCode::ok) : deliver(options, *made, ExitCode::ok);
}

int run_file(const Verb& verb, std::span<const std::string> args, bool retry) {
  FromFile common(verb);
  std::string shard;
  declare_simulation(common.line, common.options);
  common.line.text("--shard", shard, "I/N",
                   "simulate the I-th of N parts (default: what Slurm, MPI, Kubernetes or GNU "
                   "parallel say of this process, else all)");
  client::SweepLaunch launch;
  if (!retry) declare(common.line, launch);
  if (const auto exit = common.begin(args)) return *exit;
  const CommonOptions& options = common.options;
  if (!launch.engine.empty()) return launch_file(launch, common.path, options);
  Result<client::SweepFile> file = client::SweepFile::open_part(common.path, shard);
  if (!file.ok()) return report_failure(file.failure());
  if (const auto fault = client::refused_columns(*file, common.show.metrics))
    return report_failure(*fault);
  const bool is_part = !file->part().empty();
  if (is_part && !options.quiet) print_error("part " + file->part(), "");
  const std::optional<Failure> ended = run_sweep(*file, options, retry);
  Result<SweepReport> sweep = file->report();
  if (!sweep.ok()) return report_failure(sweep.failure());
  if (is_part)
    return deliver(options,
                   report::render_status(*sweep, {report_style(options), common.format, false}),
                   exit_of(*sweep, common.show, ended));
  return report_sweep(*std::move(sweep), common.show, options, common.format, ended);
}

int sweep_run(const Verb& verb, std::span<const std::string> args) {
  return run_file(verb, args, false);
}

int sweep_retry(const Verb& verb, std::span<const std::string> args) {
  return run_file(verb, args, true);
}

int sweep_status(const Verb& verb, std::span<const std::string> args) {
  FromFile common(verb);
  if (const auto exit = common.begin(args)) return *exit;
  const Result<client::SweepFile> file = client::SweepFile::open(common.path, true);
  if (!file.ok()) return report_failure(file.failure());
  const Result<SweepReport> sweep = file->report();
  if (!sweep.ok()) return report_failure(sweep.failure());
  say_left_out(*sweep);
  return deliver(
      common.options,
      report::render_status(*sweep, {report_style(common.options), common.format, false}),
      exit_of(*sweep, common.show));
}

int sweep_collect(const Verb& verb, std::span<const std::string> args) {
  FromFile common(verb);
  if (const auto exit = common.begin(args)) return *exit;
  Result<client::SweepFile> file = client::SweepFile::open(common.path);
  if (!file.ok()) return report_failure(file.failure());
  Result<SweepReport> sweep = file->collect();
  if (!sweep.ok()) return report_failure(sweep.failure());
  return report_sweep(*std::move(sweep), common.show, common.options, common.format, std::nullopt);
}

constexpr std::array kForms{
    Verb{"sweep plan", "", "resolve all points of a sweep and keep them in a file", sweep_plan},
    Verb{"sweep run", "", "simulate what a sweep lacks, or one of several parts of it", sweep_run},
    Verb{"sweep status", "", "how far a sweep is", sweep_status},
    Verb{"sweep collect", "", "bring the parts of a sweep together and show it", sweep_collect},
    Verb{"sweep retry", "", "simulate the points again that failed", sweep_retry},
};

}  // namespace

int sweep_verb(const Verb& verb, std::span<const std::string> args) {
  if (!args.empty())
    for (const Verb& form : kForms)
      if (form.name.substr(6) == args.front()) return form.run(form, args.subspan(1));
  return from_scenario(verb, args, true);
}

}  // namespace stallcast::cli
