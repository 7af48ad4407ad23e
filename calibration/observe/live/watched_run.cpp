#include "calibration/observe/live/watched_run.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <set>
#include <system_error>

#include "calibration/observe/live/host_facts.hpp"
#include "calibration/observe/live/proc_files.hpp"
#include "calibration/observe/live/tools.hpp"
#include "calibration/observe/observation_json.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::live {
namespace {

double seconds_in(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

double cpu_in(const rusage& usage) {
  return seconds_in(usage.ru_utime) + seconds_in(usage.ru_stime);
}

rusage own_usage() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double seconds_since_1970() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr double kLookShare = 0.003;  // of a core
constexpr double kLeastPause = 0.02, kMostPause = 2.0;
constexpr double kFilesShare = 0.002, kLeastFilesPause = 0.1, kMostFilesPause = 10.0;
constexpr std::size_t kMostSideFiles = 8192;

}  // namespace

WatchedRun::WatchedRun(const ObserveOptions& options, std::string folder)
    : options_(options), folder_(std::move(folder)), names_(options.names), host_(host_facts()) {
  own_before_s_ = cpu_in(own_usage());
  began_ = seconds_since_1970();
  begin_ = Clock::now();
}

Seconds WatchedRun::now() const {
  return Seconds::from(std::chrono::duration<double>(Clock::now() - begin_).count(), unit::s);
}

void WatchedRun::started(pid_t root, bool traced, pid_t tidier) {
  root_ = root;
  processes_.leave_out(tidier);
  // The one that traces, one that has started it, and those that it starts for a moment to see what
  // the kernel can do.
  if (traced) processes_.leave_out("strace", root);
}

Seconds WatchedRun::look() {
  const double before = cpu_in(own_usage());
  processes_.look(now());
  const double middle = cpu_in(own_usage());
  if (Clock::now() >= files_next_) {
    for (const pid_t pid : processes_.alive()) files_.look(pid);
    const double cost = cpu_in(own_usage()) - middle;
    files_next_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                           std::clamp(cost / kFilesShare, kLeastFilesPause, kMostFilesPause)));
  }
  return Seconds::from(std::clamp((middle - before) / kLookShare, kLeastPause, kMostPause),
                       unit::s);
}

void WatchedRun::about_to_reap(pid_t pid) { processes_.ended(pid, now()); }

void WatchedRun::ended(const Ended& child) {
  user_s_ += seconds_in(child.usage.ru_utime);
  system_s_ += seconds_in(child.usage.ru_stime);
  faulted_ = faulted_ || child.usage.ru_majflt > 0;
  if (child.pid != root_) return;
  wall_ = now();
  own_s_ = cpu_in(own_usage()) - own_before_s_;
  root_end_ = child;
}

/// Side files of processes that have ended are counted once and removed; those of the others go to
/// `live`, too.
void WatchedRun::collect(HookTotals& live, bool over) {
  if (folder_.empty()) return;
  std::vector<std::filesystem::path> sides, paths, alive;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (entry.path().extension() == ".side" && sides.size() < kMostSideFiles)
      sides.push_back(entry.path());
    if (entry.path().extension() == ".paths") paths.push_back(entry.path());
  }
  std::sort(sides.begin(), sides.end());
  for (const auto& path : paths) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      const std::size_t tab = line.find('\t');
      if (tab != std::string::npos)
        files_.add(line.substr(tab + 1), Bytes::from(proc_number(line.substr(0, tab)), unit::B));
    }
  }
  for (const auto& path : sides) {
    const auto side = read_side_file(path);
    if (!side) continue;
    const bool past = over || access(("/proc/" + std::to_string(side->pid)).c_str(), F_OK) != 0;
    if (past) {
      past_.add(*side);
      std::filesystem::remove(path, ignored);
    } else {
      alive.push_back(path);
    }
  }
  live = past_;
  for (const auto& path : alive)
    if (const auto side = read_side_file(path)) live.add(*side);
}

void WatchedRun::tell_processes(const HookTotals& hooks, Observation& out) const {
  const std::string host = names_.host(proc_line("/proc/sys/kernel/hostname"));
  for (const SeenProcess& seen : processes_.processes()) {
    ObservedProcess& row = out.processes.emplace_back();
    row.pid = seen.pid;
    row.host = host;
    row.threads = seen.threads;
    row.start = seen.first;
    row.end = seen.last;
    ProcIo own = seen.io;
    own -= seen.inherited;
    row.operations = static_cast<std::uint64_t>(own.reads + own.writes);
    row.read = Bytes::from(own.read, unit::B);
    row.written = Bytes::from(own.written, unit::B);
    if (const HookTotals::Process* known = hooks.process(seen.pid)) {
      row.rank = known->rank;
      row.steps = known->steps;
    }
  }
  out.processes_folded = processes_.folded();
}

