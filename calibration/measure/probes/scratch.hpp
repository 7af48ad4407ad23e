#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/result.hpp"
#include "stallcast/units.hpp"

/// The folder that a probe writes in.
namespace stallcast::calibration::probing {

struct Space {
  Bytes total, free;  ///< of the file system; free to this user
};
[[nodiscard]] Space space_at(const std::filesystem::path& path);

/// What is left free after writing: 5 % of the file system, or 1 GiB where that is less.
[[nodiscard]] Bytes reserve(const Space& space);

/// A failure when writing `needs` would leave less than `reserve` free.
[[nodiscard]] std::optional<Failure> check_space(const Space& space, Bytes needs);

/// A folder of its own below the target, gone with everything in it however the process ends: the
/// destructor removes it; after a signal or a crash, SIGKILL included, a process that waits for
/// that does. What both missed (the machine was switched off) the next probe finds and removes.
class Scratch {
 public:
  /// Fails when `target` is not a folder or may not be written to.
  [[nodiscard]] static Result<std::unique_ptr<Scratch>> make(const std::filesystem::path& target);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Folders that dead probes left: those removed, and those of other machines, which stay.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// A new file without a name, opened with `flags` besides O_RDWR; it is gone when the last
  /// process that has it open ends.
  [[nodiscard]] Result<int> open_nameless(int flags) const;

 private:
  Scratch() = default;
  void remove_stale(const std::filesystem::path& target);
  std::optional<Failure> start_janitor();

  std::filesystem::path folder_;
  std::vector<std::string> notes_;
  int alive_ = -1;  ///< the janitor reads the other end: it hangs up when this process ends
  int janitor_ = -1;
};

}  // namespace stallcast::calibration::probing
