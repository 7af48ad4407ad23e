#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace stallcast::models {

/// A std::map for few entries, in one piece of memory: ranks simulated one by one keep thousands,
/// and read and copy them at every step. Changing it moves what iterators point to.
template <class Key, class Value>
class FlatMap {
 public:
  using Entry = std::pair<Key, Value>;

  Value& operator[](const Key& key) {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), key, before);
    if (at != entries_.end() && at->first == key) return at->second;
    return entries_.insert(at, Entry{key, Value{}})->second;
  }
  [[nodiscard]] auto find(const Key& key) { return find_in(entries_, key); }
  [[nodiscard]] auto find(const Key& key) const { return find_in(entries_, key); }
  [[nodiscard]] bool contains(const Key& key) const { return find(key) != end(); }
  auto erase(typename std::vector<Entry>::iterator at) { return entries_.erase(at); }
  void clear() { entries_.clear(); }

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] auto size() const { return entries_.size(); }
  /// In the order of the keys.
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  static bool before(const Entry& entry, const Key& key) { return entry.first < key; }
  template <class Entries>
  static auto find_in(Entries& entries, const Key& key) {
    const auto at = std::lower_bound(entries.begin(), entries.end(), key, before);
    return at != entries.end() && at->first == key ? at : entries.end();
  }
  std::vector<Entry> entries_;
};

}  // namespace stallcast::models
