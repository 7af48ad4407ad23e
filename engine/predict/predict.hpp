#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/simulate.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// From simulations to what is said about a design: replicas, intervals, bottlenecks, assertions.
namespace stallcast::predict {

struct Options {
  run::Options run;
  std::optional<std::uint64_t> seed;  ///< first seed; none: the scenario's
  int replicas = 0;                   ///< 0: the scenario's
  /// Where the faults of `expect` lines go, with their pointers; may be absent. `predict` fails
  /// with bad_input either way.
  Diagnostics* faults = nullptr;
  /// Changes the design of replica i, when there are several: draws of uncertain parameters.
  std::function<void(Design&, std::size_t)> vary = {};
};

/// Simulates `design` once per replica (seeds seed, seed+1, ...) and combines: mean and 95 %
/// Student interval per metric, mean breakdown, ranked bottlenecks, outcome of every expectation.
/// When the time limit or an interrupt ends it early, what the finished replicas say, with a
/// warning and the verdict "inconclusive"; a failure when none finished.
[[nodiscard]] Result<Prediction> predict(const Design& design, const Options& options);

/// The same for several designs at once, sharing the worker. Results are in the order of `designs`.
[[nodiscard]] std::vector<Result<Prediction>> predict_all(std::span<const Design> designs,
                                                          const Options& options);

/// Takes the prediction of a design by its place, or why it failed.
using TakePrediction = std::function<void(std::size_t, Result<Prediction>)>;

/// As predict_all, but hands out each prediction as soon as all replicas of its design have ended.
/// Designs of which one was cut off (time limit, interrupt, dead worker) are not handed out; the
/// first such reason is returned.
[[nodiscard]] std::optional<Failure> predict_each(std::span<const Design> designs,
                                                  const Options& options,
                                                  const TakePrediction& take);

/// Combines finished replicas of one design, without its expectations and its hash.
/// REQUIRES: at least one replica.
[[nodiscard]] Prediction combine(const Design& design, std::span<const RunResult> replicas);

/// The resource that most limits `metric`: what the run said of it or of a parent of it, else the
/// first bottleneck; "" when nothing limits. "job.J.barrier" when what the metric counts is mostly
/// ranks that wait for the slowest.
[[nodiscard]] std::string limiter(const Prediction& prediction, std::string_view metric);

/// A parsed `that`: "job.train.gpu.utilization >= 95 %".
struct Assertion {
  std::string metric;  ///< may contain "*", which stands for any text, dots too
  std::string op;      ///< < <= > >= ==
  double limit = 0.0;  ///< base unit of `dimension`
  Dimension dimension = Dimension::number;
};
/// Faults are failures with bad_input, to be reported at the expectation's pointer.
[[nodiscard]] Result<Assertion> parse_assertion(const std::string& that);

/// The limit of `assertion` in the unit metrics are given in ("USD/h" is not a base unit), or why
/// it does not fit. A number without a unit fits only a count.
[[nodiscard]] Result<double> limit_in(const Assertion& assertion, std::string_view metric_unit);

/// Whether `text` is `pattern`, in which "*" stands for any text.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

/// How far `value` is on the good side of the limit, relative to the limit; negative when it fails.
[[nodiscard]] double margin(const Assertion& assertion, double value, double limit);

/// The dimension of a metric's unit ("s", "B", "B/s", "ratio", "count", "1/s", "USD", "USD/h");
/// nullopt for any other unit.
[[nodiscard]] std::optional<Dimension> dimension_of(std::string_view unit);

/// True for metrics that only `plan` computes: "storage.S.osts.required" and the like.
[[nodiscard]] bool is_plan_metric(std::string_view metric);

/// Outcome of every expectation of `design`; an unknown metric or a unit that does not fit is a
/// diagnostic ("unknown-metric", "expect") and no outcome.
[[nodiscard]] std::vector<AssertionOutcome> check(const Design& design,
                                                  const Prediction& prediction, Diagnostics& diags);

/// The verdict of all outcomes together: error-level ones decide, "none" without any outcome.
[[nodiscard]] Verdict verdict_of(std::span<const AssertionOutcome> outcomes);

}  // namespace stallcast::predict
