#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "stallcast/result.hpp"

namespace stallcast::base {

/// A folder of this process alone below $TMPDIR, removed at the end. What processes left that were
/// killed goes when the next one makes such a folder.
class TemporaryFolder {
 public:
  /// `removed`: with what is in it. `kept`: unless something is in it.
  enum class Contents { removed, kept };

  /// Called "stallcast-NAME-XXXXXX". Fails with bad_input and the system's reason.
  [[nodiscard]] static Result<TemporaryFolder> make(const std::string& name,
                                                    Contents contents = Contents::removed);
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})),
        contents_(other.contents_),
        fd_(std::exchange(other.fd_, -1)) {}
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, Contents contents, int fd)
      : path_(std::move(path)), contents_(contents), fd_(fd) {}

  std::filesystem::path path_;
  Contents contents_;
  int fd_;  ///< a lock on it: somebody lives here
};

}  // namespace stallcast::base
