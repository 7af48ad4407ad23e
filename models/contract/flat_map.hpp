#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/sim/short_list.hpp"

namespace stallcast::models {

/// A std::map for few entries, the first of them in the object itself: ranks simulated one by one
/// keep thousands, and read and copy them at every step. Changing it moves what iterators point to.
template <class Key, class Value>
class FlatMap {
 public:
  struct Entry {
    Key first;
    Value second;
  };

  Value& operator[](const Key& key) {
    auto at = entries_.begin();
    const auto end = at + entries_.size();
    while (at != end && at->first < key) ++at;
    if (at == end || at->first != key) at = entries_.insert(at, {key, Value{}});
    return at->second;
  }
  [[nodiscard]] auto find(const Key& key) { return find_in(entries_, key); }
  [[nodiscard]] auto find(const Key& key) const { return find_in(entries_, key); }
  [[nodiscard]] bool contains(const Key& key) const { return find(key) != end(); }
  auto erase(Entry* at) { return entries_.erase(at); }
  void clear() { entries_.clear(); }

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// In the order of the keys.
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  template <class Entries>
  static auto find_in(Entries& entries, const Key& key) {
    auto at = entries.begin();
    const auto end = at + entries.size();
    while (at != end && at->first < key) ++at;
    return at != end && at->first == key ? at : end;
  }
  static constexpr std::uint32_t kInside = 4;
  sim::ShortList<Entry, kInside> entries_;
};

}  // namespace stallcast::models
