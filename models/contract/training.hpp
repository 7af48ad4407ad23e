#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "engine/base/random.hpp"
#include "stallcast/design.hpp"

/// GPU time of one training step, the trained model's size, the job itself and the run.
namespace stallcast::models {

/// Size and shape of what is trained. docs/models/checkpoint.md.
struct ModelParams {
  std::optional<double> parameters;
  double weights = 2, master = 4, momentum = 4, variance = 4, other = 0;
  /// Of a transformer; all of them or none.
  std::optional<std::int64_t> vocabulary, hidden, ffn, heads, kv_heads, layers;
  [[nodiscard]] bool has_shape() const {
    return vocabulary && hidden && ffn && heads && kv_heads && layers;
  }
  /// Number of parameters by the shape; 0 without one.    [docs/models/checkpoint.md, eq. 6]
  [[nodiscard]] double shape_parameters() const;
  /// Bytes of training state per parameter, by component: 14 for bf16 weights with fp32 Adam.
  [[nodiscard]] double bytes_per_parameter() const {
    return weights + master + momentum + variance + other;
  }
  /// Size of the whole state; 0 without a parameter count.    [docs/models/checkpoint.md, eq. 1]
  [[nodiscard]] Bytes state() const {
    return Bytes::from(parameters.value_or(0.0) * bytes_per_parameter(), unit::B);
  }
};
[[nodiscard]] ModelParams model_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> model_fields();

/// One job of synchronous data-parallel training.
struct JobParams {
  std::string hosts;
  std::optional<std::int64_t> accelerators;
  std::optional<std::int64_t> epochs, steps;
  std::int64_t tensor = 1, pipeline = 1;  ///< ranks that hold one copy of the model: their product
  Seconds barrier_base, barrier_per_doubling, barrier_per_sqrt;
  std::optional<std::int64_t> barrier_fewest, barrier_most;  ///< ranks that they were fitted to
  std::string au;
  std::optional<double> share;             ///< weight of its transfers against those of others
  std::string priority;                    ///< class of its transfers: contract/priority.hpp
  std::optional<Rate> limit;               ///< bytes a second it may move, all its ranks together
  std::optional<OpRate> limit_operations;  ///< requests, opens and creates it may begin, likewise
  std::vector<std::string> after;          ///< stages it follows
  std::optional<Fraction> after_share;     ///< of what they bring, with which it begins
  /// What it is to do in all: one of the first four.    [docs/models/whole-run.md]
  std::optional<double> run_tokens, run_tokens_per_parameter, run_epochs, run_steps,
      run_tokens_per_step;
  /// How many of these say it.
  [[nodiscard]] int whole_runs() const {
    return (run_tokens ? 1 : 0) + (run_tokens_per_parameter ? 1 : 0) + (run_epochs ? 1 : 0) +
           (run_steps ? 1 : 0);
  }
  /// What predictions of the job may be off by, half of 90 %: no simulation takes them.
  std::optional<Fraction> off_step, off_first_batch, off_checkpoint;
  std::optional<double> off_utilization;
};
[[nodiscard]] JobParams job_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> job_fields();

/// How the simulation is run.
struct RunParams {
  std::optional<Seconds> duration;
  std::int64_t seed = 1, replicas = 1, detail = 16;
  bool fold = true, fast_forward = true;
  std::string slowest;  ///< whom a barrier waits for: of the "classes", or of "all" ranks
  std::string backend;
};
/// Of a run that says no `duration`, and of a job that has no end.
inline constexpr Seconds kDefaultHorizon = Seconds::from(1.0, unit::h);
[[nodiscard]] RunParams run_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> run_fields();

/// GPU time of one step. docs/models/compute.md.
struct StepTime {
  Seconds mean;                      ///< of one rank
  double cv = 0.0;                   ///< lognormal, per rank and step
  base::LognormalSpread spread{cv};  ///< the same, as draws take it
  Seconds overhead;                  ///< host work of every rank between steps that nothing hides
  double sharing = 0.0;  ///< of `mean`: lost where each core of a host has one other rank
  Seconds warm_up;       ///< what the first step after a start takes more

  /// Host work of a step where so many ranks share the cores of a host.
  //    [docs/models/training.md, eq. 6]
  [[nodiscard]] Seconds between_steps(double ranks, double cores) const {
    return overhead + mean * (sharing * std::sqrt(std::max(ranks - 1.0, 0.0) / cores));
  }
  /// Time of the slowest of `ranks` ranks, from one draw (exact for independent ranks).
  [[nodiscard]] Seconds slowest(double ranks, base::RandomStream& random) const;
};
/// With the fields every kind has.
[[nodiscard]] StepTime step_time(const Component& step, Seconds mean);
[[nodiscard]] std::span<const base::FieldInfo> step_common_fields();

}  // namespace stallcast::models
