#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stallcast/observation.hpp"
#include "stallcast/result.hpp"

namespace stallcast::calibration::live {

/// A command under strace, whose output is read while it runs and is never on a disk.
class StraceReader {
 public:
  /// Fails when strace is not installed, or may not trace here.
  [[nodiscard]] static Result<std::unique_ptr<StraceReader>> open(const std::string& folder,
                                                                  bool names);
  ~StraceReader();
  StraceReader(const StraceReader&) = delete;
  StraceReader& operator=(const StraceReader&) = delete;
  /// The words that run `command` under it: the process that is started becomes the command.
  [[nodiscard]] std::vector<std::string> around(const std::vector<std::string>& command) const;
  /// Where strace writes.
  [[nodiscard]] const std::string& pipe() const { return pipe_; }
  /// To be called when the command was started.
  void start();
  /// The calls. Waits for those that outlive the command, but not long: then `tracer` is ended,
  /// and they go on without it.
  [[nodiscard]] Observation finish(pid_t tracer);

 private:
  StraceReader(std::string pipe, bool names) : pipe_(std::move(pipe)), names_(names) {}
  void read();

  std::string pipe_;
  bool names_;
  int writer_ = -1;  ///< keeps the pipe open until the command was there
  std::thread reader_;
  std::atomic<bool> read_all_ = false;
  Observation seen_;
};

}  // namespace stallcast::calibration::live
