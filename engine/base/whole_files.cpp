#include "engine/base/whole_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/file_failure.hpp"
#include "engine/base/lock.hpp"

namespace stallcast::base {
namespace {

namespace fs = std::filesystem;

constexpr int kTemporaryNames = 100;

/// 0, or the error.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

/// What temporary names of `target` begin with; a process and a number follow.
std::string temporary_prefix(const fs::path& target) {
  return target.filename().string() + ".tmp.";
}

bool is_temporary(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find_first_not_of("0123456789.", prefix.size()) == std::string::npos;
}

/// Removes what programs that were killed left for `target`: nobody holds a lock on it any more.
void remove_abandoned(const fs::path& target) {
  const std::string prefix = temporary_prefix(target);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!is_temporary(at->path().filename().string(), prefix)) continue;
    const int fd = ::open(at->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    if (claim_abandoned(fd)) ::unlink(at->path().c_str());
    ::close(fd);
  }
}

}  // namespace

Result<std::unique_ptr<FileReplacement>> FileReplacement::of(const fs::path& path, mode_t mode) {
  fs::path target = path;
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) {
    fs::path real = fs::weakly_canonical(path, ignored);
    if (!real.empty()) target = std::move(real);
  }
  std::unique_ptr<FileReplacement> out(new FileReplacement(path, std::move(target)));
  if (const int error = out->open(mode)) return file_failure("cannot write", path, error);
  return out;
}

FileReplacement::~FileReplacement() {
  if (fd_ < 0) return;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  ::close(fd_);
}

int FileReplacement::open(mode_t mode) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return EISDIR;
  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    return fd_ < 0 ? errno : 0;
  }
  remove_abandoned(target_);
  if (const int error = open_temporary(mode)) return error;
  return exists && ::fchmod(fd_, status.st_mode & 07777U) != 0 ? errno : 0;
}

int FileReplacement::open_temporary(mode_t mode) {
  int error = EEXIST;
  for (int i = 0; i < kTemporaryNames; ++i) {
    fs::path name = target_;
    name += ".tmp." + std::to_string(::getpid()) + "." + std::to_string(i);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno != EEXIST) return errno;
    if (fd < 0) continue;
    // Before it was ours, somebody may have taken it for abandoned.
    if (claim(fd)) {
      fd_ = fd;
      temporary_ = std::move(name);
      return 0;
    }
    ::close(fd);
  }
  return error;
}

Result<bool> FileReplacement::write(std::string_view content) {
  if (const int error = write_all(fd_, content)) return file_failure("cannot write", path_, error);
  return true;
}

Result<bool> FileReplacement::commit() {
  int error = 0;
  if (!temporary_.empty()) {
    if (::fsync(fd_) != 0 && errno != EINVAL) error = errno;
    // Renamed while it is ours, so that nobody takes it for abandoned.
    if (error == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(temporary_.c_str());
  }
  if (::close(std::exchange(fd_, -1)) != 0 && error == 0) error = errno;
  if (error != 0) return file_failure("cannot write", path_, error);
  return true;
}

Result<bool> append_file(const fs::path& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return file_failure("cannot write", path, errno);
  struct stat before {};
  const bool regular = ::fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
  int error = write_all(fd, text);
  if (error != 0 && regular && ::ftruncate(fd, before.st_size) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) return file_failure("cannot write", path, error);
  return true;
}

}  // namespace stallcast::base
