#include "calibration/observe/formats/calls.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace stallcast::calibration {
namespace {

using Row = std::pair<std::string_view, OperationKind>;

/// What asks of an open file what its client knows (fstat) is no operation on the storage.
/// Names without leading underscores and "x" variants (__xstat64 is xstat64 here). Sorted.
constexpr std::array kCalls{
    Row{"access", OperationKind::stat},
    Row{"chmod", OperationKind::other},
    Row{"chown", OperationKind::other},
    Row{"close", OperationKind::close},
    Row{"closedir", OperationKind::other},
    Row{"copy_file_range", OperationKind::copy},
    Row{"creat", OperationKind::open},
    Row{"creat64", OperationKind::open},
    Row{"dup", OperationKind::other},
    Row{"dup2", OperationKind::other},
    Row{"dup3", OperationKind::other},
    Row{"faccessat", OperationKind::stat},
    Row{"faccessat2", OperationKind::stat},
    Row{"fadvise64", OperationKind::other},
    Row{"fallocate", OperationKind::truncate},
    Row{"fchmod", OperationKind::other},
    Row{"fclose", OperationKind::close},
    Row{"fcntl", OperationKind::other},
    Row{"fcntl64", OperationKind::other},
    Row{"fdatasync", OperationKind::data_sync},
    Row{"fdopen", OperationKind::other},
    Row{"fgets", OperationKind::read},
    Row{"flistxattr", OperationKind::stat},
    Row{"flock", OperationKind::other},
    Row{"fopen", OperationKind::open},
    Row{"fopen64", OperationKind::open},
    Row{"fputs", OperationKind::write},
    Row{"fread", OperationKind::read},
    Row{"fseek", OperationKind::seek},
    Row{"fseeko", OperationKind::seek},
    Row{"fseeko64", OperationKind::seek},
    Row{"fstat", OperationKind::other},
    Row{"fstat64", OperationKind::other},
    Row{"fstatat", OperationKind::stat},
    Row{"fstatat64", OperationKind::stat},
    Row{"fstatfs", OperationKind::stat},
    Row{"fsync", OperationKind::sync},
    Row{"ftell", OperationKind::seek},
    Row{"ftruncate", OperationKind::truncate},
    Row{"ftruncate64", OperationKind::truncate},
    Row{"fwrite", OperationKind::write},
    Row{"fxstat", OperationKind::other},
    Row{"fxstat64", OperationKind::other},
    Row{"fxstatat", OperationKind::stat},
    Row{"fxstatat64", OperationKind::stat},
    Row{"getdents", OperationKind::directory},
    Row{"getdents64", OperationKind::directory},
    Row{"getxattr", OperationKind::stat},
    Row{"io_submit", OperationKind::ring},
    Row{"io_uring_enter", OperationKind::ring},
    Row{"lgetxattr", OperationKind::stat},
    Row{"link", OperationKind::unlink},
    Row{"linkat", OperationKind::unlink},
    Row{"lseek", OperationKind::seek},
    Row{"lseek64", OperationKind::seek},
    Row{"lstat", OperationKind::stat},
    Row{"lstat64", OperationKind::stat},
    Row{"lxstat", OperationKind::stat},
    Row{"lxstat64", OperationKind::stat},
    Row{"mkdir", OperationKind::directory},
    Row{"mkdirat", OperationKind::directory},
    Row{"mmap", OperationKind::map},
    Row{"mmap64", OperationKind::map},
    Row{"msync", OperationKind::data_sync},
    Row{"newfstatat", OperationKind::stat},
    Row{"open", OperationKind::open},
    Row{"open64", OperationKind::open},
    Row{"openat", OperationKind::open},
    Row{"openat2", OperationKind::open},
    Row{"openat64", OperationKind::open},
    Row{"opendir", OperationKind::directory},
    Row{"posix_fadvise", OperationKind::other},
    Row{"posix_fallocate", OperationKind::truncate},
    Row{"pread", OperationKind::read},
    Row{"pread64", OperationKind::read},
    Row{"preadv", OperationKind::read},
    Row{"preadv2", OperationKind::read},
    Row{"pwrite", OperationKind::write},
    Row{"pwrite64", OperationKind::write},
    Row{"pwritev", OperationKind::write},
    Row{"pwritev2", OperationKind::write},
    Row{"read", OperationKind::read},
    Row{"readahead", OperationKind::other},
    Row{"readdir", OperationKind::directory},
    Row{"readdir64", OperationKind::directory},
    Row{"readlink", OperationKind::stat},
    Row{"readlinkat", OperationKind::stat},
    Row{"readv", OperationKind::read},
    Row{"remove", OperationKind::unlink},
    Row{"rename", OperationKind::unlink},
    Row{"renameat", OperationKind::unlink},
    Row{"renameat2", OperationKind::unlink},
    Row{"rmdir", OperationKind::directory},
    Row{"sendfile", OperationKind::copy},
    Row{"sendfile64", OperationKind::copy},
    Row{"stat", OperationKind::stat},
    Row{"stat64", OperationKind::stat},
    Row{"statfs", OperationKind::stat},
    Row{"statx", OperationKind::stat},
    Row{"symlink", OperationKind::unlink},
    Row{"symlinkat", OperationKind::unlink},
    Row{"sync", OperationKind::sync},
    Row{"sync_file_range", OperationKind::data_sync},
    Row{"syncfs", OperationKind::sync},
    Row{"truncate", OperationKind::truncate},
    Row{"truncate64", OperationKind::truncate},
    Row{"unlink", OperationKind::unlink},
    Row{"unlinkat", OperationKind::unlink},
    Row{"utimensat", OperationKind::other},
    Row{"write", OperationKind::write},
    Row{"writev", OperationKind::write},
    Row{"xstat", OperationKind::stat},
    Row{"xstat64", OperationKind::stat},
};
static_assert(std::is_sorted(kCalls.begin(), kCalls.end(),
                             [](const Row& a, const Row& b) { return a.first < b.first; }));

}  // namespace

std::optional<OperationKind> kind_of_call(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  const auto it =
      std::lower_bound(kCalls.begin(), kCalls.end(), name,
                       [](const Row& row, std::string_view n) { return row.first < n; });
  if (it == kCalls.end() || it->first != name) return std::nullopt;
  return it->second;
}

bool is_positioned(std::string_view name) {
  return name.starts_with("pread") || name.starts_with("pwrite");
}

bool is_pseudo_file(std::string_view path) {
  if (path.starts_with("/proc/") || path.starts_with("/sys/") || path == "/dev" ||
      path.starts_with("pipe:") || path.starts_with("socket:") || path.starts_with("anon_inode:"))
    return true;
  if (!path.starts_with("/dev/")) return false;
  constexpr std::array<std::string_view, 10> kDisks{"shm/", "sd", "nvme", "vd",    "xvd",
                                                    "dm-",  "md", "loop", "disk/", "mapper/"};
  path.remove_prefix(5);
  return std::none_of(kDisks.begin(), kDisks.end(),
                      [path](std::string_view disk) { return path.starts_with(disk); });
}

}  // namespace stallcast::calibration
