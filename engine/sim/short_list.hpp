#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace stallcast::sim {

/// A vector whose first `N` elements lie in the object itself, for lists that are short but for a
/// few: there are as many of them as transfers, and each block of its own would cost a miss of the
/// cache. What it once took it keeps.
template <class T, std::uint32_t N>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T> && N > 0);

 public:
  ShortList() {}
  ShortList(ShortList&& other) noexcept { take(other); }
  ShortList& operator=(ShortList&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  ShortList(const ShortList& other) { assign(other); }
  ShortList& operator=(const ShortList& other) {
    if (this != &other) assign(other);
    return *this;
  }
  ~ShortList() { drop(); }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] T* begin() { return room_ == N ? own_ : block_; }
  [[nodiscard]] const T* begin() const { return room_ == N ? own_ : block_; }
  [[nodiscard]] T* end() { return begin() + size_; }
  [[nodiscard]] const T* end() const { return begin() + size_; }
  [[nodiscard]] const T& front() const { return *begin(); }
  [[nodiscard]] const T& back() const { return end()[-1]; }
  [[nodiscard]] operator std::span<const T>() const { return {begin(), size_}; }

  void assign(std::span<const T> values) {
    if (values.size() > room_) grow(static_cast<std::uint32_t>(values.size()));
    std::copy(values.begin(), values.end(), begin());
    size_ = static_cast<std::uint32_t>(values.size());
  }
  void push_back(T value) {
    if (size_ == room_) grow(2 * room_);
    begin()[size_++] = value;
  }
  /// REQUIRES: not empty.
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  /// So many elements, of which the added ones are to be written.
  std::span<T> resize(std::uint32_t size) {
    if (size > room_) grow(size);
    size_ = size;
    return {begin(), size_};
  }
  /// Before `at`, which moves; returns where it is.
  T* insert(const T* at, T value) {
    const auto place = at - begin();
    push_back(value);
    T* const here = begin() + place;
    for (T* to = end() - 1; to != here; --to) std::swap(*to, to[-1]);
    return here;
  }
  T* erase(T* at) {
    std::copy(at + 1, end(), at);
    pop_back();
    return at;
  }

 private:
  void grow(std::uint32_t room) {
    T* const block = new T[room];
    std::copy(begin(), end(), block);
    drop();
    block_ = block;
    room_ = room;
  }
  void drop() {
    if (room_ != N) delete[] block_;
  }
  void take(ShortList& other) {
    room_ = std::exchange(other.room_, N);
    size_ = std::exchange(other.size_, 0);
    if (room_ == N)
      std::copy(other.own_, other.own_ + size_, own_);
    else
      block_ = other.block_;
  }

  std::uint32_t size_ = 0, room_ = N;
  union {
    T own_[N];
    T* block_;
  };
};

}  // namespace stallcast::sim
