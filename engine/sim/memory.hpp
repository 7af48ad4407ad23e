#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

/// Memory of what a simulation has many of. Taking fresh pages costs the more the smaller they are:
/// a first touch of 4 KiB is an interruption of some 2 us, as much as starting several transfers.
/// Large blocks therefore ask for large pages; where there are none nothing else changes.
namespace stallcast::sim {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20U;
inline constexpr std::size_t kCacheLine = 64;

/// Asks for the line of the cache that is written to after `kAhead` others. For loops over
/// far-apart groups, which would wait for each.
inline constexpr std::size_t kAhead = 8;
inline void prefetch(const void* line) { __builtin_prefetch(line, 1); }

/// All lines of `bytes` from there on. `from` may be null, or beyond what is there: nothing is
/// read, and an address is no pointer into an object, so that one beyond it is allowed.
inline void prefetch(const void* from, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
#pragma GCC unroll 16
  for (std::size_t at = 0; at < bytes; at += kCacheLine)
    prefetch(reinterpret_cast<const void*>(address + at));  // NOLINT(performance-no-int-to-ptr)
}

/// What blocks of this size are aligned to: what has the size of a cache line lies in one.
inline std::align_val_t block_alignment(std::size_t size) {
  return std::align_val_t{size < kLargePage ? kCacheLine : kLargePage};
}

/// A block; with large pages if it fills some. Throws std::bad_alloc.
inline void* take_block(std::size_t size) {
  void* const block = ::operator new(size, block_alignment(size));
  if (size >= kLargePage)
    static_cast<void>(::madvise(block, size / kLargePage * kLargePage, MADV_HUGEPAGE));
  return block;
}

/// REQUIRES: from `take_block` with the same size.
inline void give_block(void* block, std::size_t size) noexcept {
  ::operator delete(block, block_alignment(size));
}

template <class T>
struct BlockAllocator {
  using value_type = T;
  BlockAllocator() = default;
  template <class U>
  explicit(false) BlockAllocator(const BlockAllocator<U>& /*other*/) {}
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(take_block(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t count) noexcept { give_block(block, count * sizeof(T)); }
  bool operator==(const BlockAllocator&) const = default;
};

/// A vector that may get long, and then moves once or twice only: what it reserves takes no memory
/// until it is used, but what it leaves behind has been paid for.
template <class T>
class LongVector : public std::vector<T, BlockAllocator<T>> {
  using Vector = std::vector<T, BlockAllocator<T>>;

 public:
  using Vector::Vector;
  template <class... Args>
  [[gnu::always_inline]] T& emplace_back(Args&&... args) {
    if (this->size() == this->capacity()) make_room();
    return Vector::emplace_back(std::forward<Args>(args)...);
  }
  [[gnu::always_inline]] void push_back(const T& value) { emplace_back(value); }

 private:
  [[gnu::noinline]] void make_room() {
    const std::size_t bytes = this->size() * sizeof(T);
    const std::size_t times = bytes >= kLargePage / 4 ? 64 : bytes >= kLargePage / 32 ? 8 : 2;
    this->reserve(std::max<std::size_t>(16, this->size() * times));
  }
};

/// Pieces cut from blocks, one after the other, and never given back: as many bytes are taken at
/// once as were cut so far, and no more than a large page.
class Cutter {
 public:
  /// Aligned for anything. REQUIRES: size <= kLeast.
  void* cut(std::size_t size) {
    size = (size + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
           alignof(std::max_align_t);
    if (size > left_) take();
    void* const piece = at_;
    at_ += size;
    left_ -= size;
    return piece;
  }
  static constexpr std::size_t kLeast = std::size_t{16} << 10U;

 private:
  void take() {
    left_ = std::clamp(taken_, kLeast, kLargePage);
    at_ = static_cast<std::byte*>(take_block(left_));
    taken_ += left_;
  }
  std::byte* at_ = nullptr;
  std::size_t left_ = 0, taken_ = 0;
};

}  // namespace stallcast::sim
