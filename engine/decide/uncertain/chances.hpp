#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "engine/decide/uncertain/draws.hpp"

/// How often targets hold: the one place that `run`, `check`, sweeps and plans have it from.
///    [docs/models/uncertainty.md, eq. 5, 5b, 15]
namespace stallcast::uncertain {

struct Chances {
  std::size_t draws = 0;    ///< that they are of
  std::size_t cut_off = 0;  ///< where any were, nothing is known: those that end are no sample
  std::map<std::string, double> each = {};  ///< that a target holds, by its id
  /// That all error-level targets hold, in each draw that can be built, by its number; empty where
  /// there is no such target. One that a draw has no figure of does not hold there.
  std::map<std::size_t, double> together = {};
  [[nodiscard]] std::optional<double> all_hold() const;
};

/// Of `design` as `draws` have it; `nominal` is its prediction, with its replicas.
[[nodiscard]] Chances chances_of(const Design& design, const Prediction& nominal,
                                 const DrawnDesigns& draws);

}  // namespace stallcast::uncertain
