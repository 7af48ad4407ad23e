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

/// Programs by the date at which they resume, those of one date in the order they were added.
///
/// Few are a heap. Of many, the next half of all dates is cut into as many buckets as there are
/// events, each a list in no order that is sorted when its turn comes: an event costs the same
/// however many wait, and nothing is touched between adding and taking it. What is due within the
/// bucket whose turn it is goes to the heap; what is due after the last bucket is one list, cut
/// into buckets when these have been used up.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Of the next event. REQUIRES for these three: not empty.
  [[nodiscard]] double date() const { return next().date; }
  [[nodiscard]] std::coroutine_handle<> waiter() const { return next().waiter; }
  void pop() {
    if (heap_first()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
      heap_.pop_back();
    } else if (++taken_ == sorted_.size()) {
      sorted_.clear();
      taken_ = 0;
    }
    --size_;
    if (heap_.empty() && sorted_.empty() && size_ > 0) turn();
  }
  /// REQUIRES: date finite.
  void push(double date, std::coroutine_handle<> waiter) {
    const Event event{date, order_++, waiter};
    ++size_;
    const double at = (date - from_) * per_second_;
    if (at < now_at_) {
      heap_.push_back(event);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
      if (heap_.size() > kMany && 2 * heap_.size() > size_) spread();
      return;
    }
    add(at < static_cast<double>(buckets_.size()) ? buckets_[static_cast<std::size_t>(at)] : later_,
        event);
    if (heap_.empty() && sorted_.empty()) turn();
  }
  /// Calls `see(date)` for all, in no particular order.
  template <class See>
  void each_date(See&& see) const {
    for (const Event& event : heap_) see(event.date);
    for (std::size_t i = taken_; i < sorted_.size(); ++i) see(sorted_[i].date);
    const auto each = [&](std::uint32_t at) {
      for (; at != kEnd; at = slots_[at].next) see(slots_[at].event.date);
    };
    for (const std::uint32_t first : buckets_) each(first);
    each(later_);
  }

 private:
  struct Event {
    double date;
    std::uint64_t order;
    std::coroutine_handle<> waiter;
    bool operator>(const Event& other) const {
      return date != other.date ? date > other.date : order > other.order;
    }
    bool operator<(const Event& other) const { return other > *this; }
  };
  struct Slot {
    Event event;
    std::uint32_t next;
  };
  static constexpr std::uint32_t kEnd = 0xffffffff;
  static constexpr std::size_t kFew = 32, kMany = 64, kSample = 31, kDescents = 8;
  static constexpr double kNever = std::numeric_limits<double>::infinity(), kLeastSpan = 1e-200;

  [[nodiscard]] bool heap_first() const {
    return sorted_.empty() || (!heap_.empty() && heap_.front() < sorted_[taken_]);
  }
  [[nodiscard]] const Event& next() const { return heap_first() ? heap_.front() : sorted_[taken_]; }
  void add(std::uint32_t& list, const Event& event) {
    std::uint32_t slot = unused_;
    if (slot == kEnd) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      unused_ = slots_[slot].next;
    }
    slots_[slot] = {event, list};
    list = slot;
  }
  // Empties the list.
  template <class Take>
  void take(std::uint32_t& list, Take&& take) {
    for (std::uint32_t at = std::exchange(list, kEnd); at != kEnd;) {
      const std::uint32_t next = slots_[at].next;
      take(slots_[at].event);
      slots_[at].next = unused_;
      unused_ = at;
      at = next;
    }
  }
  // The next events are those of the next bucket. REQUIRES: heap and sorted_ are empty, others not.
  void turn() {
    for (;;) {
      while (bucket_ < buckets_.size() && buckets_[bucket_] == kEnd) ++bucket_;
      if (bucket_ < buckets_.size()) break;
      if (size_ <= kFew) return rest();
      cut();
    }
    take(buckets_[bucket_], [&](const Event& event) { sorted_.push_back(event); });
    now_at_ = static_cast<double>(++bucket_);
    if (sorted_.size() == 1) return;
    std::reverse(sorted_.begin(), sorted_.end());  // many of one date are in order then
    sort();
  }
  // Where few are out of order, they alone move.
  void sort() {
    std::size_t descents = 0;
    for (std::size_t i = 1; i < sorted_.size(); ++i)
      descents += sorted_[i] < sorted_[i - 1] ? 1 : 0;
    if (descents > kDescents) return std::sort(sorted_.begin(), sorted_.end());
    for (auto at = sorted_.begin() + 1; descents > 0 && at != sorted_.end(); ++at)
      if (*at < at[-1]) std::rotate(std::upper_bound(sorted_.begin(), at, *at), at, at + 1);
  }
  // Few are left, all after the last bucket: they and all that come are a heap.
  void rest() {
    take(later_, [&](const Event& event) { heap_.push_back(event); });
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>{});
    buckets_.clear();
    bucket_ = 0;
    from_ = per_second_ = 0.0;
    now_at_ = kNever;
  }
  // The heap has become too large: its events go where they would be with narrower buckets.
  void spread() {
    for (std::uint32_t& bucket : buckets_)
      take(bucket, [&](const Event& event) { sorted_.push_back(event); });
    sorted_.erase(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    for (const Event& event : sorted_) add(later_, event);
    for (const Event& event : heap_) add(later_, event);
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
    for (std::uint32_t at = later_; at != kEnd; at = slots_[at].next, ++seen) {
      const double date = slots_[at].event.date;
      first = std::min(first, date);
      if (seen % every == 0 && seen / every < kSample) sample[seen / every] = date;
    }
    std::nth_element(sample.begin(), sample.begin() + kSample / 2, sample.end());
    const double least = std::max(4.0 * std::numeric_limits<double>::epsilon() * first, kLeastSpan);
    const double span = std::max(2.0 * (sample[kSample / 2] - first), least);
    buckets_.assign(size_, kEnd);
    bucket_ = 0;
    from_ = first;
    per_second_ = static_cast<double>(size_) / span;
    now_at_ = 0.0;
    std::uint32_t all = std::exchange(later_, kEnd);
    while (all != kEnd) {
      Slot& slot = slots_[all];
      const double at = (slot.event.date - from_) * per_second_;
      std::uint32_t& list =
          at < static_cast<double>(size_) ? buckets_[static_cast<std::size_t>(at)] : later_;
      const std::uint32_t next = std::exchange(slot.next, list);
      list = std::exchange(all, next);
    }
  }

  std::size_t size_ = 0;
  std::uint64_t order_ = 0;
  std::vector<Event> heap_;
  std::vector<Event> sorted_;  // of the bucket whose turn it is, `taken_` of them gone
  std::size_t taken_ = 0;
  std::vector<std::uint32_t> buckets_;  // first slot of each
  std::size_t bucket_ = 0;              // the next one
  double from_ = 0.0, per_second_ = 0.0;
  double now_at_ = kNever;  // like bucket_; before it: the heap
  std::vector<Slot> slots_;
  std::uint32_t later_ = kEnd, unused_ = kEnd;  // slots
};

}  // namespace stallcast::sim
