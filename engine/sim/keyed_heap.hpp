#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace stallcast::sim {

/// A min-heap of numbered things whose keys change. Each thing keeps its place in the heap for it:
/// `places(id)` is a reference to that, kNoPlace while it is outside.
class KeyedHeap {
 public:
  static constexpr std::uint32_t kNoPlace = 0xffffffff;

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Infinity when empty.
  [[nodiscard]] double least() const {
    return entries_.empty() ? std::numeric_limits<double>::infinity() : entries_.front().key;
  }
  /// Adds `id`, or gives it another key.
  template <class Places>
  void set(std::uint32_t id, double key, Places&& places) {
    std::uint32_t at = places(id);
    if (at == kNoPlace) {
      at = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({key, id});
    }
    const bool up = key <= entries_[at].key;
    entries_[at].key = key;
    if (up)
      rise(at, places);
    else
      sink(at, places);
  }
  template <class Places>
  void remove(std::uint32_t id, Places&& places) {
    const std::uint32_t at = places(id);
    places(id) = kNoPlace;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (last.id == id) return;
    entries_[at] = last;
    rise(at, places);
    sink(places(last.id), places);
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

  template <class Places>
  void rise(std::uint32_t at, Places&& places) {
    const Entry entry = entries_[at];
    for (; at > 0; at = (at - 1) / 2) {
      const Entry& parent = entries_[(at - 1) / 2];
      if (parent.key <= entry.key) break;
      entries_[at] = parent;
      places(parent.id) = at;
    }
    entries_[at] = entry;
    places(entry.id) = at;
  }
  template <class Places>
  void sink(std::uint32_t at, Places&& places) {
    const Entry entry = entries_[at];
    const auto size = static_cast<std::uint32_t>(entries_.size());
    for (std::uint32_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && entries_[child + 1].key < entries_[child].key) ++child;
      if (entries_[child].key >= entry.key) break;
      entries_[at] = entries_[child];
      places(entries_[at].id) = at;
      at = child;
    }
    entries_[at] = entry;
    places(entry.id) = at;
  }
  template <class Take>
  void visit(std::size_t at, double limit, Take& take) const {
    if (at >= entries_.size() || entries_[at].key > limit) return;
    take(entries_[at].id);
    visit(2 * at + 1, limit, take);
    visit(2 * at + 2, limit, take);
  }

  std::vector<Entry> entries_;
};

}  // namespace stallcast::sim
