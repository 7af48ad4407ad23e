#pragma once

#include <map>
#include <tuple>

#include "models/cache/hit_laws.hpp"

namespace stallcast::models::cache {

/// The hit ratio of one cache, remembered: a run asks for few patterns, and for each many times.
class HitRatio {
 public:
  HitRatio() = default;
  /// `cached`: share of the data that fits. `warm`: filled before the run.
  HitRatio(Eviction eviction, Fraction cached, bool warm)
      : eviction_(eviction), cached_(cached), warm_(warm) {}

  /// Share of a read that is found.
  [[nodiscard]] double at(const Revisits& revisits) {
    const auto& [share, readers, in_order, written] = revisits.pattern;
    const auto [known, added] =
        known_.try_emplace({share, readers, in_order, written, warm_ ? 0.0 : revisits.passes}, 0.0);
    if (added)
      known->second = (warm_ ? warm_hit(eviction_, cached_, revisits.pattern)
                             : hit(eviction_, cached_, revisits))
                          .in(unit::ratio);
    return known->second;
  }

 private:
  Eviction eviction_ = Eviction::none;
  Fraction cached_;
  bool warm_ = false;
  std::map<std::tuple<double, double, bool, double, double>, double> known_;
};

}  // namespace stallcast::models::cache
