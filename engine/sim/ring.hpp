#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace stallcast::sim {

/// First in, first out, in one piece of memory that grows to the most that was in it. Empty, it
/// takes none: a simulation has tens of thousands of lines, and most are short. T must have a
/// default.
template <class T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The i-th from the front. REQUIRES: i < size().
  [[nodiscard]] T& operator[](std::size_t i) { return slots_[at(i)]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return slots_[at(i)]; }
  /// REQUIRES: not empty.
  [[nodiscard]] T& front() { return slots_[first_]; }
  [[nodiscard]] const T& front() const { return slots_[first_]; }

  void push_back(T value) { add() = std::move(value); }
  /// One more, to be written.
  T& add() {
    if (size_ == slots_.size()) grow();
    return slots_[at(size_++)];
  }
  /// REQUIRES: not empty.
  void pop_front() {
    first_ = at(1);
    --size_;
  }
  void clear() { first_ = size_ = 0; }

 private:
  static constexpr std::size_t kLeast = 4;  // a power of two, like every size after it
  [[nodiscard]] std::size_t at(std::size_t i) const { return (first_ + i) & (slots_.size() - 1); }
  [[gnu::noinline]] void grow() {
    std::vector<T> more(slots_.empty() ? kLeast : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) more[i] = std::move(slots_[at(i)]);
    slots_.swap(more);
    first_ = 0;
  }

  std::vector<T> slots_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace stallcast::sim
