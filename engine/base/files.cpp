#include "engine/base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

namespace stallcast::base {
namespace {

std::string hint_for(int error) {
  switch (error) {
    case ENOENT:
      return "is the path right, and does its folder exist?";
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a place that this user may use";
    case EISDIR:
      return "name a file in it";
    case ENOSPC:
    case EDQUOT:
      return "make room, or name another place";
    default:
      return "name another file";
  }
}

Failure failed(std::string_view what, const std::filesystem::path& path, int error) {
  return {ExitCode::bad_input,
          std::string(what) + " " + path.string() + ": " + std::generic_category().message(error),
          hint_for(error)};
}

/// An open file descriptor, closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  /// Closes now; returns 0 or the error.
  int close() {
    const int fd = std::exchange(fd_, -1);
    return ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

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

/// Devices and pipes (/dev/stdout, /dev/null) are written to, never replaced.
Result<bool> write_special(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return failed("cannot write", path, errno);
  if (const int error = write_all(file.get(), content)) return failed("cannot write", path, error);
  return true;
}

constexpr int kTemporaryNames = 100;

/// A new file next to `target`, and its name.
std::pair<int, std::filesystem::path> open_temporary(const std::filesystem::path& target,
                                                     mode_t mode) {
  for (int i = 0; i < kTemporaryNames; ++i) {
    std::filesystem::path name = target;
    name += ".tmp." + std::to_string(::getpid()) + "." + std::to_string(i);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return {fd, name};
  }
  return {-1, target};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failed("cannot read", path, errno);
  std::string out;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("cannot read", path, errno);
    if (n == 0) return out;
    if (out.size() + static_cast<std::size_t>(n) > kLargestFile)
      return failed("cannot read", path, EFBIG);
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Result<bool> write_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path target = path;
  std::error_code ignored;
  // A link stays a link: what it points to is replaced.
  if (std::filesystem::is_symlink(path, ignored)) {
    std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
    if (!real.empty()) target = std::move(real);
  }
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return failed("cannot write", path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_special(target, content);

  const auto [fd, temporary] = open_temporary(target, 0666);
  if (fd < 0) return failed("cannot write", path, errno);
  Descriptor file(fd);
  int error = exists && ::fchmod(fd, status.st_mode & 07777U) != 0 ? errno : 0;
  if (error == 0) error = write_all(fd, content);
  if (error == 0 && ::fsync(fd) != 0 && errno != EINVAL) error = errno;
  if (const int closing = file.close(); error == 0) error = closing;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return failed("cannot write", path, error);
  }
  return true;
}

}  // namespace stallcast::base
