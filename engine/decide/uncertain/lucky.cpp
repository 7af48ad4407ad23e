#include "engine/decide/uncertain/lucky.hpp"

#include <algorithm>
#include <cmath>

#include "engine/decide/uncertain/quantiles.hpp"

namespace stallcast::uncertain {

LuckOfDraws::LuckOfDraws(std::span<const Prediction> draws, const std::string& metric,
                         const ErrorScale& scale)
    : scale_(scale) {
  std::vector<double> outcomes;
  for (const Prediction& draw : draws) {
    const auto luck = draw.luck.find(metric);
    const auto mean = draw.metrics.find(metric);
    if (luck == draw.luck.end() || mean == draw.metrics.end()) continue;
    const double value = mean->second.value, from = scale.to(value);
    for (const double factor : luck->second) {
      // Of a history that kept nothing, a scale of factors tells nothing.
      const double outcome = scale.to(value * factor), apart = outcome - from;
      if (!std::isfinite(apart)) continue;
      apart_.push_back(apart);
      outcomes.push_back(outcome);
    }
  }
  // The ends of fewer draws are further out than these.
  if (draws.size() >= kOwnQuantiles && !outcomes.empty()) {
    const auto [least, most] = std::ranges::minmax(outcomes);
    outermost_.emplace(least, most);
  }
  std::sort(apart_.begin(), apart_.end());
}

double LuckOfDraws::at(double p) const { return apart_.empty() ? 0.0 : quantile_of(apart_, p); }

double LuckOfDraws::side(double p) const { return std::abs(at(p) - at(0.5)); }

double LuckOfDraws::middle(double median) const {
  return any() ? scale_.from(scale_.to(median) + at(0.5)) : median;
}

double LuckOfDraws::outcome(double median, double end, double p) const {
  if (!any()) return end;
  const double half = std::hypot(scale_.to(end) - scale_.to(median), side(p));
  const double to = scale_.to(median) + at(0.5) + (p < 0.5 ? -half : half);
  return scale_.from(outermost_ ? std::clamp(to, outermost_->first, outermost_->second) : to);
}

Luck luck_of(const Prediction& draw, std::span<const std::string> metrics) {
  Luck out{1.0};
  double widest = 0.0;
  for (const std::string& metric : metrics) {
    const auto found = draw.luck.find(metric);
    if (found == draw.luck.end() || found->second.empty()) continue;
    const double width = found->second.back() - found->second.front();
    if (width <= widest) continue;
    widest = width;
    out = found->second;
  }
  return out;
}

}  // namespace stallcast::uncertain
