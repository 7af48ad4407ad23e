#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace stallcast::calibration::live {

/// One line of /proc/self/mountinfo.
struct MountPoint {
  std::string path;
  std::string fs_type;
  std::string options;  ///< of the mount and of its file system, without names and addresses
};

/// What is mounted now. Look-ups are by path alone: a file system that hangs is not asked.
class MountTable {
 public:
  MountTable();
  explicit MountTable(std::string_view mountinfo);
  /// Where a file with this absolute path lies; nullptr when nothing is known.
  [[nodiscard]] const MountPoint* of(std::string_view path) const;

 private:
  std::vector<MountPoint> points_;
};

}  // namespace stallcast::calibration::live
