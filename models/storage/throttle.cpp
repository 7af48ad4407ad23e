#include "models/storage/throttle.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::models {
namespace {

constexpr double kSame = 1e-9;  // s, and share of a bucket
constexpr double kLeastSlice = 1e-6;
// Turns bound the events: so many at least of the call that has the fewest rounds, and so many at
// most of one.    [measured.md, "grain"]
constexpr double kLeastTurns = 8.0, kMostTurns = 4096.0;

}  // namespace

Throttle::Throttle(sim::Context& context, std::optional<Rate> bytes, std::optional<OpRate> requests,
                   Seconds burst, Refill refill, double full)
    : context_(&context) {
  const double seconds = burst.in(unit::s);
  if (bytes) bytes_.rate = bytes->in(unit::Bps);
  if (requests) requests_.rate = requests->in(unit::per_s);
  for (Bucket* bucket : {&bytes_, &requests_})
    if (bucket->limits()) {
      bucket->depth = bucket->rate * seconds;
      bucket->level = bucket->depth * full;
      if (refill == Refill::slices && seconds > kLeastSlice) bucket->slice = seconds;
    }
}

void Throttle::Bucket::ask(double now) {
  if (!limits()) return;
  if (slice == 0.0) {
    level = std::min(depth, level + (now - at) * rate);
    at = now;
  } else if (now >= slice_end - kSame) {
    level = depth;
    slice_end = now + slice;
  }
}

// Steadily: now + (tokens - level) / rate. In slices: when the slices that end until then have
// brought them.    [measured.md, eq. 5]
double Throttle::Bucket::when(double now, double tokens) const {
  if (!limits()) return now;
  if (slice == 0.0) {
    // A request of more tokens than a bucket holds passes when they would have come.
    return now + std::max(0.0, (tokens - level) / rate);
  }
  if (tokens <= level + kSame * depth) return now;
  return slice_end + (std::ceil((tokens - level) / depth - kSame) - 1.0) * slice;
}

void Throttle::Bucket::take(double date, double tokens) {
  if (!limits()) return;
  if (slice == 0.0) level = std::min(level + (date - at) * rate, std::max(depth, tokens));
  // Who waits for the end of a slice finds what was left of it, too.
  for (; slice > 0.0 && slice_end <= date + kSame; slice_end += slice) level += depth;
  level -= tokens;
  at = date;
}

// w = max(0, (b - tokens_B) / B, (n - tokens_I) / I) after the one before.  [measured.md, eq. 5]
Seconds Throttle::admit(Bytes bytes, double requests) {
  const double size = bytes.in(unit::B);
  const double now = std::max(at_, context_->now().in(unit::s));
  bytes_.ask(now);
  requests_.ask(now);
  at_ = std::max(bytes_.when(now, size), requests_.when(now, requests));
  bytes_.take(at_, size);
  requests_.take(at_, requests);
  for (; !passing_.empty() && passing_.front().to <= context_->now().in(unit::s);
       passing_.pop_front())
    passed_ += passing_.front().bytes;
  passing_.push_back({.from = now, .to = at_, .bytes = bytes});
  return Seconds::from(at_, unit::s);
}

double Throttle::left() const {
  const Bucket& bucket = bytes_.limits() ? bytes_ : requests_;
  return std::min(bucket.depth,
                  bucket.level + (context_->now().in(unit::s)-bucket.at) * bucket.rate);
}

Bytes Throttle::passed() const {
  Bytes sum = passed_;
  const double now = context_ == nullptr ? 0.0 : context_->now().in(unit::s);
  for (const Passing& request : passing_)
    sum += request.bytes *
           (request.to <= now ? 1.0
                              : std::max(0.0, (now - request.from) / (request.to - request.from)));
  return sum;
}

sim::Task<void> Throttle::take(Bytes bytes, double requests) {
  if (!limits()) co_return;
  const Seconds wait = admit(bytes, requests) - context_->now();
  if (wait > Seconds{}) co_await context_->sleep(wait);
}

// Who keeps q requests in flight has q in the line, not all that it will ask for.
//    [measured.md, eq. 5]
sim::Task<void> Throttle::take(Bytes bytes, double requests, double rounds) {
  if (!limits()) co_return;
  fewest_ = std::min(fewest_, rounds);
  const double turn = std::max({1.0, fewest_ / kLeastTurns, rounds / kMostTurns});
  for (double left = rounds; left > kSame; left -= turn) {
    const double now = std::min(turn, left);
    co_await take(bytes * now, requests * now);
  }
}

}  // namespace stallcast::models
