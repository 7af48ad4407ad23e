#pragma once

#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/observe/live/hook_totals.hpp"
#include "calibration/observe/live/job.hpp"
#include "calibration/observe/live/observe.hpp"
#include "calibration/observe/live/open_files.hpp"
#include "calibration/observe/live/proc_watch.hpp"

namespace stallcast::calibration::live {

/// Notes of what /proc tells, which hold unless strace tells more.
inline constexpr const char* kAllCallsCount =
    "reads and writes are those of all system calls, also on pipes, sockets and libraries; mapped "
    "files and io_uring are in what the device gave alone";
inline constexpr const char* kOpenFilesCount =
    "files are those that were open when somebody looked, and opened for a sample that was "
    "measured";

/// All that is seen of one run, and the observation that it makes.
class WatchedRun {
 public:
  /// `folder`: where the hooks write; "" without them.
  WatchedRun(const ObserveOptions& options, std::string folder);

  /// The command was started; `tidier` is no part of it.
  void started(pid_t root, bool traced, pid_t tidier);
  /// Looks at the processes, and now and then at their files; when to look again, so that looking
  /// takes at most half a hundredth of a core.
  Seconds look();
  void ended(const Ended& child);
  void about_to_reap(pid_t pid);
  /// Of strace, when it was seen; else 0.
  [[nodiscard]] pid_t tracer() const { return processes_.left_out(); }
  [[nodiscard]] const std::optional<Ended>& root_end() const { return root_end_; }

  /// What is known now. `over`: the run has ended; tools may be asked, too.
  [[nodiscard]] Observation observation(bool over);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] Seconds now() const;
  void collect(HookTotals& live, bool over);
  void tell_processes(const HookTotals& hooks, Observation& out) const;
  void tell_transfers(Observation& out) const;
  void tell_figures(Observation& out) const;
  void tell_overhead(Observation& out) const;
  void ask_tools(Observation& out) const;

  const ObserveOptions& options_;
  std::string folder_;
  NameKeeper names_;
  Clock::time_point begin_ = Clock::now();
  double began_ = 0.0;         ///< since 1970
  double own_before_s_ = 0.0;  ///< core time of this process at the beginning
  double own_s_ = 0.0;         ///< and that it took while the command ran
  ObservedHost host_;
  ProcWatch processes_;
  OpenFiles files_;
  HookTotals past_;  ///< of processes that have ended
  pid_t root_ = 0;
  std::optional<Ended> root_end_;
  Seconds wall_;
  double user_s_ = 0.0, system_s_ = 0.0;  ///< of processes that were reaped
  bool faulted_ = false;  ///< one of them waited for a page of a mapped file that a device gave
  Clock::time_point files_next_ = begin_;
};

}  // namespace stallcast::calibration::live
