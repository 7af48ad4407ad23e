#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stallcast/prediction.hpp"
#include "stallcast/sweep.hpp"

/// The inverse problem: what is searched, and what came of it. docs/guide/plan.md.
namespace stallcast {

/// One thing that is searched. Without values and without a range: every count from 1 on, or what
/// a parameter says of itself.
struct PlanDimension {
  SweepAxis axis;         ///< its path may be a shortcut: "osts", "workers:train"
  std::int64_t unit = 0;  ///< counts come in multiples of this; 0: singly
  /// What the scenario has of it, where that is a parameter.
  std::optional<Setting> present = std::nullopt;
};

/// What to search, and for what.
struct PlanSpec {
  std::vector<PlanDimension> over;  ///< none: the storage system's OSTs, servers, ...
  std::string storage;   ///< to size when nothing is said in `over`; "": the one the bounds study
  std::string minimize;  ///< something searched, an input or a metric; "": see the guide
  std::string maximize;  ///< the same, as large as the targets allow
  std::vector<std::string> survive;      ///< "oss", "ost:scratch": targets hold while one is down
  std::optional<std::int64_t> checks;    ///< cheaper designs simulated to test that more helps
  std::optional<std::int64_t> replicas;  ///< at most so many where an interval straddles a limit
  std::optional<std::int64_t> tornado;   ///< uncertain inputs varied at the answer
  std::optional<double> spread;          ///< by how much, a fraction of the input
  /// In how many of all draws of the uncertain inputs the targets are to hold, 0..1; none: as is.
  std::optional<double> confidence;
  /// Draws judge the targets that ask for a confidence, each by its own, as `run` does.
  bool judge_each = false;
  std::optional<std::int64_t> draws;  ///< for both; none: as many as suit the design
};

/// How far one target is from its limit at one candidate.
struct TargetMargin {
  std::string id;
  std::string that;
  double value = 0.0;  ///< in `unit`
  double limit = 0.0;  ///< in `unit`
  std::string unit;
  double margin = 0.0;    ///< (value - limit) / limit on the good side, negative when missed
  std::string status;     ///< "pass", "fail", "inconclusive"
  std::string when = {};  ///< "oss of scratch down"; "" while everything works
  /// That it holds, and what it asks for, where it asks for a confidence: as `run` has them.
  std::optional<double> probability = std::nullopt, confidence = std::nullopt;
  /// Of the mean of replicas, 95 %, in `unit`; absent with one.
  std::optional<std::pair<double, double>> interval = std::nullopt;

  /// It misses its confidence, whatever its margin.
  [[nodiscard]] bool unsure() const { return confidence && status != "pass"; }
  /// "au", "au with oss of scratch down".
  [[nodiscard]] std::string name() const { return when.empty() ? id : id + " with " + when; }
};

/// One simulated candidate of a search.
struct PlanPoint {
  std::int64_t count = 0;            ///< of what is searched first, where that is a number
  bool meets = false;                ///< every error-level target passes
  bool inconclusive = false;         ///< the interval of a target straddles its limit
  double utilization = 0.0;          ///< GPU utilization, mean over GPUs
  std::string binding;               ///< resource most to blame; "" when none
  bool waited = false;               ///< it was waited for most, and nothing was tried
  double binding_utilization = 0.0;  ///< of that resource
  double binding_load = 0.0;         ///< of it while it is in use
  std::vector<TargetMargin> targets;
  std::vector<std::string> values = {};            ///< one of each PlanAxis, as `--set` takes it
  std::optional<double> objective = std::nullopt;  ///< in the unit of the objective
  std::int64_t replicas = 0;
  std::optional<double> cost = std::nullopt;   ///< USD; absent where nothing has a price
  std::optional<double> stall = std::nullopt;  ///< s per save, of the job that stalls most
  /// Of `utilization`, of the mean of replicas; absent with one, or of several jobs.
  std::optional<std::pair<double, double>> interval = std::nullopt;

