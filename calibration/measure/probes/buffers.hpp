#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "calibration/measure/buffer_pages.hpp"

namespace stallcast::calibration::probing {

/// Memory for direct I/O, on 2 MiB pages where there are any. On 4 KiB pages the same job measured
/// 1.2 to 2.1 GB/s instead of 4.2 (virtio block device, 1 MiB reads): the kind of pages belongs to
/// the result.
class Buffers {
 public:
  /// Throws std::bad_alloc.
  explicit Buffers(std::size_t bytes, BufferPages wanted = BufferPages::huge);
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  [[nodiscard]] std::byte* data() const { return at_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  /// "hugetlb" (reserved huge pages), "thp" (transparent ones, and the kernel says so), "pages".
  [[nodiscard]] std::string_view kind() const { return kind_; }

 private:
  bool map_reserved();
  void map_plain(BufferPages wanted);

  std::byte* at_ = nullptr;
  std::size_t bytes_, mapped_ = 0;
  void* map_ = nullptr;
  std::string_view kind_;
};

/// Fills with bytes that do not compress. The same seed gives the same bytes.
void fill_random(std::span<std::byte> bytes, std::uint64_t seed);

/// Makes every 4 KiB of `bytes` unlike any that was stamped before with another `serial`: what
/// finds equal blocks finds none.
void stamp(std::span<std::byte> bytes, std::uint64_t serial);

}  // namespace stallcast::calibration::probing
