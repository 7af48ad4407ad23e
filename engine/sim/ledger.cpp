#include "engine/sim/ledger.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/base/split_mix.hpp"

namespace stallcast::sim {
namespace {

// Two states are filed under the same key when the sum of what they measure differs by less.
constexpr double kGrid = 1e-6;
// Numbers that decide the future are equal when they differ by less than this share of themselves.
constexpr double kSame = 1e-9;

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed += value;
  return base::split_mix(seed);
}

bool near(double a, double b, double slack) {
  return a == b || std::abs(a - b) <= slack + kSame * std::max(std::abs(a), std::abs(b));
}

}  // namespace

void Ledger::look(Seconds now) {
  pass_ = Pass::look;
  now_ = now;
  discrete_.clear();
  levels_.clear();
  delays_.clear();
  countdowns_.clear();
}

void Ledger::read() {
  pass_ = Pass::read;
  counters_.clear();
  bounds_.clear();
}

void Ledger::skip(const Ledger& before, const Ledger& after, std::int64_t times, Seconds period) {
  pass_ = Pass::skip;
  before_ = &before;
  after_ = &after;
  times_ = times;
  period_ = period;
  next_ = 0;
}

double Ledger::grown(double value) {
  if (pass_ == Pass::read) counters_.push_back(value);
  if (pass_ != Pass::skip) return 0.0;
  const double more = after_->counters_[next_] - before_->counters_[next_];
  ++next_;
  return more * static_cast<double>(times_);
}

void Ledger::bound(double left, double reserve) {
  if (pass_ == Pass::read) bounds_.push_back({left, reserve});
}

void Ledger::countdown(double left, std::int64_t fired) {
  if (pass_ == Pass::look) countdowns_.push_back({left, fired});
  bound(left, 0.0);
}

std::array<std::uint64_t, 3> Ledger::keys() const {
  std::uint64_t key = mix(discrete_.size(), delays_.size());
  for (const std::int64_t value : discrete_) key = mix(key, static_cast<std::uint64_t>(value));
  double sum = 0.0;
  for (const double delay : delays_)
    if (std::isfinite(delay)) sum += delay;
  const double cell = std::floor(sum / kGrid);
  const auto at = [key](double place) { return mix(key, std::bit_cast<std::uint64_t>(place)); };
  return {at(cell - 1.0), at(cell), at(cell + 1.0)};
}

bool Ledger::same_state(const Ledger& other, Seconds slack) const {
  const auto all_near = [](const std::vector<double>& a, const std::vector<double>& b, double by) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [by](double x, double y) { return near(x, y, by); });
  };
  const double slack_s = slack.in(unit::s);
  return discrete_ == other.discrete_ &&
         std::equal(countdowns_.begin(), countdowns_.end(), other.countdowns_.begin(),
                    other.countdowns_.end(),
                    [slack_s](const Countdown& a, const Countdown& b) {
                      return a.fired == b.fired || near(a.left, b.left, slack_s);
                    }) &&
         all_near(delays_, other.delays_, slack_s) && all_near(levels_, other.levels_, 0.0);
}

std::optional<double> Ledger::most_times(const Ledger& before) const {
  if (counters_.size() != before.counters_.size() || bounds_.size() != before.bounds_.size())
    return std::nullopt;
  double times = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const double each = before.bounds_[i].left - bounds_[i].left;
    if (each > 0.0)
      times = std::min(times, std::floor((bounds_[i].left - bounds_[i].reserve) / each - kSame));
  }
  return times;
}

}  // namespace stallcast::sim