  /// Names of the targets that do not hold; without such, of those that are undecided.
  [[nodiscard]] std::vector<std::string> missed() const {
    std::vector<std::string> out, open;
    for (const TargetMargin& t : targets)
      if (t.status != "pass") (t.status == "fail" ? out : open).push_back(t.name());
    return out.empty() ? open : out;
  }
};

/// One thing that was searched.
struct PlanAxis {
  std::string path;             ///< as `--set` takes it
  std::string name;             ///< "storage.scratch.ost.count", or the parameter
  std::string noun;             ///< "OSTs"; for other things the last word of the path
  std::string owner;            ///< "storage scratch"; "" when it has none
  std::string metric;           ///< "storage.scratch.osts.required"; "" for what is not a count
  std::string from, to;         ///< first and last value
  std::int64_t candidates = 0;  ///< how many values
  bool bounded = true;          ///< the search began at the fluid bound
  bool ordered = true;          ///< the targets are expected to be the easier the further on
  bool falls = false;           ///< less is further on, as of hosts that share a storage system
  bool open = false;            ///< there are values beyond the range that was searched
  std::string asked = {};       ///< as `--over` takes it: "storage.scratch.oss.count=1,2"
  std::int64_t unit = 0;        ///< as `--unit` takes it; 0: singly
};

/// What was minimized, or maximized.
struct PlanObjective {
  std::string name;  ///< something searched, an input or a metric
  std::string unit;  ///< base unit; "count" of counts
  bool maximize = false;
};

/// What one step of one dimension away from the answer does, as simulated.
struct PlanNeighbour {
  std::size_t axis = 0;      ///< of PlanResult::axes
  int direction = 0;         ///< -1: the harder design, +1: the easier one
  std::size_t point = 0;     ///< of PlanResult::points
  double units = 0.0;        ///< how far, in the unit of the dimension
  double utilization = 0.0;  ///< gained, per unit
  /// Gained by the target that decided the answer, per unit, in its own unit and towards its good
  /// side.
  double target = 0.0;
};

/// Why there must be as many: what the design that is one step smaller misses, as simulated.
struct PlanReason {
  /// bandwidth, operations, metadata, capacity, cores, compute, time; budget, power, space
  std::string by;
  std::string resource;  ///< "storage.scratch.ost"; "" when none is to blame
  TargetMargin target;   ///< that is missed there, or that its interval leaves open
  std::string values;    ///< of that design: "36 OSTs"
};

/// Where no design meets the targets: the one that comes nearest, of those simulated.
struct PlanNearest {
  std::size_t point = 0;  ///< of PlanResult::points
  PlanReason misses;
  std::vector<PlanReason> also = {};  ///< other targets that it misses
  /// What the next larger design is more than: a budget that it is over by bounds alone.
  std::optional<PlanReason> beyond = std::nullopt;
  /// Designs that bounds leave out for a budget, simulated since they may miss by less: those one,
  /// two, four, ... steps of one dimension from the nearest, and so on from one that was nearer.
  std::size_t looked = 0;
  bool cut_off = false;  ///< not all of these
};

/// What the objective would gain from a softer target, from a simulated neighbour of the answer.
struct PlanPrice {
  std::string target;    ///< id of the expectation
  double limit = 0.0;    ///< as it is
  double relaxed = 0.0;  ///< what the neighbour keeps
  std::string unit;      ///< of both
  double saved = 0.0;    ///< of the objective
  std::string values;    ///< the neighbour: "ost.count 50"
  std::string metric;    ///< of the target
};

/// An uncertain input, varied alone at the answer, each simulated.
struct PlanSwing {
  std::string path;                    ///< as `--set` takes it
  std::string base, low, high;         ///< values
  std::string target;                  ///< id of the tightest target at the answer
  double at_low = 0.0, at_high = 0.0;  ///< its margin there
  /// What the answer becomes: "same", "more" (the targets are missed), "fewer" (one unit less of
  /// something meets them, too).
  std::string low_needs = "same", high_needs = "same";
  [[nodiscard]] double swing() const {
    return at_high > at_low ? at_high - at_low : at_low - at_high;
  }
};

/// How often a job should save, where things fail.
struct PlanInterval {
  std::string job;
  std::size_t point = 0;           ///< of PlanResult::points: the design that it is of
  double every = 0.0;              ///< s, as it is
  double best = 0.0;               ///< s, searched over replayed histories
  double young = 0.0, daly = 0.0;  ///< s
  double goodput = 0.0;            ///< ratio, as it is
  double best_goodput = 0.0;       ///< ratio, at `best`
  bool meets = false;              ///< the targets hold with `best`, simulated
  std::string run = {};            ///< "run.duration" where saves at `best` needed a longer one
  /// `best` as `--set` takes it: {"jobs[train].checkpoint.every=\"2711 s\""}, and what goes for it.
  std::vector<std::string> set = {};
};

/// A change of something that was not searched, with which a design meets the targets, simulated.
struct PlanInstead {
  std::size_t point = 0;  ///< of PlanResult::points: the design that it is made in
  std::string change;     ///< "job.llm.checkpoint.mode sync -> async"
  std::string set;        ///< as `--set` takes it
};

enum class PlanStatus { found, infeasible, inconclusive };

/// What a plan answers in a month of the growth.
struct PlanStage {
  int month = 0;
  PlanStatus status = PlanStatus::inconclusive;
  std::string amounts;  ///< "18 OSTs"; "" where there is no answer
  std::string by;       ///< as PlanReason::by; "" where nothing smaller was missed
  bool enough = true;   ///< the answer of the last month meets the targets in this one
};

/// One candidate, judged by draws of the uncertain inputs.
struct DrawnPoint {
  std::int64_t count = 0;
  std::vector<std::string> values;  ///< one of each PlanAxis
  std::size_t draws = 0;            ///< simulated, that can be built
  bool ruled_out = false;           ///< by the first draws: no more were simulated
  std::string target = {};          ///< the one that decides; "": every error-level target
  double asked = 0.0;               ///< in how many cases that is to hold, 0..1
  double probability = 0.0;         ///< that it does, as a `run` with these draws has it
  std::string least = {};           ///< of every target together: the one that holds least often
  double least_probability = 0.0;   ///< and how often that one does
  bool meets = false;
};

/// The best design whose targets hold in so many cases.
struct ConfidentPlan {
  double asked = 0.0;        ///< 0..1; of targets that ask by themselves the most
  double least_asked = 0.0;  ///< and the least
  std::size_t draws = 0;     ///< the same ones for every design
  std::size_t inputs = 0;    ///< that were drawn
  std::size_t fitted = 0;    ///< values that a profile drew, jointly
  PlanStatus status = PlanStatus::inconclusive;
  std::optional<std::size_t> answer = std::nullopt;   ///< of `points`
  std::optional<std::size_t> nominal = std::nullopt;  ///< of `points`: the answer without draws
  std::vector<DrawnPoint> points = {};                ///< in the order of the axes
  /// A target asks for a confidence itself: the answer of the plan is this one, by `run` as well.
  bool decides = false;
};

/// The best design that meets the targets, with its neighbours.
struct PlanResult {
  std::string scenario_id;
  std::string scenario_file;
  // Of what is searched first, or alone:
  std::string metric;  ///< "storage.scratch.osts.required"
  std::string noun;    ///< what is counted: "OSTs"
  std::string owner;   ///< of what: "storage scratch"
  PlanStatus status = PlanStatus::found;
  std::int64_t required = 0;       ///< when found
  std::int64_t lower_bound = 1;    ///< where the search started
  std::int64_t infinity = 0;       ///< the count that stood for "more than enough"
  bool non_monotone = false;       ///< a larger count failed where a smaller one passed
  std::vector<PlanPoint> points;   ///< every candidate simulated, in the order of `axes`
  Prediction prediction;           ///< of the answer, or of the largest design when there is none
  std::vector<std::string> notes;  ///< what the reader must know about the search
  // Of all that is searched:
  std::vector<PlanAxis> axes = {};
  PlanObjective objective = {};
  std::optional<std::size_t> answer = std::nullopt;  ///< of `points`
  std::size_t end = 0;          ///< of `points`: what `prediction` is of when there is no answer
  std::int64_t candidates = 0;  ///< designs in the space
  std::int64_t proven = 0;      ///< of them excluded by bounds, without simulating
  std::int64_t invalid = 0;     ///< of those looked at, no valid design
  std::int64_t cheaper = 0;     ///< designs better than the answer (all, when infeasible) ...
  std::int64_t implied = 0;     ///< ... of which so many were not simulated: a larger one misses
  std::vector<std::string> survived = {};  ///< what may be down: "oss of scratch"
  std::vector<PlanNeighbour> neighbours = {};
  std::optional<PlanReason> reason = std::nullopt;    ///< none where no smaller design was missed
  std::optional<PlanNearest> nearest = std::nullopt;  ///< where it is infeasible
  /// The same, without an answer: what else would do, and what else can be searched ("--storage
  /// scratch").
  std::optional<PlanInstead> instead = std::nullopt;
  std::vector<std::string> further = {};
  std::vector<PlanPrice> prices = {};
  std::vector<PlanSwing> tornado = {};  ///< those that move the margin, the most first
  std::int64_t varied = 0;              ///< assumed inputs that were varied for it
  std::vector<PlanInterval> intervals = {};
  std::optional<ConfidentPlan> confident = std::nullopt;  ///< where a confidence is asked for
  std::optional<int> until = std::nullopt;  ///< month of the growth that the answer is of
  std::vector<PlanStage> stages = {};       ///< what would do in earlier months, the first first

