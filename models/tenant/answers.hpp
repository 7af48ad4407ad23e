#pragma once

#include <set>
#include <string>
#include <utility>

#include "models/contract/statistics.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Of the requests, without an answer when the run ends: more is told.
inline constexpr double kMuch = 0.1;

/// How long requests take that may have no answer when the run ends. Where many have none they
/// count with the time so far: else who answers few of many, the first ones, would look quick.
/// [docs/models/tenants.md, eq. 14]
class Answers {
 public:
  /// A request begins, or `in_turn` one after the other.
  void ask(Seconds now, double in_turn = 1.0) { open_.emplace(now, in_turn); }
  /// REQUIRES: one earlier `ask` with these figures.
  void answer(Seconds asked, Seconds now, double in_turn = 1.0) {
    open_.erase(open_.find({asked, in_turn}));
    answered_ += in_turn;
    times_.add((now - asked).in(unit::s) / in_turn, in_turn);
  }
  /// How long the first that has no answer has waited.
  [[nodiscard]] Seconds oldest(Seconds now) const {
    return open_.empty() ? Seconds{} : now - open_.begin()->first;
  }
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
      for (const auto& [asked, in_turn] : open_)
        all.add((now - asked).in(unit::s) / in_turn, in_turn);
    all.report(name, "s", out);
  }

 private:
  Series times_;
  double answered_ = 0.0;
  std::multiset<std::pair<Seconds, double>> open_;
};

}  // namespace stallcast::models
