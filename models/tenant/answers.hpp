#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/contract/outages.hpp"
#include "models/contract/statistics.hpp"
#include "models/contract/storage.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Of the requests, without an answer when the run ends: more is told.
inline constexpr double kMuch = 0.1;

/// Adds `weight` requests, of `time` on average, each with a `tail` of its own, to a series.
/// [docs/models/tenants.md, eq. 16]
void add_spread(Seconds time, double weight, Tail tail, Series& to);

/// How long requests take that may have no answer when the run ends. Where many have none they
/// count with the time so far: else who answers few of many, the first ones, would look quick.
/// [docs/models/tenants.md, eq. 14]
class Answers {
 public:
  /// A request begins, or `in_turn` one after the other.
  void ask(Seconds now, double in_turn = 1.0) { open_.emplace(now, in_turn); }
  /// Each of them with a `tail` of its own. REQUIRES: one earlier `ask` with these figures.
  void answer(Seconds asked, Seconds now, double in_turn = 1.0, Tail tail = {}) {
    open_.erase(open_.find({asked, in_turn}));
    answered_ += in_turn;
    add(asked, now, in_turn, tail, times_);
    if (stalled(asked, now) == Seconds{}) usual_ = (now - asked) / in_turn;
  }
  /// How long the first that has no answer has waited.
  [[nodiscard]] Seconds oldest(Seconds now) const {
    return open_.empty() ? Seconds{} : now - open_.begin()->first;
  }
  /// Requests wait for the end of these `outages`, which outlive this.
  void suffer(const Outages& outages) { outages_.push_back(&outages); }
  /// Share of the requests.
  [[nodiscard]] double open() const {
    double open = 0.0;
    for (const auto& [asked, in_turn] : open_) open += in_turn;
    return open > 0.0 ? open / (open + answered_) : 0.0;
  }
  /// Adds `name` and its quantiles, in seconds; nothing when nobody asked.
  void report(const std::string& name, Seconds now, RunResult& out) const {
    Series all = times_;
    if (open() > kMuch)
      for (const auto& [asked, in_turn] : open_) add(asked, now, in_turn, {}, all);
    all.report(name, "s", out);
  }

 private:
  [[nodiscard]] Seconds stalled(Seconds asked, Seconds now) const {
    Seconds sum;
    for (const Outages* outages : outages_) sum += outages->within(asked, now);
    return sum;
  }
  // One of the requests in turn waits for the end of an outage, all share the rest. An outage that
  // they do not show, more than by half, was of something else.    [docs/models/tenants.md, eq. 7]
  void add(Seconds asked, Seconds now, double in_turn, Tail tail, Series& to) const {
    const Seconds took = now - asked, outage = stalled(asked, now);
    const Seconds waited = std::min(outage, took - usual_ * in_turn);
    if (in_turn <= 1.0 || waited <= outage * 0.5)
      return add_spread(took / in_turn, in_turn, tail, to);
    const Seconds each = (took - waited) / in_turn;
    add_spread(each, in_turn - 1.0, tail, to);
    to.add((each + waited).in(unit::s), 1.0);
  }

  Series times_;
  std::vector<const Outages*> outages_;
  Seconds usual_;  ///< of a request, without an outage
  double answered_ = 0.0;
  std::multiset<std::pair<Seconds, double>> open_;
};

}  // namespace stallcast::models