  /// The answer is the one that draws are sure of.
  [[nodiscard]] bool decided_by_draws() const { return confident && confident->decides; }
};

/// The target of the answer that decided it: what the next smaller design misses, else the one that
/// is nearest to its limit; nullptr without any.
[[nodiscard]] inline const TargetMargin* deciding_target(const PlanResult& plan) {
  const TargetMargin* out = nullptr;
  if (!plan.answer) return out;
  for (const TargetMargin& t : plan.points[*plan.answer].targets) {
    if (plan.reason && t.id == plan.reason->target.id && t.when == plan.reason->target.when)
      return &t;
    if (out == nullptr || t.margin < out->margin) out = &t;
  }
  return out;
}

/// Whether the answer is the most of a range beyond which there is more that may do, too.
[[nodiscard]] inline bool is_at_least(const PlanResult& plan) {
  if (!plan.answer || !plan.objective.maximize) return false;
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    if (plan.axes[a].open && plan.axes[a].falls &&
        plan.points[*plan.answer].values[a] == plan.axes[a].from)
      return true;
  return false;
}

/// Whether the answer is the least of counts that begin above one, so that fewer may do, too.
[[nodiscard]] inline bool is_all_the_least(const PlanResult& plan) {
  if (!plan.answer || plan.reason || plan.objective.maximize || plan.axes.size() != 1) return false;
  const PlanAxis& axis = plan.axes.front();
  const std::string& found = plan.points[*plan.answer].values.front();
  const bool counted = found.find_first_not_of("0123456789") == std::string::npos;
  return axis.name == plan.objective.name && axis.ordered && !axis.falls && axis.from != axis.to &&
         found == axis.from && counted && found != "0" && found != "1";
}

/// The candidate with `count`, or nullptr when it was not simulated.
[[nodiscard]] inline const PlanPoint* find_point(const PlanResult& plan, std::int64_t count) {
  for (const PlanPoint& point : plan.points)
    if (point.count == count) return &point;
  return nullptr;
}

}  // namespace stallcast
