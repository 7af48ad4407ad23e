#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>

#include "engine/decide/sweep/pareto.hpp"
#include "engine/decide/sweep/runner.hpp"
#include "engine/decide/sweep/store.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "ui/app/sweep_plan.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/sweep_launch.hpp"
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

/// The exit code of what a sweep has become, one for all verbs.
ExitCode exit_of(const SweepReport& sweep, const Show& show) {
  ExitCode worst = ExitCode::ok;
  for (const SweepRow& row : sweep.rows)
    if (row.outcome && row.outcome->failed)
      worst = worst == ExitCode::internal ? worst : row.outcome->exit;
  const SweepReport::Counts counts = sweep.counts();
  if (worst != ExitCode::ok) return worst;
  if (counts.missing > 0) return ExitCode::inconclusive;
  return show.need_pass && counts.meet == 0 ? ExitCode::answer_no : ExitCode::ok;
}

/// Prints the sweep as far as it is. `ended` is why it is no farther.
int report_sweep(SweepReport sweep, const Show& show, const CommonOptions& options,
                 report::Format format, bool to_file, const std::optional<Failure>& ended) {
  std::optional<std::string> fault;
  sweep.columns = sweep::columns_of(sweep, show.metrics, fault);
  sweep::mark_front(sweep);
  const SweepReport::Counts counts = sweep.counts();
  ExitCode exit = exit_of(sweep, show);
  if (ended) {
    print_error("stallcast sweep: " + ended->message, ended->hint);
    if (exit != ExitCode::internal) exit = ended->exit;
  }
  // Metrics are known once there is a result.
  if (fault && counts.done > 0) {
    print_error("stallcast sweep: " + *fault, "\"--metric '*' --format csv\" lists all");
    if (exit == ExitCode::ok) exit = ExitCode::bad_input;
  }
  CommonOptions where = options;
  if (!to_file) where.output.clear();
  return deliver(where, report::render(sweep, {report_style(where), format, show.wide}), exit);
}

std::optional<Failure> run_store(const sweep::Store& plan, sweep::Store& results,
                                 const CommonOptions& options, std::optional<sweep::Shard> shard,
                                 bool retry) {
  ProgressBar bar(options);
  sweep::RunOptions how;
  how.predict = predict_options(options, bar);
  how.shard = std::move(shard);
  how.retry = retry;
  how.on_progress = [&bar](std::size_t done, std::size_t all) {
    bar.show(all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all),
             std::to_string(done) + " of " + std::to_string(all) + " designs");
  };
  auto draws = client::draws_of(plan);
  if (!draws.ok()) return draws.failure();
  how.predict.vary = std::move(draws).value();
  return sweep::run(plan, results, how);
}

