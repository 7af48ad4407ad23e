#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/assertion.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// From simulations to what is said about a design: replicas, intervals, bottlenecks, assertions.
namespace stallcast::predict {

struct PredictOptions {
  run::SimulateOptions run;
  std::optional<std::uint64_t> seed;  ///< first seed; none: the scenario's
  int replicas = 0;                   ///< 0: the scenario's
  /// Where the faults of `expect` lines go, with their pointers; may be absent. `predict` fails
  /// with bad_input either way.
  Diagnostics* faults = nullptr;
  /// A target on what did not come in the run, as the end of a save, is inconclusive, and a warning
  /// says why; otherwise it is such a fault.
  bool leaves_open = false;
};

/// `options` for one simulation of each design as it is.
[[nodiscard]] inline PredictOptions one_run(PredictOptions options) {
  options.replicas = 1;
  options.faults = nullptr;
  return options;
}

/// Simulates `design` once per replica (seeds seed, seed+1, ...) and combines: mean and 95 %
/// Student interval per metric, mean breakdown, ranked bottlenecks, outcome of every expectation.
/// When the time limit or an interrupt ends it early, what the finished replicas say, with a
/// warning and the verdict "inconclusive"; a failure when none finished.
[[nodiscard]] Result<Prediction> predict(const Design& design, const PredictOptions& options);

/// The same; `runs` gets what each finished replica said, in the order of their seeds.
[[nodiscard]] Result<Prediction> predict(const Design& design, const PredictOptions& options,
                                         std::vector<RunResult>& runs);

/// The same for several designs at once, sharing the worker. Results are in the order of `designs`.
[[nodiscard]] std::vector<Result<Prediction>> predict_all(std::span<const Design> designs,
                                                          const PredictOptions& options);

/// Takes the prediction of a design by its place, or why it failed.
using TakePrediction = std::function<void(std::size_t, Result<Prediction>)>;

/// As predict_all of designs that `encoded` has as they are sent, but hands out each prediction as
/// soon as all replicas of its design have ended. Designs of which one was cut off (time limit,
/// interrupt, dead worker) are not handed out; the first such reason is returned.
[[nodiscard]] std::optional<Failure> predict_each(std::span<const Design> designs,
                                                  run::EncodedDesigns encoded,
                                                  const PredictOptions& options,
                                                  const TakePrediction& take);

/// Combines finished replicas of one design, without its expectations and its hash.
/// REQUIRES: at least one replica.
[[nodiscard]] Prediction combine(const Design& design, std::span<const RunResult> replicas);

/// What one simulation of `design`, of so many events, takes beside others: as events. To make a
/// design, hand it over and read what came of it takes the time of 20 for each of its values (6 us,
/// measured): most of it where 20 jobs run for a few steps.
[[nodiscard]] double events_of(const Design& design, double simulated);

/// The resource that most limits `metric`, for every verb: what was found to change it most where
/// parts were tried for it; else what the run said of it or of a parent of it; else, of the time of
/// a job or of tenants alone, what gains that most where gains are known; else "job.J.barrier" when
/// ranks wait mostly for the slowest; else the first bottleneck.
/// "" when nothing limits.
[[nodiscard]] std::string limiter(const Prediction& prediction, std::string_view metric);

/// What the run alone said of `metric` or of a parent of it. "" where it said nothing.
[[nodiscard]] std::string known_limiter(const Prediction& prediction, std::string_view metric);

/// Whether what limits `metric` is what changes its own figure: not all the time of a job, which
/// gains are of, nor anything that no speed changes.
[[nodiscard]] bool tried_by_its_figure(const Prediction& prediction, std::string_view metric);

/// Says what limits the metric of `outcome`, or what was waited for most where no more is known.
void name_limit(const Prediction& prediction, AssertionOutcome& outcome);

/// Names what limits each target again, with the gains that are known now.
void name_limits(Prediction& prediction);

/// True for metrics that only `plan` computes: "storage.S.osts.required" and the like.
[[nodiscard]] bool is_plan_metric(std::string_view metric);

/// The value each assertion had in a baseline, by the assertion's id, in the unit of its metric.
using BaseValues = std::map<std::string, double>;

/// Code of the diagnostic of a target on what did not come in the run.
inline constexpr const char* kNotDone = "not-done";

/// Whether a target is on what did not come in the run.
[[nodiscard]] bool has_open(const Prediction& prediction);

/// Outcome of every expectation of `design`; an unknown metric or a unit that does not fit is a
/// diagnostic ("unknown-metric", "expect") and no outcome; of what did not come there is one
/// (kNotDone), too, without a value and "inconclusive". Expectations relative to a baseline are
/// left out without `base`, and "inconclusive" where it does not know them.
[[nodiscard]] std::vector<AssertionOutcome> check(const Design& design,
                                                  const Prediction& prediction, Diagnostics& diags,
                                                  const BaseValues* base = nullptr);

/// What somebody may have meant who asked for `metric`, which `prediction` does not have.
[[nodiscard]] std::string metric_hint(const std::string& metric, const Prediction& prediction);

/// A target holds in such a share of the draws, which decides where it asks for a confidence.
void judge_drawn(double probability, AssertionOutcome& outcome);
/// Makes those inconclusive that ask for a confidence and that no draws have judged.
void leave_open(std::span<AssertionOutcome> outcomes);
/// The same of those of `prediction`, with its verdict.
void leave_open(Prediction& prediction);

/// The verdict of all outcomes together: error-level ones decide, "none" without any outcome.
[[nodiscard]] Verdict verdict_of(std::span<const AssertionOutcome> outcomes);

}  // namespace stallcast::predict
