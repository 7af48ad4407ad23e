#pragma once

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stallcast/result.hpp"
#include "stallcast/units.hpp"

namespace stallcast::calibration::live {

/// Exit codes of env(1) and shells for what could not be run.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

/// Signals that end or ask a program arrive at a descriptor while this lives.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  /// The next one; nothing when none came within `limit`.
  [[nodiscard]] std::optional<signalfd_siginfo> wait(Seconds limit) const;
  /// What was blocked before, which a command starts with.
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

/// How a process ended.
struct Ended {
  pid_t pid = 0;
  int status = 0;  ///< as of waitpid
  rusage usage{};  ///< of it and of those that it has waited for
  /// Its exit code; 128 + N when signal N ended it, as shells have it.
  [[nodiscard]] int exit_code() const;
};

/// Starts `words` with PATH looked through and these variables set; standard streams, process group
/// and terminal are ours. Fails with kNotFound or kNotExecutable as the exit.
[[nodiscard]] Result<pid_t> start_command(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& variables, const sigset_t& mask);

/// Why this name of a program cannot be run, as start_command has it; nothing when it can.
[[nodiscard]] std::optional<Failure> cannot_run(const std::string& name);

/// Reaps every child that has ended; `before` is called with each while /proc still has it.
[[nodiscard]] std::vector<Ended> reap(const std::function<void(pid_t)>& before);

/// Was this signal sent by a process (and not typed at the terminal, where the command has got it,
/// too)?
[[nodiscard]] bool sent_by_process(const signalfd_siginfo& signal);

}  // namespace stallcast::calibration::live
