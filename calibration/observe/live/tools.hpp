#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "stallcast/units.hpp"

namespace stallcast::calibration::live {

/// What a program printed, "" when it is not installed, fails, or takes longer than `limit`. Its
/// standard input and error are empty.
struct ToolOutput {
  bool done = false;  ///< it ended with exit code 0
  std::string text;   ///< at most 1 MiB
};
[[nodiscard]] ToolOutput output_of(const std::vector<std::string>& words, Seconds limit);

/// A folder of this process alone, removed with what is in it at the end; by another process where
/// this one is killed.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  /// "" when none could be made.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Starts the process that removes the folder if this one cannot. It reads `pipe`, too, from then
  /// on, so that who writes there never finds it broken. Called before there are threads.
  void outlive(const std::string& pipe);
  /// That process; -1: there is none.
  [[nodiscard]] pid_t tidier() const { return tidier_; }

 private:
  std::string path_;
  int alive_ = -1;  ///< the other process reads the other end: it hangs up when this one ends
  pid_t tidier_ = -1;
};

}  // namespace stallcast::calibration::live
