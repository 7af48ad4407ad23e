#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

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
    auto [at, found] = place_in(entries_, key);
    if (!found) at = entries_.insert(at, {key, Value{}});
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
  /// Where an entry with the key is, or belongs, and whether it is there.
  template <class Entries>
  static auto place_in(Entries& entries, const Key& key) {
    auto at = entries.begin();
    const auto end = at + entries.size();
    while (at != end && at->first < key) ++at;
    return std::pair{at, at != end && at->first == key};
  }
  template <class Entries>
  static auto find_in(Entries& entries, const Key& key) {
    const auto [at, found] = place_in(entries, key);
    return found ? at : entries.end();
  }
  static constexpr std::uint32_t kInside = 4;
  sim::ShortList<Entry, kInside> entries_;
};

}  // namespace stallcast::models
