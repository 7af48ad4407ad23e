#include "models/storage/request_limit.hpp"
#include "models/contract/storage.hpp"

#include <algorithm>
#include <utility>

namespace stallcast::models {

RequestLimit::RequestLimit(sim::Context& context, ResourceTable& resources, std::string name,
                           OpRate rate, Seconds burst, BackOff back_off)
    : context_(context),
      name_(std::move(name)),
      rate_(rate),
      back_off_(back_off),
      bucket_(context, rate, std::max(rate * burst, Ops::from(1.0, unit::ops))),
      resource_(resources.index(name_)) {}

RequestLimit::Turn RequestLimit::ask(const Client& client, double each) {
  const double count = client.members * each;
  asked_ += count;
  asked_by_.add(client.asker, count);
  const Ops owed = bucket_.promise(Ops::from(count, unit::ops));
  due_ = bucket_.accrued() + owed;
  if (ramp_ && owed > Ops{}) press();
  return {.wait = factor_ == 1.0 ? owed / rate_ : Seconds{}, .due = due_};
}

sim::Task<bool> RequestLimit::pass(Turn turn, Seconds wait, double count) {
  const bool refused = refuses(turn, wait);
  if (refused) refused_ += count;
  co_await context_.sleep(wait);
  if (changed()) co_await accrue(turn.due);
  co_return refused;
}

double RequestLimit::ahead(const Client& client, double left, double at_once) const {
  constexpr double kRoom = 4.0, kFew = 1.0 / 16.0;
  const double most = bucket_.there().in(unit::ops) / (kRoom * client.members);
  const double burst = bucket_.burst().in(unit::ops) / client.members;
  const double few = std::max(std::min(at_once, burst * kFew), at_once * kFew);
  return most >= std::min(left, few) ? std::min(left, most) : 0.0;
}

double RequestLimit::above_burst(const Client& client, double each) const {
  return std::max(0.0, each - bucket_.burst().in(unit::ops) / client.members);
}

double RequestLimit::served() const {
  return asked_ - std::max(Ops{}, due_ - bucket_.accrued()).in(unit::ops);
}

// At its own rate the end of a wait is known when it begins, unless the rate falls on the way.
sim::Task<void> RequestLimit::take(double count) {
  const Turn turn = ask({}, count);
  if (factor_ == 1.0) co_await context_.sleep(turn.wait);
  if (changed()) co_await accrue(turn.due);
}

void RequestLimit::press() {
  const Seconds now = context_.now();
  // A rest that long, and the service begins anew to look.
  if (now - pressed_at_ > ramp_->every || pressed_at_ == Seconds{}) pressed_ = now;
  pressed_at_ = now;
  if (now - pressed_ < ramp_->every || grown_ * ramp_->factor > ramp_->most * (1.0 + 1e-9)) return;
  offered_ = offered();
  rose_ = pressed_ = now;
  grown_ *= ramp_->factor;
  scale(ramp_->factor);
}

double RequestLimit::offered() const {
  return offered_ + rate_.in(unit::per_s)*grown_ * (context_.now() - rose_).in(unit::s);
}

sim::Task<void> RequestLimit::accrue(Ops due) {
  for (;;) {
    const Seconds left = (due - bucket_.accrued()) / rate_;  // at its own rate
    if (left <= context_.now() * kDateRounding) co_return;
    if (factor_ == 1.0) {
      co_await context_.sleep(left);
      continue;
    }
    const auto changed = std::make_shared<sim::Signal>(context_);
    waiters_.push_back(changed);
    if (factor_ > kStopped) context_.spawn(wake(context_, left / factor_, changed));
    co_await changed->wait();
  }
}

sim::Task<void> RequestLimit::wake(sim::Context& context, Seconds after,
                                   std::shared_ptr<sim::Signal> waiter) {
  co_await context.sleep(after);
  waiter->set();
}

void RequestLimit::scale(double factor) {
  ++changes_;
  factor_ *= factor;
  if (factor_ > 1.0 - 1e-9 && factor_ < 1.0 + 1e-9) factor_ = 1.0;
  bucket_.set_rate(rate_ * factor_);
  for (const auto& waiter : std::exchange(waiters_, {})) waiter->set();
}

bool RequestLimit::refuses(const Turn& turn, Seconds left) const {
  return refuses(left) || (changed() && refuses((turn.due - bucket_.accrued()) / rate_));
}

Seconds RequestLimit::back_off(Seconds wait, double count, base::RandomStream& jitter) {
  if (!refuses(wait)) return wait;
  refused_ += count;
  Seconds tried, longest = back_off_.base;
  std::int64_t tries = 1;
  for (; tried < wait; ++tries) {
    tried += longest * jitter.uniform();
    longest = std::min(back_off_.cap, longest * 2.0);
  }
  most_tries_ = std::max(most_tries_, tries);
  return tried;
}

void RequestLimit::report(Seconds wall, std::vector<ResourceUse>& out) const {
  ResourceUse use;
  use.name = name_;
  use.unit = "1/s";
  use.capacity = rate_.in(unit::per_s);
  if (grown_ > 1.0) use.capacity = offered() / context_.now().in(unit::s);
  use.throughput = served() / wall.in(unit::s);
  use.capacity = std::max(use.capacity, use.throughput);  // a burst is on top of the rate
  out.push_back(use);
}

void RequestLimit::count(RequestCounts& out) const {
  if (asked_ <= 0.0) return;
  RequestCount& served_by = out[name_] = asked_by_;
  served_by *= served() / asked_;
}

}  // namespace stallcast::models
