#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/decide/gain/levers.hpp"
#include "stallcast/histories.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::gain {

/// Missed targets of a prediction that are of a figure of their own (a save, a tenant's requests, a
/// stage), and what parts change of these.    [docs/models/blame.md]
class TargetFigures {
 public:
  TargetFigures(const Design& design, const Prediction& prediction);

  [[nodiscard]] bool empty() const { return better_.empty(); }
  /// `found` is of the design with this part, or all of this owner, faster: with `levers` pulled.
  void add(const std::string& path, const Levers& levers, const Prediction& found);

  /// Takes the prediction of one of several designs.
  using Take = std::function<void(std::size_t, const Prediction&)>;
  /// Simulates the design with each of several levers, pulled so far.
  using Simulate = std::function<void(const std::vector<Levers>&, double strength, const Take&)>;
  /// By metric, what changes it most. Owners and parts that nothing was added of are simulated,
  /// `most` of them at most; `base` is of the design as it is, and `prediction` has its gains.
  [[nodiscard]] std::map<std::string, TargetGain> find(const Prediction& base, std::size_t most,
                                                       const Simulate& simulate,
                                                       const Prediction& prediction);

 private:
  struct Figure {
    double value = 0.0;
    Histories histories = {};  ///< what they add to it, of means over histories of failures
  };
  using Figures = std::map<std::string, Figure>;
  [[nodiscard]] Figures figures_of(const Prediction& prediction) const;
  /// How much better `after` is than the base, as a logarithm; 0 where that is not known.
  [[nodiscard]] double gained(const std::string& metric, const Figures& after) const;
  /// What luck may make of that.    [docs/models/blame.md, eq. 2]
  [[nodiscard]] double noise(const std::string& metric, const Figures& after) const;
  [[nodiscard]] bool betters(const std::string& metric, const Figures& after) const;
  /// By how much `path` betters the target that it betters most.
  [[nodiscard]] double best(const std::string& path) const;
  void simulate_everything(const Simulate& simulate);
  void simulate_missing(std::vector<std::string> order, const Simulate& simulate);
  [[nodiscard]] TargetGain most_of(const std::string& metric, const Prediction& prediction) const;
  /// The resource that `path` is told by.
  [[nodiscard]] std::string name_of(const std::string& path, const std::string& metric,
                                    const Prediction& prediction) const;

  const Design& design_;
  std::map<std::string, double> better_;  ///< by metric: 1 where more is better, -1 where less is
  Parts parts_;                           ///< all, whatever the time of jobs goes to
  std::map<std::string, std::vector<std::string>> owned_;  ///< parts by owner
  std::map<std::string, Levers> levers_;                   ///< of parts and of owners
  std::map<std::string, Figures> found_;                   ///< by path
  Figures base_, nudged_, everything_;
  std::size_t left_ = 0;
};

}  // namespace stallcast::gain
