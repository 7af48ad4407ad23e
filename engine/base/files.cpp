#include "engine/base/files.hpp"

#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

#include "engine/base/file_failure.hpp"
#include "engine/base/read_buffer.hpp"
#include "engine/base/whole_files.hpp"

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

 private:
  int fd_;
};

}  // namespace

Failure file_failure(std::string_view what, const std::filesystem::path& path, int error) {
  return {ExitCode::bad_input,
          std::string(what) + " " + path.string() + ": " + std::generic_category().message(error),
          hint_for(error)};
}

Result<std::string> read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return file_failure("cannot read", path, errno);
  std::string out;
  ReadBuffer buffer;
  while (true) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_failure("cannot read", path, errno);
    if (n == 0) return out;
    if (out.size() + static_cast<std::size_t>(n) > kLargestFile)
      return file_failure("cannot read", path, EFBIG);
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Result<bool> write_file(const std::filesystem::path& path, std::string_view content) {
  auto file = FileReplacement::of(path);
  if (!file.ok()) return file.failure();
  if (auto written = (*file)->write(content); !written.ok()) return written;
  return (*file)->commit();
}

std::filesystem::path this_program() {
  std::error_code error;
  if (auto path = std::filesystem::read_symlink("/proc/self/exe", error); !error) return path;
  // As it was called: the kernel hands the path over.                           [getauxval(3)]
  const auto* called = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (called == nullptr) return {};
  auto path = std::filesystem::canonical(called, error);
  return error ? std::filesystem::path() : path;
}

}  // namespace stallcast::base
