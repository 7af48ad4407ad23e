#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/uncertainty.hpp"

/// Simulated draws of a design that was observed, and what expansions make of them.
namespace stallcast::uncertain {

/// A function of standard normal scores.
using OfScores = std::function<double(const std::vector<double>&)>;

/// A distribution of a figure's error: where it was observed, and how far off that may be, both on
/// the scale on which errors add up.
struct Error {
  double centre = 0.0, sd = 0.0;
  std::string unit;                                         ///< of the scale
  double least = -std::numeric_limits<double>::infinity();  ///< on the scale: what was measured
  double most = std::numeric_limits<double>::infinity();    ///< tells nothing beyond these
  double measured = 0.0, model = 0.0;                       ///< of which `sd` is made

  /// A simulated figure on the scale.
  [[nodiscard]] double scaled(double value) const;
  [[nodiscard]] double off(double scaled) const { return (scaled - centre) / sd; }
};
/// Of the measurement and of the model together, which is off by what reports of `design` say. Of a
/// share whose interval reaches 1 (or 0) all beyond the figure, or the middle, is alike.
[[nodiscard]] Error error_of(const ObservedFigure& observed, const std::string& unit,
                             const Design& design);

/// What `error` adds to what was observed of the same figure of the same design before: what the
/// model is off by is one and the same in all of them.    [docs/models/uncertainty.md, eq. 8b]
[[nodiscard]] Error beside(Error error, std::span<const SeenFigure> before);

/// A simulated draw: its place, what it gave of each observed figure, and how likely that makes
/// what was observed, as a logarithm.
struct Particle {
  std::vector<double> point;  ///< quantiles
  std::vector<double> figures;
  std::vector<double> uses;  ///< GPU utilization of each job of the design
  double likelihood = -std::numeric_limits<double>::infinity();
  double drawn_by = 0.0;   ///< the same of the law it was drawn by, over its prior
  std::size_t varied = 0;  ///< the draw of what a profile measured that it has

  [[nodiscard]] std::vector<double> scores() const;
};

/// Quantiles of standard normal scores, inside of 0 and 1.
[[nodiscard]] std::vector<double> quantiles_of(const std::vector<double>& scores);
[[nodiscard]] std::vector<std::vector<double>> scores_of(const std::vector<Particle>& all);
/// Figure `k` of each, on its error's scale.
[[nodiscard]] std::vector<double> figures_of(const std::vector<Particle>& all, std::size_t k,
                                             const Error& error);

/// The likelihood that expansions of the figures in the inputs give, their own errors added. Of all
/// draws that have every figure, or of the half of them that comes closest, for what is `near`.
[[nodiscard]] OfScores expanded(std::vector<Particle> all, const std::vector<Error>& errors,
                                bool near);

}  // namespace stallcast::uncertain
