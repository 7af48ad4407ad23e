#include "models/run/fast_forward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stallcast::models {
namespace {

// Dates drift apart by rounding; what is skipped must not drift by more than this share of a
// period.
constexpr double kDrift = 1e-9;
// Steps of the floating-point grid by which equal delays may differ.
constexpr double kGridSteps = 16.0;
// States of more numbers cost more to compare than they may save.
constexpr std::size_t kLargest = 4096;
// Numbers kept of past states, 8 bytes each; how often they may be forgotten for nothing.
constexpr std::size_t kKept = std::size_t{1} << 20U;
constexpr std::int64_t kPatience = 3;

Seconds slack(Seconds period, Seconds now) {
  return period * kDrift + now * (kGridSteps * std::numeric_limits<double>::epsilon());
}

bool equal(Seconds a, Seconds b, Seconds by) { return a - b <= by && b - a <= by; }

}  // namespace

void FastForward::describe(sim::Ledger& ledger) {
  for (const auto& job : jobs_) job->describe(ledger);
  if (ledger.is_never()) return;
  plant_.describe(ledger);
  if (ledger.is_never()) return;
  context_.describe(ledger);
}

void FastForward::step_done() {
  off_ = off_ || context_.now() + skipped_ >= until_;
  if (off_) return;
  Seen present{.ledger = {}, .at = context_.now() + skipped_};
  present.ledger.look(context_.now());
  describe(present.ledger);
  off_ = present.ledger.is_never() || present.ledger.size() > kLargest;
  if (off_) return;
  present.keys = present.ledger.keys();
  const std::vector<std::size_t> same = find(present);
  if (!same.empty()) {
    present.ledger.read();
    describe(present.ledger);
    for (const std::size_t s : same) present.periods.push_back(present.at - past_[s].at);
    if (skip(present, same)) return;
  }
  keep(std::move(present));
}

std::vector<std::size_t> FastForward::find(const Seen& present) const {
  std::vector<std::size_t> out;
  for (const std::uint64_t key : present.keys) {
    const auto [begin, end] = by_key_.equal_range(key);
    for (auto entry = begin; entry != end; ++entry) {
      const Seen& seen = past_[entry->second];
      if (present.ledger.same_state(seen.ledger, slack(present.at - seen.at, context_.now())))
        out.push_back(entry->second);
    }
  }
  return out;
}

// A state that came back after the same time twice in a row is taken to go on so: what no part
// describes would have to differ without any trace in two periods. Of several periods the one that
// skips most is taken.
bool FastForward::skip(const Seen& present, const std::vector<std::size_t>& same) {
  const Seen* best = nullptr;
  double best_times = 0.0;
  Seconds most;
  for (const std::size_t s : same) {
    const Seen& seen = past_[s];
    const Seconds period = present.at - seen.at;
    const bool twice = std::any_of(seen.periods.begin(), seen.periods.end(), [&](Seconds before) {
      return equal(before, period, slack(period, context_.now()));
    });
    if (!twice) continue;
    const double times = std::min(present.ledger.most_times(seen.ledger).value_or(0.0),
                                  std::floor((until_ - present.at) / period));
    if (times < 1.0 || !std::isfinite(times) || period * times <= most) continue;
    best = &seen;
    best_times = times;
    most = period * times;
  }
  if (best == nullptr) return false;
  sim::Ledger adding;
  const Seconds period = present.at - best->at;
  adding.skip(best->ledger, present.ledger, static_cast<std::int64_t>(best_times), period);
  describe(adding);
  skipped_ += most;
  in_vain_ = 0;
  return true;
}

void FastForward::keep(Seen present) {
  numbers_ += present.ledger.size();
  if (numbers_ > kKept) {
    past_.clear();
    by_key_.clear();
    numbers_ = present.ledger.size();
    off_ = ++in_vain_ >= kPatience;
  }
  by_key_.emplace(present.keys[1], past_.size());
  past_.push_back(std::move(present));
}

}  // namespace stallcast::models
