#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/histories.hpp"
#include "stallcast/luck.hpp"
#include "stallcast/picture.hpp"
#include "stallcast/uncertainty.hpp"

namespace stallcast {

/// The causes wall time is split into, in the order reports show them. The shares of a job sum
/// to 1.
inline constexpr std::array<const char*, 8> kBreakdownCauses = {
    "compute", "communication", "data", "metadata", "cpu", "checkpoint", "restart", "sync"};

/// One figure in SI base units ("s", "B", "B/s", "ratio", "count", "1/s", "USD", "USD/h").
struct Metric {
  double value = 0.0;
  std::string unit;
  std::optional<std::pair<double, double>> ci95;  ///< of the mean; absent with one replica
  /// What it may turn out to be, nine times in ten, and the middle of that; absent without draws.
  std::optional<std::pair<double, double>> ci90 = std::nullopt;
  std::optional<double> median = std::nullopt;
};

/// How one shared resource was used over the run.
struct ResourceUse {
  std::string name;         ///< hierarchical: "storage.scratch.oss.nic"
  std::string unit;         ///< "B/s" or "1/s"
  double capacity = 0.0;    ///< in `unit`
  double throughput = 0.0;  ///< mean over the job's wall time, in `unit`
  double in_use = 0.0;      ///< mean over the time while anything moved, in `unit`; 0: not known
  /// Share of all stall time during which this was what was waited for; of several jobs each
  /// weighs as its share of the time lost times its GPUs.
  double blamed_share = 0.0;
  [[nodiscard]] double utilization() const { return capacity > 0 ? throughput / capacity : 0.0; }
  /// Utilization while it was in use, at least the mean.
  [[nodiscard]] double load() const {
    return capacity > 0 ? std::max(throughput, in_use) / capacity : 0.0;
  }
};

/// What one simulation of one seed returns: raw figures, before replicas are combined.
struct RunResult {
  std::uint64_t seed = 0;
  std::map<std::string, Metric> metrics;  ///< by full name, without intervals
  std::map<std::string, std::map<std::string, double>> breakdown;  ///< job -> cause -> share
  std::vector<ResourceUse> resources;                              ///< by name
  /// What most limits a metric: "job.train.checkpoint.duration" -> "storage.scratch.ost". Stands
  /// for the metrics below it too.
  std::map<std::string, std::string> limited_by;
  /// Of metrics that are means over histories of failures, by name: what single ones are.
  std::map<std::string, Luck> luck = {};
  /// By its goodput, what histories of a job add to that of all its GPUs' time.
  std::map<std::string, Histories> histories = {};
  std::vector<std::string> warnings;
  bool extrapolated = false;  ///< outside the range that a calibration profile was fitted in
  double simulated_s = 0.0;
  double skipped_s = 0.0;  ///< of it, what repeated and was counted only
  std::uint64_t events = 0;
  /// What was taken for granted, and held; a simulation is repeated with no more than that.
  std::vector<std::string> presumed = {};
};

enum class Verdict { pass, fail, inconclusive, none };

/// What a design would gain if a part of it were twice as fast, simulated with the same seed.
struct Gain {
  double time = 0.0;         ///< of the time of the jobs, or of tenants alone, saved for the same
  double utilization = 0.0;  ///< GPU utilization gained, mean over GPUs
  std::string part;          ///< what was made twice as fast, as `--set` names it: "storage[s].ost"
  std::string
      by;  ///< the one value of it that gains most of that: "storage[s].ost.read"; may be ""
  /// Of all that belongs to one thing, the parts without which it is not gained, as resources:
  /// "host.g.nvlink"; empty where it is one part, or not known.
  std::vector<std::string> parts = {};
  /// Of `time`, what each job, or tenant alone, saves of its own; empty where there is but one.
  std::map<std::string, double> each = {};
  /// Goodput gained, mean over GPUs, where work is lost: GPUs are busy with what is done again,
  /// too.
  std::optional<double> goodput = std::nullopt;
  /// What the luck of failures may make of `time`, and of each of `each`: less than this is none.
  double noise = 0.0;
  std::map<std::string, double> each_noise = {};
};

/// One line of "what limits this": ranked by gain where gains are known, then by blame, then by
/// utilization.
struct Bottleneck {
  std::string resource;
  double utilization = 0.0;                 ///< of its capacity, mean over the run
  double blamed_share = 0.0;                ///< of all stall time
  std::string headroom;                     ///< one phrase: "3 % left", "2.1 GB/s left of 110 GB/s"
  std::optional<Gain> gain = std::nullopt;  ///< absent where it was not tried
};

/// What of all that was tried changes the metric of a missed target most to the better.
struct TargetGain {
  std::string resource;  ///< "" where nothing does, and what was waited for is known not to
  /// Of the metric, relative: -0.5 where half of it is left; none where nothing alone changes it.
  std::optional<double> change;
};

/// How blame was found by counterfactuals. docs/models/blame.md.
struct Gains {
  std::size_t simulated = 0;  ///< designs
  std::size_t left_out = 0;   ///< parts that were not tried, to save time
  double noise = 0.0;         ///< gains of `Gain::time` below this are none; see `Gain::noise`, too
  Gain all;                   ///< everything twice as fast at once
  /// Parts that gain far more together than each alone; empty where one alone says it.
  std::vector<std::string> pair = {};
  Gain together;                                   ///< of `pair`
  std::map<std::string, TargetGain> targets = {};  ///< by metric; of missed targets that were tried
};

/// The outcome of one `expect` line.
struct AssertionOutcome {
  std::string id;
  std::string that;
  double value = 0.0;
  std::string unit;
  std::string status;      ///< "pass", "fail", "inconclusive"
  std::string level;       ///< "error" or "warn"
  std::string limited_by;  ///< resource most to blame when it fails; may be empty
  std::string why;
  std::optional<double> limit = std::nullopt;  ///< in `unit`, where known
  std::optional<std::pair<double, double>> ci95 =
      std::nullopt;         ///< of `value`; absent with one replica
  std::string metric = {};  ///< the one `value` is of: the worst of a wildcard
  std::optional<double> upper =
      std::nullopt;  ///< end of the range of "in", which begins at `limit`
  std::optional<double> probability = std::nullopt;  ///< that it holds; absent without draws
  std::optional<double> confidence = std::nullopt;   ///< what the scenario asks `probability` to be
  bool waited = false;  ///< `limited_by` was waited for most, and nothing was tried
  /// Of the metric, relative, where `limited_by` is twice as fast, or left out; absent where that
  /// is not known.
  std::optional<double> change = std::nullopt;
  /// Of a GPU utilization that failures undid a part of: the goodput, what is left of it.
  std::optional<double> goodput = std::nullopt;
  /// Whether there is a value: not of what bounds do not tell, or what did not come in the run.
  [[nodiscard]] bool is_known() const { return !unit.empty(); }
};

/// A target that does not hold, or would not by its figure alone.
struct MissedTarget {
  std::string id;
  double by = 0.0;  ///< of its limit; 0 where only its confidence is missed
  bool sure = true;
};

/// A change that was tried by simulation, with what it gains.
struct Alternative {
  std::string change;        ///< "storage.scratch.ost.count 48 -> 56"
  double utilization = 0.0;  ///< GPU utilization with it, mean over GPUs
  double gain = 0.0;  ///< utilization minus that of the design as it is; of tenants alone, of the
                      ///< time of their requests, saved
  Verdict verdict = Verdict::none;  ///< of the targets with it
  double relative_cost = 0.0;       ///< how much of the resource is added, as a fraction; negative:
                                    ///< taken away
  std::optional<double> cost = std::nullopt;  ///< USD more to buy; absent where nothing has a price
  std::string set = {};  ///< as `--set` takes it: "storage[scratch].ost.count=56"
  std::optional<double> stall = std::nullopt;  ///< s per save of the job that stalls most
  /// Of the target that is met by least, relative to its limit; absent without targets.
  std::optional<double> margin = std::nullopt;
  std::vector<MissedTarget> missed = {};  ///< with it, by most first
  /// How much less figures miss their limits than those of the design as it is, all targets
  /// together.
  double closer = 0.0;
  /// Goodput with it, and minus that of the design as it is; 0 where no job tells it. GPUs also use
  /// their time on work that is lost: what saves more often gains here alone.
  double goodput = 0.0, goodput_gain = 0.0;
  /// What luck of failures may make of either gain; 0 where none is modelled.
  double noise = 0.0;
  /// Jobs and tenants that get slower by more than chance, and by how much of their speed.
  std::vector<std::pair<std::string, double>> slows = {};
};

/// What another number of what is bought by number makes of a design, simulated.
struct CountedDesign {
  double count = 0.0;
  double utilization = 0.0, goodput = 0.0;  ///< mean over GPUs
  Verdict verdict = Verdict::none;
  std::optional<double> cost = std::nullopt;  ///< USD, all of it; absent where nothing has a price
};
struct CountCurve {
  std::string
      name;  ///< what is counted, as a change names it: "storage.scratch.ost.count", "boxes"
  double now = 0.0;                   ///< how many the design has
  std::vector<CountedDesign> points;  ///< by count; empty where nothing was tried
};

/// What Stallcast says about a design.
struct Prediction {
  std::string method = "simulation";  ///< or "estimate": bounds only, of few metrics
  std::string scenario_id;
  std::string scenario_file;
  std::string system;  ///< the design in one line; "" where only a result is known
  Picture picture;     ///< of the design; empty there, too
  std::string design_sha256;
  std::string profile_sha256;      ///< empty without a calibration profile
  std::string profile_id;          ///< of it; "" where only a result is known
  std::size_t profile_values = 0;  ///< of the design, how many are the profile's
  Verdict verdict = Verdict::none;
  std::map<std::string, Metric> metrics;
  std::map<std::string, std::map<std::string, double>> breakdown;
  /// By job, the GPUs that it has: weights of means over jobs. Of jobs that follow each other on
  /// the same hosts, times the share of the time that it trains.
  std::map<std::string, double> gpus;
  std::vector<Bottleneck> bottlenecks;
  std::vector<ResourceUse> resources;
  std::map<std::string, std::string> limited_by;  ///< as in RunResult
  std::map<std::string, Luck> luck;               ///< as in RunResult, mean of the replicas
  std::map<std::string, Histories> histories;     ///< as in RunResult, of all replicas
  std::vector<AssertionOutcome> assertions;
  std::vector<Alternative> alternatives;
  CountCurve counts;
  std::vector<InputSwing> swings;  ///< inputs that move the answer, the most first; for pages
  std::size_t varied = 0;          ///< inputs that were varied for them
  std::vector<std::string> warnings;
  std::optional<Gains> gains;  ///< none where nothing was made faster
  /// What its figures may turn out to be; none where no inputs were drawn.
  std::optional<Uncertainty> uncertainty;
  bool extrapolated = false;  ///< some replica was
  bool left_range = false;    ///< and that was asked to leave the verdict open
  std::vector<std::uint64_t> seeds;
  double simulated_s = 0.0;
  double skipped_s = 0.0;  ///< of it, what repeated and was counted only
  double wall_s = 0.0;     ///< never part of compared bytes: printed to stderr only
  std::uint64_t events = 0;
};

}  // namespace stallcast
