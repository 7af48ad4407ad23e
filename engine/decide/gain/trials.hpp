#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "engine/decide/gain/gains.hpp"
#include "engine/decide/gain/levers.hpp"

namespace stallcast::gain {

/// Simulations of a design with parts of it faster, one run each, and how many there is time for.
/// docs/models/blame.md.
class Trials {
 public:
  /// `prediction` is of the design as it is.
  Trials(const Design& design, const Prediction& prediction, const GainOptions& options);

  /// Takes the prediction of one of several designs.
  using Take = std::function<void(std::size_t, const Prediction&)>;

  /// Simulates the design as it is, with the first seed; false where that fails.
  bool begin();
  /// The same with another seed: what it gains by that alone. None where that fails.
  std::optional<Gain> begin_again();
  /// As it is; without metrics before begin().
  [[nodiscard]] const Prediction& base() const { return base_; }

  /// What these gain, each pulled alone so far; none for what cannot be built or did not end.
  std::vector<std::optional<Gain>> tried(const std::vector<Levers>& all, double strength = 1.0,
                                         const Take& take = {});
  /// With the other seed.
  std::vector<std::optional<Gain>> tried_again(const std::vector<Levers>& all);
  void each_with(const std::vector<Levers>& all, double strength, const Take& take,
                 bool again = false);

  [[nodiscard]] std::size_t most() const { return most_; }            ///< 0 for very large designs
  [[nodiscard]] std::size_t simulated() const { return simulated_; }  ///< of what is changed
  [[nodiscard]] std::size_t left() const { return most_ > simulated_ ? most_ - simulated_ : 0; }

 private:
  std::vector<Result<Prediction>> simulate(std::vector<Design>& designs, bool again);
  void end_with_a_cycle();

  const Design& design_;
  const Prediction& p_;
  const GainOptions& options_;
  std::size_t most_ = 0, simulated_ = 0;
  Design trial_;             ///< what is changed: the design, or it in whole cycles
  Prediction base_, other_;  ///< of that as it is, with one seed and with another
};

}  // namespace stallcast::gain
