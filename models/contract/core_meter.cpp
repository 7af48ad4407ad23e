#include "models/contract/core_meter.hpp"

#include <algorithm>

namespace stallcast::models {
namespace {

constexpr double kRounding = 1e-9;

}  // namespace

void CoreMeter::take(Seconds time, double cores) {
  if (time <= Seconds{}) return;
  ends_.push({(context_->now() + time).in(unit::s), cores});
  busy_ += cores;
  check();
}

void CoreMeter::begin(Moves way, double cores, double most) {
  Moving& moving = moving_[static_cast<std::size_t>(way)];
  moving.cores += cores;
  moving.most = std::max(moving.most, most);
  check();
}

void CoreMeter::check() {
  const double now = context_->now().in(unit::s) * (1.0 + kRounding);
  for (; !ends_.empty() && ends_.top().until <= now; ends_.pop()) busy_ -= ends_.top().cores;
  if (ends_.empty()) busy_ = 0.0;  // without what rounding has left
  double all = busy_;
  for (const Moving& moving : moving_) all += std::min(moving.cores, moving.most);
  if (all > most_ * (1.0 + kRounding)) context_->fail(std::make_exception_ptr(CoresWanted{}));
}

}  // namespace stallcast::models
