#include "models/failure/slowing.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {
namespace {

// Saves of which the mean is taken: more of those measured tell nothing new.
constexpr std::size_t kOfMean = 64;

}  // namespace

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

// Waits for a buffer are left out: where there are any, every step begins while a flush lasts.
Seconds slowed_between(const JobPace& pace, std::int64_t steps) {
  if (pace.slowed <= Seconds{} || pace.stalls.empty()) return {};
  const Seconds work = pace.step * static_cast<double>(steps);
  std::int64_t saves = static_cast<std::int64_t>(std::min(pace.stalls.size(), kOfMean));
  for (const CopyTier& tier : pace.tiers)  // whole turns of what comes to each
    saves = (saves + tier.every - 1) / tier.every * tier.every;
  Seconds now, flushed, sum;
  for (std::int64_t number = 0; number < 2 * saves; ++number) {  // once to get there
    const auto like = static_cast<std::size_t>(number) % pace.stalls.size();
    flushed = std::max(flushed, now + flushes(pace, like, number));
    now += pace.stalls[like];
    const Seconds slowed = slowed_work(pace, work, flushed - now) * (pace.slowed / pace.step);
    if (number >= saves) sum += slowed;
    now += work + slowed;
  }
  return sum / static_cast<double>(saves);
}

}  // namespace stallcast::models
