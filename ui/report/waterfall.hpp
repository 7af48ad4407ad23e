#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/prediction.hpp"

/// Where 100 % of the GPU time goes, cause after cause, down to what computes.
namespace stallcast::report {

/// One cause: its part is taken off of what is left above it.
struct Fall {
  std::string cause;  ///< of kBreakdownCauses
  std::string label;  ///< "saving checkpoints"
  int from = 0;       ///< tenths of a percent that are left above
  int to = 0;         ///< and below
  [[nodiscard]] int part() const { return from - to; }
};

/// Words for a cause of kBreakdownCauses; `cpu`: those for "cpu".
[[nodiscard]] std::string_view words_of_cause(std::size_t cause, std::string_view cpu);

/// What a job's time is lost to, the largest first; then, from 0, what computes. Tenths as every
/// view rounds them: their sum may be some off. Causes that take nothing are left out.
[[nodiscard]] std::vector<Fall> waterfall(const std::map<std::string, double>& shares,
                                          std::string_view cpu = "waiting for CPU cores");

/// "100 % - saving checkpoints 4.1 % - waiting for the slowest rank 1.4 % = computing 94.5 %".
[[nodiscard]] std::string waterfall_sum(const std::vector<Fall>& falls);

/// A line for each, with a bar that begins where the one above it ends.
[[nodiscard]] std::string waterfall_lines(const std::vector<Fall>& falls);

/// Where failures undid compute, why GPUs were busy for longer than the time that counts: "GPUs
/// were busy 76.7 % of it: 8.3 points are compute that failures undid"; "" elsewhere.
[[nodiscard]] std::string undone_phrase(const Prediction& prediction, const std::string& job);

}  // namespace stallcast::report
