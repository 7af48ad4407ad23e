#include "calibration/measure/probes/data_file.hpp"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "calibration/measure/probes/buffers.hpp"

namespace stallcast::calibration::probing {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{4} << 20U;

Failure buffered(const std::string& why) {
  return {ExitCode::bad_input, why,
          "the probe would measure memory, not storage; choose a folder on a disk or a server"};
}

/// What the kernel says of direct I/O: the alignment, or 0 where it says nothing.
Result<std::uint64_t> stated_alignment(int fd) {
  struct statfs system {};
  if (fstatfs(fd, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC))
    return buffered("the folder is in memory (tmpfs), which takes O_DIRECT and ignores it");
#ifdef STATX_DIOALIGN
  struct statx info {};
  if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &info) == 0 &&
      (info.stx_mask & STATX_DIOALIGN) != 0) {
    if (info.stx_dio_offset_align == 0)
      return buffered("the file system does no direct I/O on this file");
    return std::uint64_t{std::max(info.stx_dio_offset_align, info.stx_dio_mem_align)};
  }
#endif
  return std::uint64_t{0};
}

std::optional<Failure> fill(int fd, std::uint64_t bytes, std::uint64_t seed, std::uint64_t passes,
                            std::uint64_t& written) {
  Buffers buffer(kChunk);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    fill_random({buffer.data(), kChunk}, seed + pass);
    for (std::uint64_t at = 0; at < bytes;) {
      const std::uint64_t size = std::min(kChunk, bytes - at);
      stamp({buffer.data(), size}, (pass << 40U) + at / kChunk);
      const ssize_t moved = pwrite(fd, buffer.data(), size, static_cast<off_t>(at));
      if (moved <= 0) {
        const int reason = moved == 0 ? ENOSPC : errno;
        Failure failure = system_failure(
            "write the probe's file of " + std::to_string(bytes >> 20U) + " MiB", reason, "");
        if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
          failure.hint = "make room or raise the limit, or let it write less with --space BYTES";
        else if (reason == EINVAL)
          failure = buffered("the file system refuses direct writes (O_DIRECT)");
        return failure;
      }
      at += static_cast<std::uint64_t>(moved);
      written += static_cast<std::uint64_t>(moved);
    }
    if (fsync(fd) != 0) return system_failure("sync the probe's file", errno);
  }
  return std::nullopt;
}

/// nullopt where the file system has no FIEMAP; else why reading would not reach storage, or "".
std::optional<std::string> fiemap_fault(int fd, std::uint64_t bytes) {
  constexpr std::size_t kAtOnce = 256;
  std::vector<std::byte> memory(sizeof(fiemap) + kAtOnce * sizeof(fiemap_extent));
  constexpr std::uint32_t kNotOnDisk = FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_DATA_INLINE |
                                       FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN;
  std::uint64_t at = 0;
  while (at < bytes) {
    std::fill(memory.begin(), memory.end(), std::byte{0});
    auto* map = reinterpret_cast<fiemap*>(memory.data());
    map->fm_start = at;
    map->fm_length = bytes - at;
    map->fm_flags = FIEMAP_FLAG_SYNC;
    map->fm_extent_count = kAtOnce;
    if (ioctl(fd, FS_IOC_FIEMAP, map) != 0) return std::nullopt;
    if (map->fm_mapped_extents == 0) break;
    const auto* extents =
        reinterpret_cast<const fiemap_extent*>(memory.data() + offsetof(fiemap, fm_extents));
    for (std::uint32_t i = 0; i < map->fm_mapped_extents; ++i) {
      const fiemap_extent& extent = extents[i];
      if (extent.fe_logical > at) return "a hole";
      if ((extent.fe_flags & kNotOnDisk) != 0) return "extents that were never written";
      at = extent.fe_logical + extent.fe_length;
    }
  }
  return at < bytes ? "a hole" : "";
}

}  // namespace

std::uint64_t cached_bytes(int fd, std::uint64_t bytes) {
  void* map = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return 0;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((bytes + page - 1) / page);
  const bool known = mincore(map, bytes, resident.data()) == 0;
  munmap(map, bytes);
  if (!known) return 0;
  return page * static_cast<std::uint64_t>(std::count_if(resident.begin(), resident.end(),
                                                         [](unsigned char c) { return c & 1U; }));
}

Result<std::string> check_extents(int fd, std::uint64_t bytes) {
  const auto refuse = [](const std::string& what) {
    return Failure{ExitCode::bad_input, "the probe's file has " + what,
                   "reading there measures memory, not storage; does the file system compress or "
                   "leave zeros out?"};
  };
  if (const auto fault = fiemap_fault(fd, bytes)) {
    if (!fault->empty()) return refuse(*fault);
    return std::string("all written (FIEMAP)");
  }
  const off_t hole = lseek(fd, 0, SEEK_HOLE);
  if (hole < 0) return std::string("not known: the file system has neither FIEMAP nor SEEK_HOLE");
  if (static_cast<std::uint64_t>(hole) < bytes) return refuse("a hole");
  return std::string("no hole (SEEK_HOLE)");
}

Result<DataFile> write_data_file(const Scratch& scratch, std::uint64_t bytes, std::uint64_t seed,
                                 const Watch& watch, const std::function<void(double)>& fraction,
                                 std::uint64_t passes) {
  const Result<int> opened = scratch.open_nameless(O_DIRECT);
  if (!opened.ok()) return opened.failure();
  Descriptor fd(opened.value());
  const Result<std::uint64_t> stated = stated_alignment(fd.get());
  if (!stated.ok()) return stated.failure();
  DataFile file{.bytes = bytes, .dio = {}, .extents = {}};
  file.alignment = stated.value() == 0 ? 4096 : stated.value();
  file.dio = stated.value() == 0 ? "O_DIRECT, no page cached (mincore)"
                                 : "O_DIRECT, STATX_DIOALIGN " + std::to_string(stated.value()) +
                                       ", no page cached (mincore)";
  const Shared<std::uint64_t> written;
  Watch mine = watch;
  const double all = static_cast<double>(passes) * static_cast<double>(bytes);
  mine.tick = [&] {
    if (fraction) fraction(static_cast<double>(*written) / all);
  };
  mine.limit_s = 3600.0;
  const double began = clock_s();
  if (auto failure = in_processes(
          1, [&](std::size_t) { return fill(fd.get(), bytes, seed, passes, *written); }, mine))
    return *failure;
  file.fill_rate = all / (clock_s() - began);
  if (cached_bytes(fd.get(), bytes) > 0)
    return buffered("the file system takes O_DIRECT, but puts the data in the page cache");
  const Result<std::string> extents = check_extents(fd.get(), bytes);
  if (!extents.ok()) return extents.failure();
  file.extents = extents.value();
  file.fd = fd.release();
  return file;
}

Result<DataFile> open_device(const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (fd.get() < 0) return system_failure("open \"" + path + "\"", errno, "may this user read it?");
  struct stat info {};
  DataFile file{.device = true, .dio = "O_DIRECT on a device", .extents = "a raw device"};
  int sector = 512;
  if (fstat(fd.get(), &info) != 0 || !S_ISBLK(info.st_mode) ||
      ioctl(fd.get(), BLKGETSIZE64, &file.bytes) != 0 || ioctl(fd.get(), BLKSSZGET, &sector) != 0)
    return Failure{ExitCode::bad_input, "\"" + path + "\" is not a block device", ""};
  file.alignment = static_cast<std::uint64_t>(sector);
  file.fd = fd.release();
  return file;
}

}  // namespace stallcast::calibration::probing
