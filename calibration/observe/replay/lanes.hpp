#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "calibration/observe/replay/step_sorter.hpp"
#include "calibration/observe/replay/step_writer.hpp"

namespace stallcast::calibration {

/// Threads in which operations overlap are several: traces without numbers of threads, asynchronous
/// calls. What begins before the operation before it has ended goes to a thread of its own, with
/// the others for which that one is the first that is free.
class Lanes {
 public:
  /// `process` of each thread; lanes are added to it. Ends may be off by `resolution`, in seconds.
  Lanes(std::vector<std::uint64_t>& process, double resolution, const std::string& folder)
      : process_(process), slack_(std::max(kSlack, resolution)), later_(folder) {}

  /// Sorted by thread and start.
  [[nodiscard]] bool add(KeptOperation op, StepWriter& writer) {
    if (op.thread != thread_) {
      thread_ = op.thread;
      ends_.clear();
      numbers_.clear();
    }
    std::size_t lane = 0;
    if (op.issued)
      while (lane + 1 < kMost && lane < ends_.size() && ends_[lane] > op.start + slack_) ++lane;
    if (lane == ends_.size()) {
      ends_.push_back(op.start);
      numbers_.push_back(op.thread);
      if (lane > 0) {
        numbers_.back() = static_cast<std::uint32_t>(process_.size());
        process_.push_back(process_[op.thread]);
      }
    }
    if (op.issued && !std::isnan(op.end)) ends_[lane] = std::max(ends_[lane], op.end);
    if (lane == 0) return writer.add(op);
    ++beside_;
    op.thread = numbers_[lane];
    return later_.add(op);
  }
  /// Those that overlap others, after all were added.
  [[nodiscard]] bool drain(StepWriter& writer) {
    return later_.drain([&](const KeptOperation& op) { return writer.add(op); });
  }
  [[nodiscard]] std::uint64_t beside() const { return beside_; }

 private:
  static constexpr double kSlack = 10e-6;
  static constexpr std::size_t kMost = 1024;

  std::vector<std::uint64_t>& process_;
  double slack_;
  StepSorter later_;
  std::int64_t thread_ = -1;
  std::vector<double> ends_;
  std::vector<std::uint32_t> numbers_;
  std::uint64_t beside_ = 0;
};

}  // namespace stallcast::calibration
