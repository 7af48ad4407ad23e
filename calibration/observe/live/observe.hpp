#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stallcast/observation.hpp"
#include "stallcast/result.hpp"

/// Runs a command and watches it.
namespace stallcast::calibration::live {

struct ObserveOptions {
  std::vector<std::string> command;
  bool names = false;      ///< keep the names of files, mounts and hosts
  bool hooks = true;       ///< watch PyTorch from within
  bool strace = false;     ///< every call on files, by strace: slows the job
  std::string keep_trace;  ///< file for what strace writes; "": nowhere
  std::string version;     ///< of this program
  /// Called with what was seen so far: a minute after the last time, and when a signal that may
  /// end the job was passed on.
  std::function<void(const Observation&)> keep;
};

struct ObservedRun {
  int exit_code = 0;  ///< the command's; 128 + N when signal N ended it
  Observation observation;
};

/// Standard streams are the command's, signals are passed on to it. Fails when it could not be
/// started: with 126 or 127 as the exit where env(1) has these.
[[nodiscard]] Result<ObservedRun> observe_command(const ObserveOptions& options);

}  // namespace stallcast::calibration::live
