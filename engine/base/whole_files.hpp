#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string_view>

#include "stallcast/result.hpp"

/// Files that change wholly or not at all, whenever the program ends or the disk is full.
namespace stallcast::base {

/// What takes the place of a file once it is complete: written next to it and renamed. A link stays
/// a link, permissions stay what they are, and devices and pipes are written to instead. Nothing is
/// left behind on failure; what a killed program left goes with the next replacement of that file.
class FileReplacement {
 public:
  /// For what is at `path`, or is not there yet; `mode`: of a new file, less the umask. Fails with
  /// bad_input and the system's reason.
  [[nodiscard]] static Result<std::unique_ptr<FileReplacement>> of(
      const std::filesystem::path& path, mode_t mode = 0666);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  /// Open for writing, and at the end of what is written.
  [[nodiscard]] int descriptor() const { return fd_; }
  [[nodiscard]] Result<bool> write(std::string_view content);
  /// Puts it in place. Once.
  [[nodiscard]] Result<bool> commit();

 private:
  FileReplacement(const std::filesystem::path& path, std::filesystem::path target)
      : path_(path), target_(std::move(target)) {}
  /// 0, or the error.
  [[nodiscard]] int open(mode_t mode);
  [[nodiscard]] int open_temporary(mode_t mode);

  std::filesystem::path path_;       ///< as it was named
  std::filesystem::path target_;     ///< behind links
  std::filesystem::path temporary_;  ///< "": the target itself is written to
  int fd_ = -1;
};

/// Adds `text` to a file, made where there is none: all of it or nothing.
[[nodiscard]] Result<bool> append_file(const std::filesystem::path& path, std::string_view text);

}  // namespace stallcast::base
