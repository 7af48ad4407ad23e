#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "models/failure/renewal.hpp"

/// What saves under way take from a job: a buffer that the next one waits for, and steps that a
/// thread slows down. docs/models/failures.md, equations 19 and 20.
namespace stallcast::models {

/// Measured saves that a save of months may be like: as whole as it is, and as far on their way.
class Alike {
 public:
  explicit Alike(const JobPace& pace);
  /// To save number `number`, from 0 on.
  [[nodiscard]] const std::vector<std::size_t>& of(std::int64_t number) const {
    return alike_[sort_of(number)];
  }
  /// One that comes as often as the others where asked for number after number.
  [[nodiscard]] std::size_t in_turn(std::int64_t number) {
    const std::size_t sort = sort_of(number);
    return alike_[sort][turns_[sort]++ % alike_[sort].size()];
  }
  /// Of what was measured of each save, the mean over as many of each sort as come.
  [[nodiscard]] Seconds mean(const std::vector<Seconds>& measured) const;
  /// Saves until the sorts come round.
  [[nodiscard]] std::int64_t period() const { return period_; }

 private:
  [[nodiscard]] std::size_t sort_of(std::int64_t number) const {
    return (number % drains_ == 0 ? 2u : 0u) + (number % whole_ == 0 ? 1u : 0u);
  }
  std::int64_t drains_, whole_, period_;
  std::array<std::vector<std::size_t>, 4> alike_;
  std::array<std::size_t, 4> turns_{};
};

/// Buffers of host memory that saves have until they are flushed.
class HeldBuffers {
 public:
  /// A save that is ready at `now`, like measured save `like`, gets one, and keeps it until it is
  /// flushed. Returns its start: `now`, and what it waits.
  ///     start = max(now, end of the flush that ends first - ahead)    [checkpoint.md, eq. 3]
  Seconds take(const JobPace& pace, std::size_t like, Seconds now);
  /// Flushes end with the processes that ran them.
  void clear() { free_ = {}; }

 private:
  /// Dates at which those that are taken are free again.
  std::priority_queue<Seconds, std::vector<Seconds>, std::greater<>> free_;
};

/// From the start of save number `number` until it is in all tiers that it goes to, as long as
/// measured save `like` took.
[[nodiscard]] Seconds flushes(const JobPace& pace, std::size_t like, std::int64_t number);

/// Of `work`, what is done by steps that begin while a flush is under way that lasts `left` more.
[[nodiscard]] Seconds slowed_work(const JobPace& pace, Seconds work, Seconds left);

/// What saves cost beside their stalls, mean of each while nothing fails.
struct Between {
  Seconds waited;  ///< for a buffer
  Seconds slowed;  ///< the steps until the next save took longer
};
[[nodiscard]] Between between_saves(const JobPace& pace, std::int64_t steps);

}  // namespace stallcast::models
