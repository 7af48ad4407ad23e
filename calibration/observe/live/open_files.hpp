#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "calibration/observe/builder.hpp"
#include "calibration/observe/live/mount_table.hpp"
#include "stallcast/observation.hpp"

namespace stallcast::calibration::live {

/// Files that the job had open or mapped when somebody looked, and those that the hooks name. Not
/// those of the system and of languages: libraries, scripts, /proc, /dev. At most kMostOpen.
class OpenFiles {
 public:
  static constexpr std::size_t kMostOpen = 4096;
  /// Looks at the descriptors and mappings of a process.
  void look(pid_t pid);
  /// A file that was opened while nobody looked.
  void add(const std::string& path, Bytes size);
  /// How many were open to be read, or mapped; and to be written.
  [[nodiscard]] std::uint64_t read() const;
  [[nodiscard]] std::uint64_t written() const;
  /// Bytes of the files that were mapped when somebody looked: of data, and with `programs` those
  /// of programs and libraries, too.
  [[nodiscard]] Bytes mapped(bool programs) const;
  /// Had a process PyTorch loaded when somebody looked?
  [[nodiscard]] bool torch() const { return torch_; }
  /// Files and mounts of the observation, and the mounts of its host.
  void tell(const NameKeeper& names, Observation& out) const;
  /// Some paths on file systems of this kind.
  [[nodiscard]] std::vector<std::string> on(std::string_view fs_type, std::size_t most) const;

 private:
  void descriptors(const std::string& process);
  void mappings(const std::string& process);

  MountTable table_;
  struct Row {
    double size = 0.0;
    bool read = false, written = false;
  };
  Row* row(const std::string& path, double size);
  std::map<std::string, Row> rows_;                              ///< by path
  std::map<std::string, double> mapped_data_, mapped_programs_;  ///< sizes, by path
  std::uint64_t untracked_ = 0;
  bool torch_ = false;
};

/// Of `read` bytes by calls, the share that none of the `fetched` ones are: those that a device
/// gave. Mapped files are fetched past all calls: nothing where `mapped`, what they may have
/// fetched, is more than a twentieth of `read`.
[[nodiscard]] std::optional<double> page_cache_share(Bytes read, Bytes fetched, Bytes mapped);

/// Takes out what the kernel says it fetched, where most files are on a file system that fetches
/// without its count (FUSE, most parallel ones): nothing fetched is not all of it cached there.
void leave_out_uncounted(Observation& out);

/// Is a file of this name data of the job?
[[nodiscard]] bool is_data(std::string_view path);

}  // namespace stallcast::calibration::live
