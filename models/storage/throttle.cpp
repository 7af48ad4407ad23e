#include "models/storage/throttle.hpp"

#include <algorithm>

namespace stallcast::models {

Throttle::Throttle(sim::Context& context, std::optional<Rate> bytes, std::optional<OpRate> requests,
                   Seconds burst)
    : context_(&context) {
  const double seconds = burst.in(unit::s);
  if (bytes) bytes_.rate = bytes->in(unit::Bps);
  if (requests) requests_.rate = requests->in(unit::per_s);
  for (Bucket* bucket : {&bytes_, &requests_})
    if (bucket->limits()) bucket->level = bucket->depth = bucket->rate * seconds;
}

// A request of more tokens than a bucket holds passes when they would have come.
void Throttle::Bucket::fill(double time, double tokens) {
  if (limits()) level = std::min(std::max(depth, tokens), level + time * rate);
}

double Throttle::Bucket::wait(double tokens) const {
  return limits() ? std::max(0.0, (tokens - level) / rate) : 0.0;
}

// w = max(0, (b - tokens_B) / B, (n - tokens_I) / I) after the one before.  [measured.md, eq. 5]
Seconds Throttle::admit(Bytes bytes, double requests) {
  const double size = bytes.in(unit::B);
  const double now = std::max(at_, context_->now().in(unit::s));
  bytes_.fill(now - at_, 0.0);
  requests_.fill(now - at_, 0.0);
  const double wait = std::max(bytes_.wait(size), requests_.wait(requests));
  bytes_.fill(wait, size);
  requests_.fill(wait, requests);
  bytes_.level -= size;
  requests_.level -= requests;
  at_ = now + wait;
  return Seconds::from(at_, unit::s);
}

sim::Task<void> Throttle::take(Bytes bytes, double requests) {
  if (!limits()) co_return;
  const Seconds wait = admit(bytes, requests) - context_->now();
  if (wait > Seconds{}) co_await context_->sleep(wait);
}

}  // namespace stallcast::models
