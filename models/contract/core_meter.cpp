#include "models/contract/core_meter.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "models/contract/presumption.hpp"

namespace stallcast::models {
namespace {

/// Dates and sums are the same within so much.
constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();
constexpr double kOfAll = 1e-9;  ///< of the cores of a host

}  // namespace

void CoreMeter::take(Seconds time, double cores) {
  if (time <= Seconds{}) return;
  advance();
  ends_.push_back({now() + time.in(unit::s), cores});
  std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
  busy_ += cores;
  check();
}

void CoreMeter::begin(Moves way, double cores, double most) {
  advance();
  Moving& moving = moving_[static_cast<std::size_t>(way)];
  moving.cores += cores;
  moving.most = std::max(moving.most, most);
  check();
}

void CoreMeter::end(Moves way, double cores, Seconds time) {
  moving_[static_cast<std::size_t>(way)].cores -= cores;
  carried_ += time.in(unit::s);
}

void CoreMeter::advance() {
  const double date = now() * (1.0 + kRounding);
  const auto count_to = [this](double until) {
    carried_ += busy_ * (until - counted_);
    if (!ends_.empty()) active_ += until - counted_;
    counted_ = until;
  };
  while (!ends_.empty() && ends_.front().until <= date) {
    count_to(std::max(counted_, ends_.front().until));
    busy_ -= ends_.front().cores;
    std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
    ends_.pop_back();
  }
  if (ends_.empty()) busy_ = 0.0;  // without what rounding has left
  count_to(std::max(counted_, now()));
}

void CoreMeter::check() {
  double all = busy_;
  for (const Moving& moving : moving_) all += std::min(moving.cores, moving.most);
  if (all > most_ * (1.0 + kOfAll))
    context_->fail(std::make_exception_ptr(Refuted(Presumption::cores_suffice)));
}

Seconds CoreMeter::carried() const {
  double sum = carried_;
  for (const Busy& busy : ends_)
    sum += busy.cores * std::max(0.0, std::min(busy.until, now()) - counted_);
  return Seconds::from(sum, unit::s);
}

Seconds CoreMeter::active() const {
  double last = counted_;
  for (const Busy& busy : ends_) last = std::max(last, std::min(busy.until, now()));
  return Seconds::from(active_ + last - counted_, unit::s);
}

void CoreMeter::describe(sim::Ledger& ledger) {
  advance();
  ledger.count(carried_);
  ledger.count(active_);
}

}  // namespace stallcast::models
