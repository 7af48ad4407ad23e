#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace stallcast::calibration {

/// Tells lines that came before, by 64 bits of hash: two different lines among millions are taken
/// for one with a chance of about one in a million. Holds at most kMost lines, in 64 MiB: 70 % of
/// 2^23.
class SeenLines {
 public:
  static constexpr std::size_t kMost = std::size_t{5'800'000};

  /// True when `line` came before. Behind kMost lines, new ones are not remembered.
  bool before(std::string_view line) {
    const std::uint64_t hash = std::hash<std::string_view>{}(line) | 1U;
    if (used_ * 10 >= slots_.size() * 7 && used_ < kMost) grow();
    std::size_t at = place(slots_, hash);
    if (slots_[at] == hash) return true;
    if (used_ < kMost) {
      slots_[at] = hash;
      ++used_;
    } else {
      full_ = true;
    }
    return false;
  }
  [[nodiscard]] bool full() const { return full_; }

 private:
  /// Where `hash` is, or may be put.
  static std::size_t place(const std::vector<std::uint64_t>& slots, std::uint64_t hash) {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = (hash >> 7U) & mask;
    while (slots[at] != 0 && slots[at] != hash) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> larger(slots_.size() * 2);
    for (const std::uint64_t hash : slots_)
      if (hash != 0) larger[place(larger, hash)] = hash;
    slots_ = std::move(larger);
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);
  std::size_t used_ = 0;
  bool full_ = false;
};

}  // namespace stallcast::calibration
