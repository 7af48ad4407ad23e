#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "calibration/observe/live/observe.hpp"
#include "calibration/observe/observation_json.hpp"
#include "engine/base/files.hpp"
#include "stallcast/client.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

constexpr const char* kObserveExample =
    "stallcast observe -o job.observation.json -- python train.py";

}  // namespace

int observe_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  options.output = "job.observation.json";
  std::vector<std::string> misplaced;
  std::string calls;
  bool no_hooks = false;
  calibration::live::ObserveOptions how;
  CommandLine line(verb);
  line.positionals("COMMAND", misplaced, "behind --: the job and its arguments, run as they are",
                   false);
  line.flag("--names", how.names, "keep the names of files, mounts and hosts; hashed by default");
  line.text("--syscalls", calls, "TOOL", "strace: every call on files, by strace; slows the job");
  line.text(
      "--keep-trace", how.keep_trace, "FILE",
      "with --syscalls strace: keep what strace writes, for replay; names of files are in it");
  line.flag("--no-hooks", no_hooks, "leave Python alone: what /proc tells, and nothing of PyTorch");
  line.output_options(options, "write the observation to FILE (default job.observation.json)");
  const auto end = std::find(args.begin(), args.end(), "--");
  if (const auto exit = line.parse(args.first(static_cast<std::size_t>(end - args.begin()))))
    return *exit;
  if (!misplaced.empty()) return refuse("the command comes behind --", kObserveExample);
  if (end == args.end() || end + 1 == args.end())
    return refuse("the command is missing", kObserveExample);
  if (!calls.empty() && calls != "strace")
    return refuse("--syscalls: unknown \"" + calls + "\"", "use strace");
  if (calls.empty() && !how.keep_trace.empty())
    return refuse("--keep-trace keeps what strace writes", "add --syscalls strace");
  if (options.output == "-")
    return refuse("standard output is the command's", "name a file with --output FILE");
  if (const auto failure = check_output(options.output)) return report_failure(*failure);
  how.command.assign(end + 1, args.end());
  how.hooks = !no_hooks;
  how.strace = !calls.empty();
  how.version = client::version().program;
  const auto write = [&](const Observation& seen) {
    return base::write_file(options.output, calibration::write_observation(seen));
  };
  how.keep = [&](const Observation& seen) { (void)write(seen); };
  const auto run = calibration::live::observe_command(how);
  if (!run.ok()) return report_failure(run.failure());
  // The exit code stays the command's, whatever became of the file.
  const auto written = write(run.value().observation);
  if (!written.ok()) (void)report_failure(written.failure());
  if (!options.quiet) {
    std::string text = report::observation_summary(run.value().observation);
    if (written.ok()) text += "  written to " + options.output + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  return run.value().exit_code;
}

}  // namespace stallcast::cli
