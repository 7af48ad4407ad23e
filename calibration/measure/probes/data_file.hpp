#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

#include "calibration/measure/probes/processes.hpp"
#include "calibration/measure/probes/scratch.hpp"
#include "stallcast/result.hpp"

/// The file or device that the io probe measures.
namespace stallcast::calibration::probing {

/// An open file; closes it unless it was let go.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

struct DataFile {
  int fd = -1;  ///< open with O_DIRECT
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 512;  ///< of offsets, sizes and buffers
  bool device = false;            ///< a raw device: it is only read
  std::string dio;                ///< how direct I/O was checked
  double fill_rate = 0.0;         ///< B/s of writing it, both times; 0 for a device
  std::string extents;            ///< "all written", or that the file system cannot tell
};

/// Writes a nameless file of `bytes` in `scratch`, `passes` times with other bytes that do not
/// compress each time, and checks that
///   direct I/O is not quietly buffered: tmpfs is refused, and no page of the file may be in the
///   page cache after it was written;
///   it has no holes and no extents that are only reserved: reading those measures memory.
/// `fraction` receives how far it is, 0..1. The caller closes `fd`.
[[nodiscard]] Result<DataFile> write_data_file(const Scratch& scratch, std::uint64_t bytes,
                                               std::uint64_t seed, const Watch& watch,
                                               const std::function<void(double)>& fraction,
                                               std::uint64_t passes = 2);

/// Bytes of the first `bytes` of the file that are in the page cache; 0 where that is unknown.
[[nodiscard]] std::uint64_t cached_bytes(int fd, std::uint64_t bytes);

/// Opens a block device for reading. Fails when `path` is none.
[[nodiscard]] Result<DataFile> open_device(const std::string& path);

/// Fails when the file behind `fd` has a byte that was never written, from FIEMAP, or from
/// SEEK_HOLE where the file system has no FIEMAP; else says what is known.
[[nodiscard]] Result<std::string> check_extents(int fd, std::uint64_t bytes);

}  // namespace stallcast::calibration::probing
