#pragma once

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

/// A folder of this process alone, removed with what is in it at the end.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  /// "" when none could be made.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace stallcast::calibration::live
