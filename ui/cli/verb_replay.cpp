#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "calibration/observe/formats/trace_format.hpp"
#include "calibration/observe/replay/compile.hpp"
#include "engine/base/temporary_folder.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "stallcast/metric.hpp"
#include "ui/app/replay.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/replay.hpp"

namespace stallcast::cli {
namespace {

/// The program of a run: a file that goes with it, unless it is kept.
class ProgramFile {
 public:
  explicit ProgramFile(const std::string& kept) {
    if (!kept.empty()) path_ = std::filesystem::absolute(kept).lexically_normal().string();
  }
  /// False when there is no place for it.
  [[nodiscard]] bool make() {
    if (!path_.empty()) return true;
    auto folder = base::TemporaryFolder::make("replay");
    if (!folder.ok()) return false;
    folder_.emplace(std::move(folder).value());
    path_ = folder_->path() / "program";
    return true;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::optional<base::TemporaryFolder> folder_;
  std::string path_;
};

struct ReplayOptions {
  std::vector<std::string> paths, under, maps;
  std::string on, format, keep, speed = "keep";
  client::ReplayQuestion question;
  bool no_advice = false;
};

void declare(CommandLine& line, ReplayOptions& wanted, CommonOptions& options) {
  line.positionals("TRACE", wanted.paths, "trace of a job; several files of one job");
  line.text("--on", wanted.on, "SCENARIO", "scenario whose storage it is replayed on (required)");
  line.text("--storage", wanted.question.storage, "ID", "storage system, where there are several");
  line.texts("--map", wanted.maps, "PATH=ID",
             "PATH and files in it on this storage system instead; repeatable");
  line.text("--hosts", wanted.question.hosts, "ID", "host class, where there are several");
  line.integer("--per-host", wanted.question.per_host, 1,
               "processes on each host, in blocks (default: spread evenly; for iolog and strace "
               "each machine on one)");
  line.text("--speed", wanted.speed, "SPEED",
            "keep (default): the trace's time between operations; fast: none");
  line.flag("--direct", wanted.question.direct,
            "each call waits for the storage, past the memory of the hosts (O_DIRECT)");
  line.flag("--with-jobs", wanted.question.with_jobs,
            "beside the jobs, tenants and failures of the scenario");
  line.texts("--under", wanted.under, "PATH", "only PATH and files in it; repeatable");
  line.text("--trace-format", wanted.format, "FORMAT",
            "darshan-dxt, dftracer, iolog or strace, where the content does not tell");
  line.text("--keep-program", wanted.keep, "FILE",
            "keep what is replayed, for tenants of the type \"replay\"");
  line.flag("--no-advice", wanted.no_advice, "do not find by simulation what limits it");
  line.scenario_options(options);
  line.simulation_options(options);
  line.format_option(options, report::Pages::page);
  line.output_options(options);
}

Result<const calibration::TraceFormat*> format_of(const ReplayOptions& wanted) {
  std::vector<std::string> known;
  for (const calibration::TraceFormat& format : calibration::trace_formats())
    if (format.operations != nullptr) known.emplace_back(format.id);
  if (!wanted.format.empty()) {
    if (const auto* format = calibration::find_trace_format(wanted.format)) return format;
    return Failure{ExitCode::bad_input, "no importer reads \"" + wanted.format + "\"",
                   suggestion(wanted.format, known)};
  }
  const std::string& path = wanted.paths.front();
  if (const auto* format = calibration::recognise_trace(path)) return format;
  Failure why = calibration::why_no_trace(path);
  if (!why.message.empty()) return why;
  return Failure{ExitCode::bad_input, "the content of " + path + " does not tell its format",
                 "name it with --trace-format"};
}

}  // namespace

int replay_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  ReplayOptions wanted;
  CommandLine line(verb);
  declare(line, wanted, options);
  if (const auto exit = line.parse(args)) return *exit;
  if (wanted.on.empty()) return refuse("--on is missing", "stallcast replay TRACE --on SCENARIO");
  if (wanted.speed != "keep" && wanted.speed != "fast")
    return refuse("--speed: unknown \"" + wanted.speed + "\"", "use keep, fast");
  for (const std::string& map : wanted.maps) {
    const std::size_t at = map.rfind('=');
    if (at == map.npos || at == 0 || at + 1 == map.size())
      return refuse("--map: \"" + map + "\" is not PATH=ID", "--map /scratch=lustre");
    wanted.question.maps.emplace_back(map.substr(0, at), map.substr(at + 1));
  }
  const auto look = report::parse_format(options.format, report::Pages::page);
  if (!look.ok()) return report_failure(look.failure());
  const auto format = format_of(wanted);
  if (!format.ok()) return report_failure(format.failure());

  client::Session session(settings_of(options));
  ScenarioFile on = source_of(wanted.on, options);
  on.idle = true;  // hosts and storage are enough: the trace is what runs
  const client::Reading reading = session.read(on);
  print_diagnostics(reading.diagnostics, options.quiet);
  if (!reading.scenario) return static_cast<int>(ExitCode::bad_input);
  const Design& scenario = reading.scenario->design();
  // What the scenario has not is said before the trace is read.
  wanted.question.speed = wanted.speed;
  const auto early = client::replay_design(scenario, wanted.question);
  if (!early.ok()) return report_failure(early.failure());

  ProgramFile program(wanted.keep);
  if (!program.make()) return refuse("cannot make a temporary file", "set TMPDIR");
  Diagnostics faults;
  calibration::CompileOptions how;
  how.under = wanted.under;
  for (const auto& [path, id] : wanted.question.maps) {
    const auto& also = early->also;
    const auto place = std::find(also.begin(), also.end(), id);
    how.places.emplace_back(path, place == also.end() ? 0 : place - also.begin() + 1);
  }
  how.stop = [] { return run::interrupt_flag() != 0; };
  Result<calibration::CompiledReplay> compiled =
      calibration::compile_replay(**format, wanted.paths, program.path(), how, faults);
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors()) return static_cast<int>(ExitCode::bad_input);
  if (!compiled.ok()) return report_failure(compiled.failure());

  if (compiled->replay.operations == 0 && !wanted.under.empty())
    return refuse("no operation of the trace is on a file under " + base::join(wanted.under, ", "),
                  "--under takes folders and files as the trace has them");

  wanted.question.program = program.path();
  wanted.question.header = compiled->header;
  const auto design = client::replay_design(scenario, wanted.question);
  if (!design.ok()) return report_failure(design.failure());
  ProgressBar bar(options);
  client::Question question = question_of(options, bar);
  if (!options.replicas) question.replicas = 1;
  Result<Prediction> prediction = session.predict(design->design, question);
  bar.clear();
  if (!prediction.ok()) return report_failure(prediction.failure());
  if (!wanted.no_advice) {
    question.time_limit_s -= prediction->wall_s;
    question.gain_of = metric::of_tenant(design->design.tenants.back().id, "makespan");
    session.rank_by_gain(design->design, *prediction, question);
    bar.clear();
  }
  Replay replay = std::move(compiled->replay);
  replay.scenario = scenario.id;
  replay.speed = wanted.speed;
  replay.maps = wanted.question.maps;
  const ExitCode exit = prediction->left_range ? ExitCode::inconclusive : ExitCode::ok;
  client::add_replayed(*design, std::move(*prediction), replay);
  report::ReportContext context = report::context_of(scenario, client::version());
  return deliver(options, report::render(replay, context, *look, report_style(options)), exit);
}

}  // namespace stallcast::cli
