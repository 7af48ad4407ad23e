#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/sim/memory.hpp"

namespace stallcast::sim {

/// A min-heap of numbered things whose keys change. `places[id]` is the place of each in it, or
/// kNoPlace; its owner keeps them side by side. An entry has four children, next to each other:
/// half as deep as with two.
///
/// Once a quarter of the keys have changed, the others change without keeping the order, and
/// `settle` finds it for all at once.
class KeyedHeap {
 public:
  static constexpr std::uint32_t kNoPlace = 0xffffffff;
  using Places = LongVector<std::uint32_t>;

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Adds `id`, or gives it another key.
  void set(std::uint32_t id, double key, Places& places) {
    std::uint32_t at = places[id];
    if (at == kNoPlace) {
      at = places[id] = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({key, id});
    }
    const bool up = key <= entries_[at].key;
    entries_[at].key = key;
    if (loose()) return;
    if (up)
      rise(at, places);
    else
      sink(at, places);
  }
  void remove(std::uint32_t id, Places& places) {
    const std::uint32_t at = places[id];
    places[id] = kNoPlace;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (last.id == id) return;
    entries_[at] = last;
    places[last.id] = at;
    if (loose()) return;
    rise(at, places);
    sink(places[last.id], places);
  }
  /// REQUIRED after changes and before what follows.
  void settle(Places& places) {
    if (loose_) order(places);
    loose_ = false;
    changes_ = 0;
  }
  /// Infinity when empty.
  [[nodiscard]] double least() const {
    return entries_.empty() ? std::numeric_limits<double>::infinity() : entries_.front().key;
  }
  /// Calls `take(id)` for everything whose key is at most `limit`, in no particular order.
  template <class Take>
  void each_up_to(double limit, Take&& take) const {
    visit(0, limit, take);
  }
  /// Subtracts `difference` from all keys and calls `of(id)` for each.
  template <class Of>
  void lower(double difference, Of&& of) {
    for (Entry& entry : entries_) {
      entry.key -= difference;
      of(entry.id);
    }
  }

 private:
  struct Entry {
    double key;
    std::uint32_t id;
  };
  static constexpr std::size_t kFew = 8, kChildren = 4;

  bool loose() {
    loose_ = loose_ || ++changes_ > kFew + entries_.size() / kChildren;
    return loose_;
  }
  void rise(std::size_t at, Places& places) {
    const Entry entry = entries_[at];
    for (; at > 0; at = (at - 1) / kChildren) {
      const Entry& parent = entries_[(at - 1) / kChildren];
      if (parent.key <= entry.key) break;
      put(at, parent, places);
    }
    put(at, entry, places);
  }
  void sink(std::size_t at, Places& places) {
    const Entry entry = entries_[at];
    for (std::size_t child = least_child(at); child != at && entries_[child].key < entry.key;
         child = least_child(at)) {
      put(at, entries_[child], places);
      at = child;
    }
    put(at, entry, places);
  }
  // Itself if it has none.
  [[nodiscard]] std::size_t least_child(std::size_t at) const {
    const std::size_t first = kChildren * at + 1;
    if (first >= entries_.size()) return at;
    const std::size_t end = std::min(first + kChildren, entries_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child)
      if (entries_[child].key < entries_[least].key) least = child;
    return least;
  }
  void put(std::size_t at, const Entry& entry, Places& places) {
    entries_[at] = entry;
    places[entry.id] = static_cast<std::uint32_t>(at);
  }
  // From the last parent to the root, each sinks into what is in order below it.
  void order(Places& places) {
    for (std::size_t at = entries_.size() / kChildren + 1; at-- > 0;)
      if (at < entries_.size()) sink(at, places);
  }
  template <class Take>
  void visit(std::size_t at, double limit, Take& take) const {
    if (at >= entries_.size() || entries_[at].key > limit) return;
    take(entries_[at].id);
    for (std::size_t child = kChildren * at + 1; child <= kChildren * (at + 1); ++child)
      visit(child, limit, take);
  }

  std::vector<Entry> entries_;
  std::size_t changes_ = 0;  // since `settle`
  bool loose_ = false;       // in no order
};

}  // namespace stallcast::sim
