#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/observe/tally.hpp"

namespace stallcast::calibration {

/// Steps that ranks end together, of which each rank says when it was ready to: they end when the
/// last of them is.
class Meetings {
 public:
  /// Step `number` of `block`, of one rank: how long until it was ready, waiting for data included.
  /// False where there are too many to be kept.
  [[nodiscard]] bool add(const std::string& block, std::size_t number, Seconds ready, Seconds wait);

  [[nodiscard]] bool empty() const { return met_.empty(); }
  /// Gives `steps` the duration of each, once for each rank.
  void tell(SecondsTally& steps) const;
  /// What a rank that was ready waited for the others, mean; nothing where ranks are ready at one
  /// time, as those are that say it after they have met.
  [[nodiscard]] std::optional<Seconds> waited_for_others() const;

 private:
  /// The longest and the sum of what ranks took, and waited for data.
  struct Met {
    std::uint32_t ranks = 0;
    double longest = 0.0, sum = 0.0, longest_wait = 0.0, waits = 0.0;
  };
  std::map<std::string, std::vector<Met>> met_;  ///< by block, in order
  std::size_t kept_ = 0;
};

}  // namespace stallcast::calibration
