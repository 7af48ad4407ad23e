#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/run/simulate.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

namespace stallcast::predict {

struct Options {
  run::Options run;
  std::uint64_t seed = 0;  ///< first seed; 0: the scenario's
  int replicas = 0;        ///< 0: the scenario's
};

/// Simulates `design` once per replica (seeds seed, seed+1, ...) and combines: mean and 95 %
/// Student interval per metric, mean breakdown, ranked bottlenecks, outcome of every expectation.
[[nodiscard]] Result<Prediction> predict(const Design& design, const Options& options);

/// The same for several designs at once, sharing the worker.
[[nodiscard]] std::vector<Result<Prediction>> predict_all(std::span<const Design> designs,
                                                          const Options& options);

/// Combines finished replicas of one design. REQUIRES: at least one.
[[nodiscard]] Prediction combine(const Design& design, std::span<const RunResult> replicas);

/// A parsed `that`: "job.train.gpu.utilization >= 95 %".
struct Assertion {
  std::string metric;
  std::string op;      ///< < <= > >= ==
  double limit = 0.0;  ///< base unit
  Dimension dimension = Dimension::number;
};
/// Faults are diagnostics at `pointer` ("expect").
[[nodiscard]] Result<Assertion> parse_assertion(const std::string& that);

/// Outcome of every expectation of `design`; an unknown metric or a unit that does not fit is a
/// diagnostic ("unknown-metric", "expect") and no outcome.
[[nodiscard]] std::vector<AssertionOutcome> check(const Design& design,
                                                  const Prediction& prediction, Diagnostics& diags);

}  // namespace stallcast::predict
