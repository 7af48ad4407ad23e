#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/result.hpp"

namespace stallcast::run {

/// Closes a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { close(); }
  void close();
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// A running `stallcast-sim`: lines go in, lines come out, and it is gone when this object is.
/// Knows nothing of what the lines say, so one process may serve several calls.
///
/// The process is killed by the system when the thread that started it ends, however it ends; keep
/// the object on that thread. It has a process group of its own, so Ctrl-C reaches it only through
/// `stop`. No signal handler or mask of the calling program is touched; a program that ignores
/// SIGCHLD, or reaps all its children, only loses `Ending`'s detail.
class WorkerProcess {
 public:
  /// `words` are its options: "--jobs", "2".
  [[nodiscard]] static Result<WorkerProcess> start(const std::string& path,
                                                   const std::vector<std::string>& words);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess();

  /// Queues `line` and a line feed; they leave during `exchange`.
  void send(std::string_view line);
  /// Bytes queued and not yet taken by the worker.
  [[nodiscard]] std::size_t unsent() const { return outgoing_.size() - sent_; }

  /// Waits up to `limit` (less when a signal arrives) for the worker to take input or say
  /// something; returns the complete lines it said.
  [[nodiscard]] std::vector<std::string> exchange(std::chrono::milliseconds limit);
  /// Whether its process still runs.
  [[nodiscard]] bool alive() const { return pid_ > 0 && !has_ended(); }
  /// The worker has closed its output: nothing more will come.
  [[nodiscard]] bool ended() const { return !output_.open(); }
  /// The last few kilobytes of its standard error.
  [[nodiscard]] const std::string& log() const { return log_; }

  /// How a worker's life ended.
  struct Ending {
    int signal = 0;  ///< that ended it; 0 when it exited
    int status = 0;  ///< of its exit; -1 when the calling program took it from us
    [[nodiscard]] std::string text() const;
  };
  /// Closes its input and waits up to `patience` for it to exit, then asks it to end its
  /// simulations (SIGTERM), then kills it and all that is left of them. It is reaped in any case.
  Ending stop(std::chrono::milliseconds patience);

 private:
  WorkerProcess() = default;
  void write_some();
  bool read_some(FileDescriptor& fd, std::string& into);
  bool reap_within(std::chrono::milliseconds limit);
  [[nodiscard]] bool has_ended() const;
  void signal(int number, bool whole_group) const;

  pid_t pid_ = -1;
  Ending ending_;
  FileDescriptor input_;
  FileDescriptor output_;
  FileDescriptor error_;
  std::string outgoing_;
  std::size_t sent_ = 0;
  std::string incoming_;  ///< the beginning of a line
  std::string log_;
};

}  // namespace stallcast::run
