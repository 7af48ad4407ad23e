#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"

/// What became of a design: which inputs changed, which figures moved, and which change moved them.
namespace stallcast {

/// How a metric moved.
enum class Effect {
  none,     ///< within the tolerance
  better,   ///< beyond it, the right way
  worse,    ///< beyond it, the wrong way
  changed,  ///< beyond it, and the metric has no right way
};

/// How far the metrics that match `pattern` ("*" stands for any text) may move for the worse: a
/// fraction of the value before. A ratio below kSmallShare is taken for that: with 0.5 %, a share
/// of time may move by 0.05 points however small it is.
struct Tolerance {
  std::string pattern;
  double relative = 0.0;
};

inline constexpr double kSmallShare = 0.1;

/// One metric before and after.
struct MetricChange {
  std::string metric;
  std::string unit;
  double before = 0.0;
  double after = 0.0;
  Effect effect = Effect::none;
  [[nodiscard]] double difference() const { return after - before; }
  /// Of the value before; infinite when that is 0 and the other is not.
  [[nodiscard]] double relative() const;
};

/// One value of a resolved design, as a scenario writes it; "" where it is not there.
struct InputMove {
  std::string path;  ///< "storage[scratch].oss.count", as `--set` takes it
  std::string before, after;
  std::string base_at, head_at;  ///< "file:line:column", "default", "catalog:host/dgx-h100"
};

/// One edit: a value, a parameter with all values it moves, a product, a component that came or
/// went, or several of these that make no valid design apart.
struct InputChange {
  std::string name;           ///< path of a value or component, "params.n", "...use"
  std::string before, after;  ///< "" where it is not there
  std::string base_at, head_at;
  std::vector<InputMove> moves;  ///< the values it moves, at least one unless it is a target
  bool target = false;           ///< of `expect`: moves verdicts, never metrics
  /// Why several edits are one: "storage[b] alone: ..."; "" when it is one.
  std::string together = {};
};

/// How the difference of a metric is shared among the changes.
enum class Attribution {
  automatic,  ///< Shapley up to kMostShapley changes, one at a time beyond
  one_at_a_time,
  shapley,
  none
};

/// Changes whose Shapley values are computed exactly: all 2^6 designs between the two.
inline constexpr std::size_t kMostShapley = 6;
/// Changes that are tried one at a time.
inline constexpr std::size_t kMostChanges = 64;

/// What each change contributes to the difference of one metric, in its unit, by place in
/// `Attributed::changes`.
struct MetricShares {
  /// Shapley: they sum to the difference. One at a time: equal to `alone`.
  std::vector<double> shares;
  std::vector<double> alone;  ///< the base with this change only, minus the base
  /// The difference minus the sum of `alone`: what they do only together.
  double interaction = 0.0;
};

/// Who moved the metrics.
struct Attributed {
  Attribution method = Attribution::none;
  std::vector<std::size_t> changes;  ///< places in `Diff::inputs`: all that are not targets
  std::size_t designs = 0;           ///< simulated for it, both ends included
  std::map<std::string, MetricShares> metrics;
  std::vector<std::string> notes;  ///< what could not be built, simulated or shared, and why
};

/// One of the two that are compared.
struct DiffSide {
  std::string name;       ///< as the user named it
  std::string model;      ///< version of the models that predicted it; "" when not known
  bool recorded = false;  ///< read from a result instead of simulated: its inputs are not known
  Prediction prediction;
};

struct Diff {
  DiffSide base, head;
  bool inputs_known = false;  ///< both are scenarios
  std::vector<InputChange> inputs;
  std::string patch;  ///< RFC 6902, from the resolved base to the resolved head; "" when not known
  std::vector<MetricChange> metrics;         ///< that both have, by name
  std::map<std::string, Metric> gone, come;  ///< metrics that only base, only head has
  Attributed attributed;
  std::vector<std::string> warnings;
  ExitCode exit = ExitCode::ok;  ///< inconclusive when time ran out

  /// Some input, metric or verdict is another.
  [[nodiscard]] bool changed() const;
  [[nodiscard]] std::size_t count(Effect effect) const;
};

/// How much of one metric moved between the points of two sweeps.
struct SweepMetricChange {
  std::string metric;
  std::size_t worse = 0, better = 0, changed = 0, same = 0;  ///< points
  MetricChange most;                                         ///< of the point where it moved most
  std::string point;  ///< that point: "storage.oss.count=8, ..."
};

/// One point that both sweeps have.
struct SweepPair {
  std::string point;
  std::string base_key, head_key;  ///< hashes of the designs
  Verdict before = Verdict::none, after = Verdict::none;
  std::vector<MetricChange> metrics = {};  ///< that moved
};

/// An input that changed in some of the points that both sweeps have.
struct SweepInputChange {
  InputChange change;
  std::size_t points = 0;
};

struct SweepDiff {
  std::string base, head;  ///< as the user named them
  std::string base_scenario, head_scenario;
  std::string matched_by;  ///< "design" or "values"
  std::vector<SweepPair> pairs;
  std::vector<SweepInputChange> inputs;
  std::vector<SweepMetricChange> metrics;         ///< that moved somewhere, most points first
  std::vector<std::string> only_base, only_head;  ///< points
  std::size_t unfinished = 0;                     ///< pairs of which one was not simulated yet
  std::size_t failed = 0;                         ///< pairs of which one failed
  std::size_t now_meet = 0, now_miss = 0;         ///< pairs whose verdict became pass, became fail
  std::vector<std::string> warnings;
  [[nodiscard]] bool changed() const {
    return !inputs.empty() || !metrics.empty() || !only_base.empty() || !only_head.empty() ||
           now_meet + now_miss > 0;
  }
};

inline double MetricChange::relative() const {
  if (difference() == 0.0) return 0.0;
  if (before == 0.0) return std::copysign(std::numeric_limits<double>::infinity(), difference());
  return difference() / std::abs(before);
}

inline bool Diff::changed() const {
  return !inputs.empty() || !gone.empty() || !come.empty() ||
         base.prediction.verdict != head.prediction.verdict ||
         count(Effect::none) != metrics.size();
}

inline std::size_t Diff::count(Effect effect) const {
  std::size_t n = 0;
  for (const MetricChange& m : metrics) n += m.effect == effect ? 1U : 0U;
  return n;
}

}  // namespace stallcast
