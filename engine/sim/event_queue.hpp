#pragma once

#include <algorithm>
#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace stallcast::sim {

/// Things by their dates, as programs by the dates at which they resume; those of one date in the
/// order they were added.
///
/// Few dates are a heap. Of many, the next half is cut into as many buckets as there are dates,
/// each a list in no order that is sorted when its turn comes: a date costs the same however many
/// wait, and nothing is touched between adding and taking it. What is due within the bucket whose
/// turn it is goes to the heap; what is due after the last bucket is one list, cut into buckets
/// when these have been used up. Those that are added one after the other for one date, as ranks
/// do that pass a barrier, are one entry.
template <class Value>
class DateQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Of the next event; infinity when empty.
  [[nodiscard]] double date() const { return date_; }
  /// The first. REQUIRES: not empty.
  [[nodiscard]] Value first() const { return nodes_[first_].value; }
  /// Takes it. REQUIRES: not empty.
  Value pop() {
    const Value value = nodes_[first_].value;
    const std::uint32_t together = nodes_[first_].together;
    give(first_);
    if (date_ == last_date_) last_ = kEnd;
    if (together != kEnd) {
      first_ = (of_heap_ ? heap_.front() : sorted_[taken_]).node = together;
      return value;
    }
    if (of_heap_) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
      heap_.pop_back();
    } else if (++taken_ == sorted_.size()) {
      sorted_.clear();
      taken_ = 0;
    }
    if (--size_ == 0) {
      date_ = kNever;
      return value;
    }
    if (heap_.empty() && sorted_.empty()) turn();
    find_first();
    return value;
  }
  /// REQUIRES: date finite. What comes before what was taken last costs more.
  void push(double date, Value value) {
    const std::uint32_t node = take();
    nodes_[node].value = value;
    nodes_[node].together = kEnd;
    if (date == last_date_ && last_ != kEnd) {
      last_ = nodes_[last_].together = node;
      return;
    }
    last_date_ = date;
    last_ = node;
    const Entry entry{date, order_++, node};
    ++size_;
    bool moved = date < date_;  // the first is another, or somewhere else
    if (const double at = (date - from_) * per_second_; at < now_at_) {
      heap_.push_back(entry);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
      if (heap_.size() > kMany && 2 * heap_.size() > size_) moved = true, spread();
    } else {
      add(at < bucket_count_ ? buckets_[static_cast<std::size_t>(at)] : later_, entry);
      if (heap_.empty() && sorted_.empty()) moved = true, turn();
    }
    if (moved) find_first();
  }
  /// Calls `see(date)` for all, in no particular order.
  template <class See>
  void each_date(See&& see) const {
    const auto all = [&](double date, std::uint32_t node) {
      for (; node != kEnd; node = nodes_[node].together) see(date);
    };
    for (const Entry& entry : heap_) all(entry.date, entry.node);
    for (std::size_t i = taken_; i < sorted_.size(); ++i) all(sorted_[i].date, sorted_[i].node);
    const auto list = [&](std::uint32_t at) {
      for (; at != kEnd; at = nodes_[at].next) all(nodes_[at].date, at);
    };
    for (const std::uint32_t first : buckets_) list(first);
    list(later_);
  }

 private:
  struct Entry {
    double date;
    std::uint32_t order;  // counts on from 0 after the last: two that wait are closer than half
    std::uint32_t node;   // of its first
    bool operator>(const Entry& other) const { return other < *this; }
    bool operator<(const Entry& other) const {
      return date != other.date ? date < other.date
                                : static_cast<std::int32_t>(order - other.order) < 0;
    }
  };
  struct Node {
    Value value;
    std::uint32_t together;  // next of the same entry
    std::uint32_t next;      // in a list: next entry, by the node of its first
    double date;             // the same
    std::uint32_t order;
  };
  static constexpr std::uint32_t kEnd = 0xffffffff;
  static constexpr std::size_t kFew = 32, kMany = 64, kSample = 31, kDescents = 8;
  static constexpr double kNever = std::numeric_limits<double>::infinity(), kLeastSpan = 1e-200;

  // REQUIRES: not empty.
  void find_first() {
    of_heap_ = sorted_.empty() || (!heap_.empty() && heap_.front() < sorted_[taken_]);
    const Entry& first = of_heap_ ? heap_.front() : sorted_[taken_];
    date_ = first.date;
    first_ = first.node;
  }
  std::uint32_t take() {
    const std::uint32_t node = unused_;
    if (node == kEnd) return fresh();
    unused_ = nodes_[node].next;
    return node;
  }
  [[gnu::noinline]] std::uint32_t fresh() {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  void give(std::uint32_t node) {
    nodes_[node].next = unused_;
    unused_ = node;
  }
  void add(std::uint32_t& list, const Entry& entry) {
    Node& node = nodes_[entry.node];
    node.date = entry.date;
    node.order = entry.order;
    node.next = list;
    list = entry.node;
  }
  // Empties the list.
  void move(std::uint32_t& list, std::vector<Entry>& to) {
    for (std::uint32_t at = std::exchange(list, kEnd); at != kEnd; at = nodes_[at].next)
      to.push_back({nodes_[at].date, nodes_[at].order, at});
  }
  // The next entries are those of the next bucket. REQUIRES: heap and sorted_ are empty, others
  // not.
  void turn() {
    for (;;) {
      while (bucket_ < buckets_.size() && buckets_[bucket_] == kEnd) ++bucket_;
      if (bucket_ < buckets_.size()) break;
      if (size_ <= kFew) return rest();
      cut();
    }
    move(buckets_[bucket_], sorted_);
    now_at_ = static_cast<double>(++bucket_);
    if (sorted_.size() > 1) sort();
  }
  // Lists begin with what was added last. Where few are out of order, they alone move.
  void sort() {
    std::reverse(sorted_.begin(), sorted_.end());
    std::size_t descents = 0;
    for (std::size_t i = 1; i < sorted_.size(); ++i)
      descents += sorted_[i] < sorted_[i - 1] ? 1 : 0;
    if (descents > kDescents) return std::sort(sorted_.begin(), sorted_.end());
    for (auto at = sorted_.begin() + 1; descents > 0 && at != sorted_.end(); ++at)
      if (*at < at[-1]) std::rotate(std::upper_bound(sorted_.begin(), at, *at), at, at + 1);
  }
  // Few are left, all after the last bucket: they and all that come are a heap.
  void rest() {
    move(later_, heap_);
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>{});
    buckets_.clear();
    bucket_ = 0;
    bucket_count_ = 0.0;
    from_ = per_second_ = 0.0;
    now_at_ = kNever;
  }
  // The heap has become too large: its entries go where they would be with narrower buckets.
  void spread() {
    sorted_.erase(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    for (std::uint32_t& bucket : buckets_) move(bucket, sorted_);
    for (const Entry& entry : sorted_) add(later_, entry);
    for (const Entry& entry : heap_) add(later_, entry);
    sorted_.clear();
    heap_.clear();
    bucket_ = buckets_.size();
    turn();
  }
  // What is later is cut into buckets: from the first date on, twice as far as to the median of a
  // sample. Dates that are far off do not count, wherever they are.
  void cut() {
    std::array<double, kSample> sample{};
    double first = kNever;
    const std::size_t every = size_ / kSample;
    std::size_t seen = 0;
    for (std::uint32_t at = later_; at != kEnd; at = nodes_[at].next, ++seen) {
      first = std::min(first, nodes_[at].date);
      if (seen % every == 0 && seen / every < kSample) sample[seen / every] = nodes_[at].date;
    }
    std::nth_element(sample.begin(), sample.begin() + kSample / 2, sample.end());
    const double least = std::max(4.0 * std::numeric_limits<double>::epsilon() * first, kLeastSpan);
    const double span = std::max(2.0 * (sample[kSample / 2] - first), least);
    buckets_.assign(size_, kEnd);
    bucket_ = 0;
    bucket_count_ = static_cast<double>(size_);
    from_ = first;
    per_second_ = bucket_count_ / span;
    now_at_ = 0.0;
    std::uint32_t all = std::exchange(later_, kEnd);
    while (all != kEnd) {
      Node& node = nodes_[all];
      const double at = (node.date - from_) * per_second_;
      std::uint32_t& list = at < bucket_count_ ? buckets_[static_cast<std::size_t>(at)] : later_;
      const std::uint32_t next = std::exchange(node.next, list);
      list = std::exchange(all, next);
    }
  }

  std::size_t size_ = 0;  // entries
  double date_ = kNever;  // of the first
  std::uint32_t first_ = kEnd;
  bool of_heap_ = false;  // where that is
  std::uint32_t order_ = 0;
  std::uint32_t last_ = kEnd;  // added, of an entry that nothing was taken of
  double last_date_ = 0.0;
  std::vector<Entry> heap_;
  std::vector<Entry> sorted_;  // of the bucket whose turn it is, `taken_` of them gone
  std::size_t taken_ = 0;
  std::vector<std::uint32_t> buckets_;  // first entry of each
  std::size_t bucket_ = 0;              // the next one
  double bucket_count_ = 0.0;           // buckets_.size()
  double from_ = 0.0, per_second_ = 0.0;
  double now_at_ = kNever;  // like bucket_; before it: the heap
  std::vector<Node> nodes_;
  std::uint32_t later_ = kEnd, unused_ = kEnd;  // lists of nodes
};

/// Programs, by the dates at which they resume.
using EventQueue = DateQueue<std::coroutine_handle<>>;

}  // namespace stallcast::sim
