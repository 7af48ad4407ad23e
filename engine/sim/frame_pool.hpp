#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "engine/sim/memory.hpp"

namespace stallcast::sim {

/// Memory of coroutine frames. A simulation starts and ends a few coroutines per event, always of
/// the same few sizes, with thousands alive: what one leaves the next of its size takes, warm in
/// the cache, and those that start one after the other lie side by side. Nothing is given back
/// before the process ends; that is as much as was in use at one time. With the address sanitizer
/// every frame is allocated by itself, so that it sees what is used late.
class FramePool {
 public:
  static void* take(std::size_t size) {
    const std::size_t bin = bin_of(size);
    if (!kPooled || bin >= kBins) return ::operator new(size);
    Free*& first = free_[bin];
    if (first == nullptr) return fresh_.cut(bin * kGrain);
    void* const frame = first;
    first = first->next;
    return frame;
  }
  static void give(void* frame, std::size_t size) noexcept {
    const std::size_t bin = bin_of(size);
    if (!kPooled || bin >= kBins) {
      ::operator delete(frame);
      return;
    }
    free_[bin] = ::new (frame) Free{free_[bin]};
  }

 private:
  struct Free {
    Free* next;
  };
#ifdef STALLCAST_SANITIZED
  static constexpr bool kPooled = false;
#else
  static constexpr bool kPooled = true;
#endif
  static constexpr std::size_t kGrain = kCacheLine, kBins = 64;  // frames of up to 4 KiB
  static std::size_t bin_of(std::size_t size) { return (size + kGrain - 1) / kGrain; }
  inline static constinit thread_local std::array<Free*, kBins> free_{};
  inline static constinit thread_local Cutter fresh_;
};

/// Base of promises whose coroutines take their frames from the pool.
struct PooledFrame {
  static void* operator new(std::size_t size) { return FramePool::take(size); }
  static void operator delete(void* frame, std::size_t size) noexcept {
    FramePool::give(frame, size);
  }
};

}  // namespace stallcast::sim
