#include "engine/base/temporary_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/base/file_failure.hpp"
#include "engine/base/lock.hpp"

namespace stallcast::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholder = "XXXXXX";
constexpr int kFolderNames = 100;

void remove_folder(const fs::path& folder, TemporaryFolder::Contents contents) {
  std::error_code ignored;
  if (contents == TemporaryFolder::Contents::removed)
    fs::remove_all(folder, ignored);
  else
    fs::remove(folder, ignored);
}

int open_folder(const fs::path& folder) {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Only what this user made: the place is everybody's.
void remove_abandoned_folders(const fs::path& place, const std::string& prefix,
                              TemporaryFolder::Contents contents) {
  std::error_code error;
  for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kPlaceholder.size()) continue;
    const int fd = open_folder(at->path());
    if (fd < 0) continue;
    struct stat status {};
    if (::fstat(fd, &status) == 0 && status.st_uid == ::geteuid() && claim_abandoned(fd))
      remove_folder(at->path(), contents);
    ::close(fd);
  }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const std::string& name, Contents contents) {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  if (error)
    return Failure{ExitCode::bad_input,
                   "there is no folder for temporary files: " + error.message(),
                   "set TMPDIR to one"};
  const std::string prefix = "stallcast-" + name + "-";
  remove_abandoned_folders(place, prefix, contents);
  for (int i = 0; i < kFolderNames; ++i) {
    std::string path = (place / prefix).string() + std::string(kPlaceholder);
    if (::mkdtemp(path.data()) == nullptr) return file_failure("cannot make", path, errno);
    const int fd = open_folder(path);
    // Before it was ours, somebody may have taken it for abandoned.
    if (fd >= 0 && claim(fd)) return TemporaryFolder(path, contents, fd);
    if (fd >= 0) ::close(fd);
  }
  return file_failure("cannot make", place / prefix, EEXIST);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  remove_folder(path_, contents_);
  ::close(fd_);
}

}  // namespace stallcast::base
