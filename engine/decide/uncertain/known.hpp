#pragma once

#include <cstddef>
#include <vector>

#include "engine/decide/uncertain/inputs.hpp"

/// Inputs of which runs that were observed before have left joint draws.
/// docs/models/uncertainty.md, "With a profile".
namespace stallcast::uncertain {

struct KnownDraws {
  std::vector<Input> inputs;              ///< priors are `prior_of_draws`; some have no place
  std::vector<std::vector<double>> rows;  ///< equally likely: quantiles of the inputs' priors
};

/// Coordinates in which known inputs are independent: the correlations of their normal scores that
/// so many rows make certain, no others. Coordinates behind those of known inputs stay.
class Joint {
 public:
  explicit Joint(const std::vector<std::vector<double>>& rows);

  /// Quantiles of the inputs at quantiles of independent coordinates, and the other way round. An
  /// input stays as it is stated where all it goes by do.
  [[nodiscard]] std::vector<double> inputs_at(const std::vector<double>& independent) const;
  [[nodiscard]] std::vector<double> independent_of(const std::vector<double>& inputs) const;

 private:
  std::vector<std::vector<double>> factor_;  ///< below and on the diagonal (Cholesky)
};

}  // namespace stallcast::uncertain
