#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <unordered_map>

namespace stallcast::models {

/// Ranges of files that a host holds in memory; what came in first goes first.
///    [docs/models/replay.md, eq. 3]
class HostPages {
 public:
  /// `most`: bytes that are held.
  explicit HostPages(double most) : most_(most) {}

  struct Missing {
    std::uint64_t bytes = 0;
    std::uint64_t pieces = 0;  ///< that lie apart
  };
  [[nodiscard]] Missing missing(std::uint64_t file, std::uint64_t begin, std::uint64_t end) const {
    Missing out;
    for_holes(file, begin, end, [&](std::uint64_t from, std::uint64_t to) {
      out.bytes += to - from;
      ++out.pieces;
    });
    return out;
  }
  /// Holds all of the range from now on.
  void add(std::uint64_t file, std::uint64_t begin, std::uint64_t end) {
    const std::size_t before = order_.size();
    for_holes(file, begin, end, [&](std::uint64_t from, std::uint64_t to) {
      order_.push_back({file, from, to});
    });
    for (std::size_t i = before; i < order_.size(); ++i) {
      files_[file][order_[i].begin] = order_[i].end;
      held_ += static_cast<double>(order_[i].end - order_[i].begin);
    }
    while (!order_.empty() && (held_ > most_ || order_.size() > kMostRanges)) drop_first();
  }

 private:
  struct Range {
    std::uint64_t file, begin, end;
  };
  using Ranges = std::map<std::uint64_t, std::uint64_t>;
  static constexpr std::size_t kMostRanges = std::size_t{1} << 20U;

  template <class Each>
  void for_holes(std::uint64_t file, std::uint64_t begin, std::uint64_t end, Each each) const {
    const auto known = files_.find(file);
    if (known == files_.end()) {
      if (begin < end) each(begin, end);
      return;
    }
    auto next = known->second.upper_bound(begin);
    if (next != known->second.begin()) begin = std::max(begin, std::prev(next)->second);
    for (; begin < end; ++next) {
      const bool last = next == known->second.end() || next->first >= end;
      const std::uint64_t to = last ? end : next->first;
      if (begin < to) each(begin, to);
      if (last) return;
      begin = next->second;
    }
  }
  void drop_first() {
    const Range& first = order_.front();
    const auto file = files_.find(first.file);
    file->second.erase(first.begin);
    if (file->second.empty()) files_.erase(file);
    held_ -= static_cast<double>(first.end - first.begin);
    order_.pop_front();
  }

  double most_;
  double held_ = 0.0;
  std::unordered_map<std::uint64_t, Ranges> files_;
  std::deque<Range> order_;
};

}  // namespace stallcast::models
