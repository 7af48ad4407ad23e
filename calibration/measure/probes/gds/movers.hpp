#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "calibration/measure/probes/gds/cufile.hpp"

/// One block between storage, host memory and the memory of the accelerator, each way there is.
namespace stallcast::calibration::gds {

enum class Way {
  pageable,       ///< O_DIRECT to or from ordinary memory on huge pages, then a copy
  pinned,         ///< O_DIRECT to or from page-locked memory, then a copy
  direct_pinned,  ///< two page-locked buffers: storage works on one while the other is copied
  cufile,         ///< cuFileRead, cuFileWrite
  copy_pageable,  ///< no storage: host memory and device only
  copy_pinned
};

/// Moves blocks one after the other. For the thread that made it.
class BlockMover {
 public:
  virtual ~BlockMover() = default;
  /// To the device (`reading`) or from it. Throws Trouble.
  virtual void move(std::uint64_t offset, bool reading) = 0;
  /// Waits for what is still under way. Throws Trouble.
  virtual void drain() {}
  /// Reads `offset` both through the device and past it, and compares. Throws Trouble.
  virtual void verify(std::uint64_t offset) = 0;
  [[nodiscard]] virtual std::string buffers() const = 0;
};

struct MoverParts {
  const CudaContext& context;
  int fd = -1;             ///< open with O_DIRECT
  std::size_t size = 0;    ///< of a block: a multiple of 4 KiB for files
  std::uint64_t seed = 0;  ///< of what is written
  const CuFile* api = nullptr;
  void* handle = nullptr;  ///< of cuFile
  bool registered = true;  ///< the device buffer, with cuFile
};

[[nodiscard]] std::unique_ptr<BlockMover> make_mover(Way way, const MoverParts& parts);

}  // namespace stallcast::calibration::gds
