#include "calibration/observe/live/observe.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "calibration/observe/live/job.hpp"
#include "calibration/observe/live/proc_files.hpp"
#include "calibration/observe/live/strace_reader.hpp"
#include "calibration/observe/live/tools.hpp"
#include "calibration/observe/live/watched_run.hpp"
#include "calibration/observe/observation_json.hpp"

namespace stallcast::calibration::live {

std::span<const std::pair<std::string_view, std::string_view>> embedded_hooks();

namespace {

using Clock = std::chrono::steady_clock;
constexpr Seconds kKeepEvery = Seconds::from(60.0, unit::s);

Clock::duration clock_time(Seconds s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s.in(unit::s)));
}
Seconds until(Clock::time_point at) {
  return Seconds::from(std::max(std::chrono::duration<double>(at - Clock::now()).count(), 0.0),
                       unit::s);
}

/// Puts the hooks where Python looks first. `calls`: they mark for strace where the loader is.
std::vector<std::pair<std::string, std::string>> lay_hooks(const std::string& folder, bool calls) {
  if (calls && !std::ofstream(folder + "/calls")) return {};
  for (const auto& [name, text] : embedded_hooks()) {
    std::ofstream out(folder + "/" + std::string(name), std::ios::binary);
    out << text;
    if (!out.flush()) return {};
  }
  const char* before = std::getenv("PYTHONPATH");  // NOLINT: no other thread runs yet
  const bool any = before != nullptr && *before != '\0';
  return {{"PYTHONPATH", any ? folder + ":" + before : folder}};
}

/// Waits for the command, looks at it meanwhile, and passes signals on.
void follow(pid_t root, const Signals& signals, const ObserveOptions& options, WatchedRun& run) {
  Clock::time_point next = Clock::now(), keep = Clock::now() + clock_time(kKeepEvery);
  while (!run.root_end()) {
    const auto signal = signals.wait(until(next));
    for (const Ended& child : reap([&](pid_t pid) { run.about_to_reap(pid); })) run.ended(child);
    if (run.root_end()) return;
    if (signal && signal->ssi_signo != SIGCHLD) {
      const int number = static_cast<int>(signal->ssi_signo);
      if (sent_by_process(*signal)) kill(root, number);
      if (number != SIGUSR1 && number != SIGUSR2 && options.keep)
        options.keep(run.observation(false));
    }
    if (Clock::now() >= next) next = Clock::now() + clock_time(run.look());
    if (Clock::now() >= keep && options.keep) {
      options.keep(run.observation(false));
      keep = Clock::now() + clock_time(kKeepEvery);
    }
  }
}

/// The calls that strace saw in place of what /proc counts.
void take_calls(Observation&& calls, Observation& out) {
  out.source.dialect += "+strace";
  for (std::string& note : calls.notes) out.notes.push_back(std::move(note));
  if (!calls.reading) {
    out.notes.emplace_back("strace gave no calls");
    return;
  }
  std::erase_if(out.notes, [&](const std::string& note) {
    return note == kAllCallsCount || (calls.files && note == kOpenFilesCount);
  });
  calls.reading->from_device = out.reading->from_device;
  calls.writing->from_device = out.writing->from_device;
  out.reading = std::move(calls.reading);
  out.writing = std::move(calls.writing);
  out.metadata = std::move(calls.metadata);
  if (calls.files) out.files = std::move(calls.files);
  out.notes.emplace_back(
      "reads, writes and files are those of strace, which slows calls down: times of steps, "
      "samples and saves are longer than without it; mapped files and io_uring are in what the "
      "device gave alone");
}

void name_missing(Observation& out, bool calls) {
  out.missing = absent_members(out);
  if (!calls && out.files) {
    for (const char* member : {"files.largest.read", "files.largest.written", "mounts.read",
                               "mounts.written", "mounts.metadata"})
      out.missing.emplace_back(member);
    std::sort(out.missing.begin(), out.missing.end());
  }
}

}  // namespace

Result<ObservedRun> observe_command(const ObserveOptions& options) {
  if (proc_text("/proc/self/stat").empty())
    return Failure{ExitCode::bad_input, "/proc cannot be read: nothing of a job would be seen",
                   "mount it (in a container: no hidden /proc)"};
  PrivateFolder folder;
  std::vector<std::pair<std::string, std::string>> variables;
  if (options.hooks && !folder.path().empty()) variables = lay_hooks(folder.path(), options.strace);
  std::vector<std::string> words = options.command;
  std::unique_ptr<StraceReader> calls;
  if (options.strace) {
    auto opened = StraceReader::open(folder.path(), options.names, options.keep_trace);
    if (!opened.ok()) return opened.failure();
    calls = std::move(opened).value();
    if (const auto failure = cannot_run(words.front())) return *failure;
    words = calls->around(words);
  }
  ObserveOptions kept = options;
  if (options.keep)
    kept.keep = [&](const Observation& seen) {
      Observation named = seen;
      name_missing(named, false);
      options.keep(named);
    };
  folder.outlive(calls ? calls->pipe() : "");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Signals signals;
  WatchedRun run(options, variables.empty() ? "" : folder.path());
  const auto started = start_command(words, variables, signals.before());
  if (!started.ok()) return started.failure();
  run.started(started.value(), options.strace, folder.tidier());
  if (calls) calls->start();
  follow(started.value(), signals, kept, run);
  (void)run.look();
  ObservedRun out;
  out.exit_code = run.root_end()->exit_code();
  out.observation = run.observation(true);
  if (calls) take_calls(calls->finish(run.tracer()), out.observation);
  name_missing(out.observation, calls != nullptr);
  return out;
}

}  // namespace stallcast::calibration::live
