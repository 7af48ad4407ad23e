#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/decide/uncertain/scale.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::uncertain {

/// What the luck of failures makes of a figure, in the histories of all draws: how far single ones
/// are from the mean of their draw, on the scale of the figure.
///    [docs/models/uncertainty.md, eq. 15]
class LuckOfDraws {
 public:
  LuckOfDraws(std::span<const Prediction> draws, const std::string& metric,
              const ErrorScale& scale);
  /// Whether there is any.
  [[nodiscard]] bool any() const { return !apart_.empty(); }
  /// The p-quantile of the distance from the mean.
  [[nodiscard]] double at(double p) const;
  /// The p-quantile of the outcomes of draws with this median, where theirs without luck is `end`;
  /// of many draws none beyond their histories: without a failure a run takes as long as it does.
  [[nodiscard]] double outcome(double median, double end, double p) const;
  /// The middle of the outcomes.
  [[nodiscard]] double middle(double median) const;
  /// What luck does to the side of the middle on which the p-quantile lies.
  [[nodiscard]] double side(double p) const;

 private:
  ErrorScale scale_;
  std::vector<double> apart_;  ///< sorted
  /// Of the histories of all draws, on the scale, where these are enough to hold all outcomes.
  std::optional<std::pair<double, double>> outermost_;
};

/// The factors that luck puts on a figure in a draw; the one that leaves it as it is where none
/// does. Of a target on several metrics those of the one with most.
[[nodiscard]] Luck luck_of(const Prediction& draw, std::span<const std::string> metrics);

}  // namespace stallcast::uncertain
