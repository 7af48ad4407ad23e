#include "models/failure/under_way.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stallcast::models {
namespace {

// Saves of which the mean is taken: more of those measured tell nothing new.
constexpr std::int64_t kOfMean = 64;
// And of those that come, where it takes more until the sorts come round.
constexpr std::int64_t kMostPlayed = 100'000;

}  // namespace

Alike::Alike(const JobPace& pace) : drains_(pace.drains), whole_(pace.whole) {
  period_ = std::lcm(drains_, whole_);
  for (std::size_t i = 0; i < pace.stalls.size(); ++i)
    alike_[sort_of(static_cast<std::int64_t>(i))].push_back(i);
  for (std::vector<std::size_t>& sort : alike_) {
    if (!sort.empty()) continue;  // the detailed run had none of them
    sort.resize(pace.stalls.size());
    std::iota(sort.begin(), sort.end(), std::size_t{0});
  }
}

Seconds Alike::mean(const std::vector<Seconds>& measured) const {
  const double both = 1.0 / static_cast<double>(period_);
  const double drained = 1.0 / static_cast<double>(drains_) - both;
  const double whole = 1.0 / static_cast<double>(whole_) - both;
  const std::array<double, 4> shares{1.0 - drained - whole - both, whole, drained, both};
  Seconds mean;
  for (std::size_t sort = 0; sort < shares.size(); ++sort) {
    Seconds sum;
    for (const std::size_t i : alike_[sort]) sum += measured[i];
    mean += sum / static_cast<double>(alike_[sort].size()) * shares[sort];
  }
  return mean;
}

Seconds HeldBuffers::take(const JobPace& pace, std::size_t like, Seconds now) {
  if (pace.buffers == 0) return now;
  const Seconds ahead = pace.ahead.empty() ? Seconds{} : pace.ahead[like];
  while (!free_.empty() && free_.top() <= now + ahead) free_.pop();
  Seconds start = now;
  if (free_.size() >= static_cast<std::size_t>(pace.buffers)) {
    start = free_.top() - ahead;
    free_.pop();
  }
  free_.push(start + pace.staged[like]);
  return start;
}

Seconds flushes(const JobPace& pace, std::size_t like, std::int64_t number) {
  Seconds last;
  for (const CopyTier& tier : pace.tiers)
    if (number % tier.every == 0) last = std::max(last, tier.after[like]);
  return last;
}

Seconds slowed_work(const JobPace& pace, Seconds work, Seconds left) {
  if (pace.slowed <= Seconds{} || left <= Seconds{}) return {};
  return std::min(work, pace.step * std::ceil(left / (pace.step + pace.slowed) - 1e-9));
}

// The wait is no function of the mean flush: where only some are long, others have none. So the
// saves are gone through.    [docs/models/failures.md, eq. 20]
Between between_saves(const JobPace& pace, std::int64_t steps) {
  if (pace.stalls.empty() || (pace.slowed <= Seconds{} && pace.buffers == 0)) return {};
  const Seconds work = pace.step * static_cast<double>(steps);
  Alike alike(pace);
  HeldBuffers buffers;
  std::int64_t saves = std::min(static_cast<std::int64_t>(pace.stalls.size()), kOfMean);
  std::int64_t turn = alike.period();
  for (const CopyTier& tier : pace.tiers) turn = std::lcm(turn, tier.every);
  saves = std::min((saves + turn - 1) / turn * turn, kMostPlayed);
  Seconds now, flushed;
  Between sum;
  for (std::int64_t number = 0; number < 2 * saves; ++number) {  // once to get there
    const std::size_t like = alike.in_turn(number);
    const Seconds start = buffers.take(pace, like, now);
    const Seconds waited = start - now;
    flushed = std::max(flushed, start + flushes(pace, like, number));
    now = start + pace.stalls[like];
    const Seconds slowed = slowed_work(pace, work, flushed - now) * (pace.slowed / pace.step);
    now += work + slowed;
    if (number < saves) continue;
    sum.waited += waited;
    sum.slowed += slowed;
  }
  const double each = 1.0 / static_cast<double>(saves);
  return {sum.waited * each, sum.slowed * each};
}

}  // namespace stallcast::models
