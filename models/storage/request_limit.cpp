#include "models/storage/request_limit.hpp"

#include <algorithm>
#include <utility>

namespace stallcast::models {
namespace {

// A wait that is a smaller part of the date is the rounding of dates, not a lack of tokens.
constexpr double kRounding = 1e-12;

}  // namespace

RequestLimit::RequestLimit(sim::Context& context, ResourceTable& resources, std::string name,
                           OpRate rate, Seconds burst, BackOff back_off)
    : context_(context),
      name_(std::move(name)),
      rate_(rate),
      back_off_(back_off),
      bucket_(context, rate, std::max(rate * burst, Ops::from(1.0, unit::ops))),
      resource_(resources.index(name_)) {}

sim::Task<void> RequestLimit::take(double count) {
  asked_ += count;
  co_await bucket_.take(Ops::from(count, unit::ops));
}

Seconds RequestLimit::back_off(Seconds wait, double count, base::RandomStream& jitter) {
  if (wait <= context_.now() * kRounding) return wait;
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
  use.throughput = asked_ / wall.in(unit::s);
  out.push_back(use);
}

}  // namespace stallcast::models
