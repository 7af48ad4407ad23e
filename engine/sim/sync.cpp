#include "engine/sim/sync.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

namespace stallcast::sim {

void Signal::set() {
  is_set_ = true;
  for (const std::coroutine_handle<> waiter : waiters_) context_.resume_soon(waiter);
  waiters_.clear();
}

void Slots::release() {
  if (waiters_.empty()) {
    ++free_;
    return;
  }
  context_.resume_soon(waiters_.front());
  waiters_.pop_front();
}

ServerQueue::ServerQueue(Context& context, std::int64_t servers)
    : context_(context), free_at_(static_cast<std::size_t>(servers), 0.0) {
  assert(servers >= 1);
}

Seconds ServerQueue::admit(double count, Seconds service) {
  assert(count >= 0.0 && service >= Seconds{});
  if (count == 0.0) return context_.now();
  const double now = context_.now().in(unit::s);
  const double length = service.in(unit::s);
  served_ += count;
  busy_ += service * count;
  if (length == 0.0) {  // takes no server's time, but waits for one like everybody
    const double start = std::max(now, free_at_.front());
    waited_ += Seconds::from(count * (start - now), unit::s);
    return Seconds::from(start, unit::s);
  }
  double whole = std::floor(count);
  double part = count - whole;
  const double nearest = std::round(count);
  if (nearest >= 1.0 && std::abs(count - nearest) <= 1e-9 * count) {
    whole = nearest;
    part = 0.0;
  }

  double last_start = now;
  double waited = 0.0;
  if (whole >= static_cast<double>(free_at_.size()) && whole > 1.0) {
    whole = serve_rounds(whole, now, length, last_start);
  }
  for (; whole > 0.0; whole -= 1.0) {
    const double start = take_first(now, length);
    waited += start - now;
    last_start = std::max(last_start, start);
  }
  if (part > 0.0) {
    const double start = take_first(now, part * length);
    waited += part * (start - now);
    last_start = std::max(last_start, start);
  }
  waited_ += Seconds::from(waited, unit::s);
  last_free_ = std::max(last_free_, last_start + length);
  return Seconds::from(last_start + length, unit::s);
}

Seconds ServerQueue::admit(double count, Seconds service, Seconds over, Seconds answer) {
  if (count == 0.0) return context_.now();
  const Seconds work = service * count;
  const bool free = free_at_.front() <= context_.now().in(unit::s);
  if (!free || work >= over * static_cast<double>(free_at_.size()))
    return admit(count, service) + (answer - service);
  served_ += count;
  busy_ += work;
  std::erase_if(even_, [&](const Even& even) { return even.until <= context_.now(); });
  even_.push_back({context_.now() + over, work / over});
  return context_.now() + answer * std::min(count, 1.0);
}

double ServerQueue::evenly_busy() const {
  double busy = 0.0;
  for (const Even& even : even_) busy += even.until > context_.now() ? even.busy : 0.0;
  return std::min(busy, static_cast<double>(free_at_.size()));
}

Seconds ServerQueue::worked() const {
  const double now = context_.now().in(unit::s);
  double left = 0.0;
  for (const double free_at : free_at_) left += std::max(0.0, free_at - now);
  return busy_ - Seconds::from(left, unit::s);
}

void ServerQueue::describe(Ledger& ledger) {
  ledger.count(busy_);
  ledger.count(waited_);
  ledger.count(served_);
  const double now = context_.now().in(unit::s);
  if (last_free_ <= now) return;
  std::vector<double> busy;
  std::copy_if(free_at_.begin(), free_at_.end(), std::back_inserter(busy),
               [now](double date) { return date > now; });
  std::sort(busy.begin(), busy.end());
  for (const double date : busy) ledger.due(Seconds::from(date, unit::s));
}

double ServerQueue::take_first(double now, double length) {
  std::pop_heap(free_at_.begin(), free_at_.end(), std::greater<>{});
  const double start = std::max(now, free_at_.back());
  free_at_.back() = start + length;
  std::push_heap(free_at_.begin(), free_at_.end(), std::greater<>{});
  return start;
}

double ServerQueue::serve_rounds(double count, double now, double length, double& last_start) {
  std::vector<double>& free = free_at_;
  for (double& date : free) date = std::max(date, now);
  std::sort(free.begin(), free.end());
  double waited = 0.0;
  const auto give = [&](double& date, double requests) {
    if (requests <= 0.0) return;
    waited += requests * (date - now) + length * requests * (requests - 1.0) / 2.0;
    date += requests * length;
    last_start = std::max(last_start, date - length);
  };
  // Requests the first `size` servers take before they come within one service of `level`.
  const auto lag = [&](double date, double level) { return std::floor((level - date) / length); };
  // The first `level` servers work while the others are still busy with earlier requests. `lead` is
  // what brings them all within one service of the last of them; it only grows with `level`.
  const auto lead_of = [&](std::size_t size) {
    double lead = 0.0;
    for (std::size_t i = 0; i + 1 < size; ++i) lead += lag(free[i], free[size - 1]);
    return lead;
  };
  std::size_t level = free.size();
  if (lead_of(level) > count) {
    std::size_t low = 1;  // lead_of(1) is 0
    while (level - low > 1) {
      const std::size_t middle = (low + level) / 2;
      (lead_of(middle) <= count ? low : level) = middle;
    }
    level = low;
  }
  const double lead = lead_of(level);
  const double target = free[level - 1];
  if (level > 1) {
    for (std::size_t i = 0; i + 1 < level; ++i) give(free[i], lag(free[i], target));
    count -= lead;
  }
  const double rounds = std::floor(count / static_cast<double>(level));
  for (std::size_t i = 0; i < level; ++i) give(free[i], rounds);
  count -= rounds * static_cast<double>(level);
  std::make_heap(free.begin(), free.end(), std::greater<>{});
  waited_ += Seconds::from(waited, unit::s);
  return count;
}

void TokenBucket::update() {
  const Seconds now = context_.now();
  level_ = level_now();
  accrued_ = accrued();
  updated_ = now;
}

Ops TokenBucket::promise(Ops n) {
  update();
  level_ = level_ - n;
  return level_ < Ops{} ? -level_ : Ops{};
}

void TokenBucket::set_rate(OpRate rate) {
  update();
  burst_ = burst_ * (rate / rate_);
  level_ = std::min(level_, burst_);
  rate_ = rate;
}

}  // namespace stallcast::sim
