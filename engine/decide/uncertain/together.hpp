#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/decide/uncertain/scale.hpp"
#include "stallcast/design.hpp"

namespace stallcast::uncertain {

/// What several targets are all of: they want more of it, or less.
struct SharedSource {
  std::string name;
  bool rises = true;  ///< the figure of the target is the larger, the larger this is
};
/// Of a target on one metric of `design`.
[[nodiscard]] SharedSource shared_source(const std::string& metric, const Design& design);

/// How often all targets hold in one draw. Those that follow from one number share its luck and
/// what the model is off by, others are independent.    [docs/models/uncertainty.md, eq. 5b]
class HeldTogether {
 public:
  /// A target that holds for these outcomes, by what luck makes of its figure from the least on:
  /// one for each of so many equally likely ones.
  void add(const SharedSource& source, std::vector<Held> by_luck);
  [[nodiscard]] double share() const;

 private:
  std::map<std::string, std::vector<Held>> held_;  ///< by source
};

}  // namespace stallcast::uncertain
