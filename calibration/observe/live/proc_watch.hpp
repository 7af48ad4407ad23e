#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/observation.hpp"
#include "stallcast/units.hpp"

namespace stallcast::calibration::live {

/// /proc/PID/io: what its system calls moved (also through pipes and sockets), and what the kernel
/// fetched from or sent to devices for it. Of a process and of those children that it waited for.
struct ProcIo {
  double read = 0.0, written = 0.0;    ///< bytes: rchar, wchar
  double reads = 0.0, writes = 0.0;    ///< calls: syscr, syscw
  double fetched = 0.0, stored = 0.0;  ///< bytes: read_bytes, write_bytes less cancelled ones
  ProcIo& operator+=(const ProcIo& o);
  ProcIo& operator-=(const ProcIo& o);
};

/// Nothing when the process is gone, or is of another user.
[[nodiscard]] std::optional<ProcIo> read_io(pid_t pid);

/// A process of the job as it was when it was seen last.
struct SeenProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  std::int64_t threads = 0;
  Seconds first, last;  ///< since the beginning of the observation
  ProcIo io;
  ProcIo inherited;  ///< of children that it has waited for
  bool alive = true;
};

/// The processes below this one, by /proc. Those that end and are waited for by their parent leave
/// their counts to it, so that the sum of all is complete whenever somebody looks; a process that
/// is started and gone between two looks has no row of its own.
class ProcWatch {
 public:
  /// Processes of this name, as the kernel has it, are no part of the job, but for `root`.
  void leave_out(std::string name, pid_t root) {
    name_left_out_ = std::move(name);
    root_ = root;
  }
  /// This child of ours is no part of the job either.
  void leave_out(pid_t pid) { ours_ = pid; }
  /// The child of ours that was left out last; 0: none was.
  [[nodiscard]] pid_t left_out() const { return left_out_; }
  /// Looks at all of them.
  void look(Seconds now);
  /// A child of ours has ended and is about to be reaped.
  void ended(pid_t pid, Seconds now);

  /// Processes there at the last look.
  [[nodiscard]] const std::vector<pid_t>& alive() const { return alive_; }
  [[nodiscard]] bool is_alive(pid_t pid) const;
  /// In the order in which they were seen; at most kProcesses.
  [[nodiscard]] const std::vector<SeenProcess>& processes() const { return seen_; }
  [[nodiscard]] std::uint64_t folded() const { return folded_; }
  /// Of the whole job so far.
  [[nodiscard]] ProcIo total() const;
  /// The largest sum of resident memory at any look; pages that are shared count for each.
  [[nodiscard]] Bytes most_memory() const { return most_memory_; }
  [[nodiscard]] std::size_t most_processes() const { return most_processes_; }

 private:
  struct Live {
    std::optional<std::size_t> row;
    pid_t parent = 0;
    double born = 0.0;  ///< clock ticks since the machine started: numbers are used again
    ProcIo io;
    bool looked = false;
  };
  void visit(pid_t pid, pid_t parent, Seconds now);
  void gone(pid_t pid, const Live& live);
  void below(pid_t pid, std::vector<std::pair<pid_t, pid_t>>& out);
  [[nodiscard]] bool is_left_out(pid_t pid) const;

  std::string name_left_out_;
  pid_t root_ = 0, left_out_ = 0, ours_ = -1;
  std::vector<pid_t> alive_;
  std::map<pid_t, Live> live_;
  std::vector<SeenProcess> seen_;
  std::uint64_t folded_ = 0;
  ProcIo reaped_;  ///< of our children that have ended
  double memory_now_ = 0.0;
  Bytes most_memory_;
  std::size_t most_processes_ = 0;
};

}  // namespace stallcast::calibration::live
