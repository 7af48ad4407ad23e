#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "calibration/measure/probes/data_file.hpp"
#include "calibration/measure/probes/gds/cuda_driver.hpp"
#include "calibration/measure/probes/gds/libraries.hpp"

/// The part of cuFile that the probe calls, declared by ourselves from its reference: layouts of
/// x86-64, which the assertions below hold to what the library expects.
namespace stallcast::calibration::gds {

/// 0, or 5001 to 5050.
struct CuFileError {
  int error;
  int cuda;
};
static_assert(sizeof(CuFileError) == 8);

struct CuFileDescriptor {
  int type;  ///< 1: a file descriptor
  union {
    int fd;
    void* handle;
  };
  const void* operations;
};
static_assert(sizeof(CuFileDescriptor) == 24);
static_assert(offsetof(CuFileDescriptor, fd) == 8);
static_assert(offsetof(CuFileDescriptor, operations) == 16);

struct CuFileProperties {
  unsigned nvfs_major, nvfs_minor;  ///< 0.0 without the kernel module
  std::size_t poll_threshold, max_direct_io;
  unsigned storage_flags;  ///< bit per kind of storage that may be reached directly
  unsigned control_flags;  ///< bit 1: compat mode is allowed
  unsigned feature_flags;  ///< bit 4: P2P DMA
  unsigned max_device_cache, per_buffer_cache, max_pinned, max_batch, batch_timeout;
};
static_assert(sizeof(CuFileProperties) == 56);
static_assert(offsetof(CuFileProperties, poll_threshold) == 8);
static_assert(offsetof(CuFileProperties, max_direct_io) == 16);
static_assert(offsetof(CuFileProperties, storage_flags) == 24);
static_assert(offsetof(CuFileProperties, control_flags) == 28);
static_assert(offsetof(CuFileProperties, feature_flags) == 32);
static_assert(offsetof(CuFileProperties, max_device_cache) == 36);
static_assert(offsetof(CuFileProperties, max_pinned) == 44);
static_assert(offsetof(CuFileProperties, max_batch) == 48);
static_assert(offsetof(CuFileProperties, batch_timeout) == 52);

/// Counters of one GPU at level 3: which way its requests took.
struct CuFileGpuCounters {
  std::array<unsigned char, 16> uuid;
  std::array<std::uint64_t, 4> other1;
  std::uint64_t reads, p2p_reads, nvfs_reads, posix_reads;
  std::array<std::uint64_t, 9> other2;
  std::uint64_t writes, p2p_writes, nvfs_writes, posix_writes;
  std::array<std::uint64_t, 8> other3;
};
static_assert(sizeof(CuFileGpuCounters) == 248);
static_assert(offsetof(CuFileGpuCounters, reads) == 48);
static_assert(offsetof(CuFileGpuCounters, posix_reads) == 72);
static_assert(offsetof(CuFileGpuCounters, writes) == 152);
static_assert(offsetof(CuFileGpuCounters, posix_writes) == 176);

struct CuFileCounters {
  static constexpr std::size_t kGpus = 16;
  std::array<std::byte, 1024> levels_1_and_2;
  unsigned gpus;
  std::array<CuFileGpuCounters, kGpus> gpu;
  /// A later library may write more.
  std::array<std::byte, (std::size_t{64} << 10U) - 5000> room;
};
static_assert(offsetof(CuFileCounters, gpus) == 1024);
static_assert(offsetof(CuFileCounters, gpu) == 1032);
static_assert(offsetof(CuFileCounters, room) == 5000);

/// Functions of libcufile; those of the second group are missing in old ones.
struct CuFile {
  CuFileError (*open)() = nullptr;
  CuFileError (*close)() = nullptr;
  CuFileError (*properties)(CuFileProperties*) = nullptr;
  CuFileError (*register_file)(void** handle, CuFileDescriptor*) = nullptr;
  void (*deregister_file)(void* handle) = nullptr;
  CuFileError (*register_buffer)(const void* at, std::size_t bytes, int flags) = nullptr;
  CuFileError (*deregister_buffer)(const void* at) = nullptr;
  ssize_t (*read)(void* handle, void* base, std::size_t bytes, off_t file, off_t buffer) = nullptr;
  ssize_t (*write)(void* handle, const void* base, std::size_t bytes, off_t file,
                   off_t buffer) = nullptr;

  CuFileError (*version)(int*) = nullptr;
  CuFileError (*stats_level)(int) = nullptr;
  CuFileError (*stats_start)() = nullptr;
  CuFileError (*counters)(CuFileCounters*) = nullptr;
};

/// Throws Trouble when a function of the first group is missing.
[[nodiscard]] CuFile bind_cufile(const Library& library);

/// "compat mode is off (5049)"; "error 5033" for what has no words here.
[[nodiscard]] std::string cufile_text(int error);
/// Throws Trouble "WHAT: ..." unless the call went well.
void check(CuFileError result, const std::string& what);
/// What a read or write that returned `moved` says; "" when it moved `wanted` bytes. -1 stands for
/// errno, which may be an error of cuFile; below -1 is one; so is 5001..5050 where that is not
/// what was wanted.
[[nodiscard]] std::string transfer_trouble(ssize_t moved, std::size_t wanted, int error_number);

/// What is asked of cuFile, in a file of our own: /etc/cufile.json is neither read nor changed.
struct CuFileSettings {
  bool allow_compat = true;   ///< may go through host memory when it cannot go directly
  bool force_compat = false;  ///< always goes through host memory
  bool p2pdma = false;        ///< may use the kernel's PCI peer-to-peer DMA
};
/// Writes cufile.json in `folder`, where logs go, too. Throws Trouble.
[[nodiscard]] std::filesystem::path write_settings(const CuFileSettings& settings,
                                                   const std::filesystem::path& folder);
/// Makes a cuFile that is loaded later read `file`, and nothing else.
void point_to_settings(const std::filesystem::path& file);

/// An open driver. One per process.
class CuFileDriver {
 public:
  /// Throws Trouble.
  explicit CuFileDriver(const CuFile& api);
  ~CuFileDriver() { api_.close(); }
  CuFileDriver(const CuFileDriver&) = delete;
  CuFileDriver& operator=(const CuFileDriver&) = delete;
  [[nodiscard]] CuFileProperties properties() const;
  /// 1150 is that of CUDA 13.0; 0 when it does not say.
  [[nodiscard]] int version() const;
  /// False when the library does not count by path.
  [[nodiscard]] bool counters(CuFileCounters& into) const;
  [[nodiscard]] const CuFile& api() const { return api_; }

 private:
  const CuFile& api_;
  bool counting_ = false;
};

/// A file that cuFile knows. Throws Trouble.
class CuFileHandle {
 public:
  /// Registers the file of `fd`, opened once more: cuFile refuses descriptors of files that were
  /// made without a name (O_TMPFILE stays among their flags) with error 5019.
  CuFileHandle(const CuFile& api, int fd);
  ~CuFileHandle() { api_.deregister_file(at_); }
  CuFileHandle(const CuFileHandle&) = delete;
  CuFileHandle& operator=(const CuFileHandle&) = delete;
  [[nodiscard]] void* at() const { return at_; }

 private:
  const CuFile& api_;
  probing::Descriptor file_;
  void* at_ = nullptr;
};

}  // namespace stallcast::calibration::gds
