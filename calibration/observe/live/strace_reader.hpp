#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/whole_files.hpp"
#include "stallcast/observation.hpp"
#include "stallcast/result.hpp"

namespace stallcast::calibration::live {

/// A command under strace, whose output is read while it runs; it is on no disk unless it is kept.
class StraceReader {
 public:
  /// `keep`: a file for what strace writes; "": none. Fails when strace is not installed, may not
  /// trace here, or that file cannot be written.
  [[nodiscard]] static Result<std::unique_ptr<StraceReader>> open(const std::string& folder,
                                                                  bool names,
                                                                  const std::string& keep);
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
  /// From strace's pipe into `copy_` and, as long as somebody reads there, into `to`.
  void tee(const std::string& to);

  std::string pipe_;
  bool names_;
  int writer_ = -1;  ///< keeps the pipe open until the command was there
  std::unique_ptr<base::FileReplacement> copy_;  ///< the file that keeps what strace writes
  bool short_ = false;                           ///< it could not take all
  std::thread reader_;
  std::atomic<bool> read_all_ = false;
  Observation seen_;
};

}  // namespace stallcast::calibration::live
