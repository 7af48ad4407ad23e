#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/sim/short_list.hpp"

namespace stallcast::sim {

/// First in, first out, in one piece of memory that grows to the most that was in it. Empty, it
/// takes none: a simulation has tens of thousands of lines, and most are short. The first
/// `kInside`, a power of two or none, lie in the object itself. T must have a default.
template <class T, std::uint32_t kInside = 0>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The i-th from the front. REQUIRES: i < size().
  [[nodiscard]] T& operator[](std::size_t i) { return slot(at(i)); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return slot(at(i)); }
  /// REQUIRES: not empty.
  [[nodiscard]] T& front() { return slot(first_); }
  [[nodiscard]] const T& front() const { return slot(first_); }

  void push_back(T value) { add() = std::move(value); }
  /// One more, to be written.
  T& add() {
    if (size_ == slots_.size()) grow();
    return slot(at(size_++));
  }
  /// REQUIRES: not empty.
  void pop_front() {
    first_ = at(1);
    --size_;
  }
  void clear() { first_ = size_ = 0; }

 private:
  using Slots =
      std::conditional_t<kInside == 0, std::vector<T>, ShortList<T, std::max(kInside, 1U)>>;
  // A power of two, like every size after it.
  static constexpr std::uint32_t kLeast = kInside == 0 ? 4 : kInside;
  [[nodiscard]] T& slot(std::size_t i) { return slots_.begin()[static_cast<std::ptrdiff_t>(i)]; }
  [[nodiscard]] const T& slot(std::size_t i) const {
    return slots_.begin()[static_cast<std::ptrdiff_t>(i)];
  }
  [[nodiscard]] std::size_t at(std::size_t i) const { return (first_ + i) & (slots_.size() - 1); }
  [[gnu::noinline]] void grow() {
    Slots more;
    more.resize(slots_.empty() ? kLeast : 2 * static_cast<std::uint32_t>(slots_.size()));
    auto to = more.begin();
    for (std::size_t i = 0; i < size_; ++i) *to++ = std::move((*this)[i]);
    slots_ = std::move(more);
    first_ = 0;
  }

  Slots slots_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace stallcast::sim