void WatchedRun::tell_transfers(Observation& out) const {
  const ProcIo total = processes_.total();
  ObservedTransfers& reading = out.reading.emplace();
  reading.operations = static_cast<std::uint64_t>(total.reads);
  reading.bytes = Bytes::from(total.read, unit::B);
  reading.from_device = Bytes::from(total.fetched, unit::B);
  reading.files = files_.read();
  ObservedTransfers& writing = out.writing.emplace();
  writing.operations = static_cast<std::uint64_t>(total.writes);
  writing.bytes = Bytes::from(total.written, unit::B);
  writing.from_device = Bytes::from(total.stored, unit::B);
  writing.files = files_.written();
  // What libraries fetched shows in page faults; data may be mapped so that none is seen.
  if (const auto share = page_cache_share(reading.bytes, *reading.from_device,
                                          files_.mapped(faulted_ || !root_end_)))
    out.figures["page_cache_share"] = *share;
}

void WatchedRun::tell_figures(Observation& out) const {
  out.figures["cpu_user_s"] = user_s_;
  out.figures["cpu_system_s"] = system_s_;
  const double wall = out.wall->in(unit::s);
  if (root_end_ && wall > 0.0) out.figures["cores_busy"] = (user_s_ + system_s_) / wall;
  out.figures["processes_at_once"] = static_cast<double>(processes_.most_processes());
  out.figures["resident_bytes"] = processes_.most_memory().in(unit::B);
  if (!root_end_) return;
  if (WIFSIGNALED(root_end_->status))
    out.figures["ended_by_signal"] = WTERMSIG(root_end_->status);
  else
    out.figures["exit_code"] = root_end_->exit_code();
}

/// The largest share of its own time that any process gave to the hooks, and the share of all cores
/// that this process took, which the job may have wanted.
void WatchedRun::tell_overhead(Observation& out) const {
  const double wall = out.wall->in(unit::s);
  if (wall <= 0.0) return;
  const double watch = root_end_ ? own_s_ : cpu_in(own_usage()) - own_before_s_;
  double hooks = 0.0;
  if (const auto it = out.figures.find("hooks_training_s"); it != out.figures.end())
    hooks = it->second / wall;
  if (const auto it = out.figures.find("hooks_workers_share"); it != out.figures.end())
    hooks = std::max(hooks, it->second);
  if (const auto it = out.figures.find("hooks_worker_starts_s"); it != out.figures.end())
    hooks += it->second / wall;
  out.figures["watching_s"] = watch;
  const double cores = static_cast<double>(std::max<std::int64_t>(*host_.hardware_threads, 1));
  out.figures["overhead_share"] = hooks + watch / (wall * cores);
}

void WatchedRun::ask_tools(Observation& out) const {
  const ToolOutput gpus =
      output_of({"nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"},
                Seconds::from(5.0, unit::s));
  if (gpus.done) take_gpus(gpus.text, *out.host);
  std::string layouts;
  for (const std::string& path : files_.on("lustre", 8)) {
    const ToolOutput stripes =
        output_of({"lfs", "getstripe", "-y", path}, Seconds::from(2.0, unit::s));
    if (!stripes.done) break;
    layouts += "lcm_layout_gen: 0\n" + stripes.text + "\n";
  }
  if (!layouts.empty()) out.lustre = lustre_layouts(layouts);
}

Observation WatchedRun::observation(bool over) {
  Observation out;
  HookTotals hooks;
  collect(hooks, over);
  out.source.format = "observe";
  out.source.dialect = hooks.any() ? "pytorch" : "proc";
  out.source.tool_version = options_.version;
  out.began = Seconds::from(began_, unit::s);
  out.wall = root_end_ ? wall_ : now();
  out.host = host_;
  hooks.tell(out);
  tell_processes(hooks, out);
  tell_transfers(out);
  files_.tell(names_, out);
  leave_out_uncounted(out);
  tell_figures(out);
  tell_overhead(out);
  if (over) ask_tools(out);
  if (!over) out.notes.emplace_back("the job had not ended when this was written");
  out.notes.emplace_back(kAllCallsCount);
  if (options_.hooks && !hooks.any() && files_.torch()) {
    out.figures["torch_without_hooks"] = 1.0;
    out.notes.emplace_back(
        "PyTorch ran and was not watched: python -I, -E or -S, or an environment that was cleared "
        "(env -i, sudo), keep the hooks away");
  }
  if (out.files) out.notes.emplace_back(kOpenFilesCount);
  if (out.figures.count("hook_errors") > 0)
    out.notes.emplace_back(
        "some hooks failed and stepped aside: figures of the training may lack "
        "a part");
  return out;
}

}  // namespace stallcast::calibration::live