/// `sweep SCENARIO` and `sweep plan SCENARIO`.
int from_scenario(const Verb& verb, std::span<const std::string> args, bool run) {
  CommandLine line(verb);
  std::string scenario;
  client::SweepRequest input;
  CommonOptions options;
  Show show;
  line.positional("SCENARIO", scenario,
                  run ? "scenario file, - for standard input; or plan, run, status, collect, retry "
                        "(each has --help)"
                      : "scenario file, - for standard input");
  declare(line, input, options);
  line.integer("--seed", options.seed, 0, "first random seed of every point");
  line.integer("--replicas", options.replicas, 1, "simulations of every point");
  if (run) {
    declare_simulation(line, options);
    declare(line, show);
  }
  line.format_option(options, true);
  line.output_options(options, kKeepIn);
  if (const auto exit = line.parse(args)) return *exit;
  const auto format = report::parse_format(options.format, true);
  if (!format.ok()) return report_failure(format.failure());
  if (!run && options.output.empty())
    return report_failure(
        {ExitCode::bad_input, "where should the plan be kept?",
         "write -o sweep.db; \"stallcast sweep SCENARIO\" plans and runs at once"});

  Diagnostics faults;
  input.source = source_of(scenario, options);
  input.seed = options.seed;
  input.replicas = options.replicas;
  input.profile = options.profile;
  input.version = program_version();
  const auto plan = client::plan_sweep(input, faults);
  print_diagnostics(faults, options.quiet);
  if (!plan) return static_cast<int>(ExitCode::bad_input);
  Result<sweep::Store> store = sweep::Store::create(options.output, *plan);
  if (!store.ok()) return report_failure(store.failure());
  std::optional<Failure> ended;
  if (run) ended = run_store(*store, *store, options, std::nullopt, false);
  const Result<SweepReport> sweep = client::read_sweep(*store, options.output);
  if (!sweep.ok()) return report_failure(sweep.failure());
  if (run) return report_sweep(*sweep, show, options, *format, false, ended);
  options.output.clear();
  return deliver(options, report::render_status(*sweep, {report_style(options), *format, false}),
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
    line.format_option(options, true);
    line.output_options(options);
    if (const auto exit = line.parse(args)) return *exit;
    const auto parsed = report::parse_format(options.format, true);
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

Result<std::optional<sweep::Shard>> shard_of(const std::string& option) {
  if (option.empty()) return sweep::shard_from([](const char* name) { return std::getenv(name); });
  const auto parsed = sweep::parse_shard(option);
  if (!parsed.ok()) return parsed.failure();
  return std::optional(*parsed);
}

int run_file(const Verb& verb, std::span<const std::string> args, bool retry) {
  FromFile common(verb);
  std::string shard_option;
  declare_simulation(common.line, common.options);
  common.line.text("--shard", shard_option, "I/N",
                   "simulate the I-th of N parts (default: what Slurm, MPI, Kubernetes or GNU "
                   "parallel say of this process, else all)");
  LaunchOptions launch;
  if (!retry) declare(common.line, launch);
  if (const auto exit = common.begin(args)) return *exit;
  const CommonOptions& options = common.options;
  if (!launch.engine.empty()) {
    const auto plan = sweep::Store::open(common.path, true);
    return plan.ok() ? launch_sweep(launch, common.path, options) : report_failure(plan.failure());
  }
  const auto shard = shard_of(shard_option);
  if (!shard.ok()) return report_failure(shard.failure());

  const bool is_part = shard->has_value() && (*shard)->count > 1;
  Result<sweep::Store> plan = sweep::Store::open(common.path, is_part);
  if (!plan.ok()) return report_failure(plan.failure());
  std::optional<Failure> ended;
  if (is_part) {
    if (!options.quiet) print_error("part " + (*shard)->name() + " (" + (*shard)->source + ")", "");
    Result<sweep::Store> part = sweep::Store::open_part(common.path, (*shard)->name(), *plan);
    if (!part.ok()) return report_failure(part.failure());
    ended = run_store(*plan, *part, options, *shard, retry);
  } else {
    ended = run_store(*plan, *plan, options, std::nullopt, retry);
  }
  Result<SweepReport> sweep = client::read_sweep(*plan, common.path);
  if (!sweep.ok()) return report_failure(sweep.failure());
  if (is_part) {
    // A part answers for its own points.
    std::map<std::string, std::size_t> order;
    for (const SweepRow& row : sweep->rows) order.try_emplace(row.key, order.size());
    std::erase_if(sweep->rows,
                  [&](const SweepRow& row) { return !(*shard)->has(order.at(row.key)); });
    sweep->parts = 0;
    const auto text = report::render_status(*sweep, {report_style(options), common.format, false});
    ExitCode exit = exit_of(*sweep, common.show);
    if (ended) {
      print_error("stallcast sweep: " + ended->message, ended->hint);
      if (exit != ExitCode::internal) exit = ended->exit;
    }
    return deliver(options, text, exit);
  }
  return report_sweep(*std::move(sweep), common.show, options, common.format, true, ended);
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
  const Result<sweep::Store> store = sweep::Store::open(common.path, true);
  if (!store.ok()) return report_failure(store.failure());
  const Result<SweepReport> sweep = client::read_sweep(*store, common.path);
  if (!sweep.ok()) return report_failure(sweep.failure());
  return deliver(
      common.options,
      report::render_status(*sweep, {report_style(common.options), common.format, false}),
      exit_of(*sweep, common.show));
}

int sweep_collect(const Verb& verb, std::span<const std::string> args) {
  FromFile common(verb);
  if (const auto exit = common.begin(args)) return *exit;
  Result<sweep::Store> store = sweep::Store::open(common.path);
  if (!store.ok()) return report_failure(store.failure());
  const auto collected = store->collect(common.path);
  if (!collected.ok()) return report_failure(collected.failure());
  const Result<SweepReport> sweep = store->report();
  if (!sweep.ok()) return report_failure(sweep.failure());
  return report_sweep(*sweep, common.show, common.options, common.format, true, std::nullopt);
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
