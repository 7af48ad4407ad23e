#include "models/plant/slow_hosts.hpp"

#include <algorithm>
#include <utility>

namespace stallcast::models {
namespace {

// A step that begins at a date begins there, whatever adding up its dates rounds.
constexpr double kSameDate = 1e-9;

}  // namespace

SlowHosts::SlowHosts(const HostParams& host)
    : from_(host.slow_count > 0 ? host.slow_from : Seconds::infinity()),
      until_(host.slow_until.value_or(Seconds::infinity())) {}

Seconds SlowHosts::next() const {
  return changes_ == 0 ? from_ : changes_ == 1 ? until_ : Seconds::infinity();
}

bool SlowHosts::pass(Seconds at) {
  const std::int64_t before = changes_;
  while (next().finite() && next() - at <= next() * kSameDate) ++changes_;
  return changes_ != before;
}

void SlowHosts::describe(sim::Ledger& ledger, Seconds at) {
  ledger.state(changes_);
  if (next().finite()) ledger.bound((next() - at).in(unit::s), 0.0);
}

void StragglerCost::arrive(bool straggler, Seconds time) {
  Side& side = straggler ? slow_ : others_;
  side.there = true;
  side.last = std::max(side.last, time);
}

Seconds StragglerCost::end_step() {
  const Seconds behind =
      others_.there ? std::max(Seconds{}, slow_.last - others_.last) : Seconds::infinity();
  if (behind.finite()) cost_ += behind;
  for (Side* side : {&slow_, &others_}) side->sum += std::exchange(side->last, {});
  ++steps_;
  return behind;
}

void StragglerCost::describe(sim::Ledger& ledger) {
  ledger.count(steps_);
  for (Seconds* sum : {&slow_.sum, &others_.sum, &cost_}) ledger.count(*sum);
}

void StragglerCost::report(const std::string& name, Seconds wall, RunResult& out) const {
  if (!slow_.there || steps_ == 0) return;
  const double steps = static_cast<double>(steps_);
  out.metrics[name + "slow.time"] = {slow_.sum.in(unit::s) / steps, "s", {}};
  if (!others_.there) return;
  out.metrics[name + "slow.others"] = {others_.sum.in(unit::s) / steps, "s", {}};
  out.metrics[name + "slow.cost"] = {cost_ / wall, "ratio", {}};
}

}  // namespace stallcast::models
