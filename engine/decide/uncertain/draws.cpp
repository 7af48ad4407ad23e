#include "engine/decide/uncertain/draws.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/base/accelerators.hpp"
#include "engine/base/design_values.hpp"
#include "engine/decide/uncertain/sobol.hpp"
#include "engine/decide/uncertain/tail.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::uncertain {
namespace {

/// What about a second of two cores simulates, in events; a few draws are worth more than that.
constexpr double kEvents = 6.4e6, kMostEvents = 2e7;
/// A rank that takes part in a step costs so much of an event: up to 10 ns and 250 ns, measured
/// (incremental-ckpt 9 ns, hdfs-llm-ckpt 4 ns). Steps that repeat are not gone through.
constexpr double kRankStep = 0.04;
constexpr std::size_t kUsual = 64, kFew = 8;
/// Histories of months that a draw replays, and failures for each interval of its search: a quarter
/// and a fortieth of the usual numbers, since draws differ by more than the luck of so many.
constexpr double kHistories = 250.0, kSearched = 100.0;
/// A failure or a shift that is replayed costs so many events (0.9 us), and a search tries about so
/// many intervals, measured.
constexpr double kReplay = 4.0, kIntervals = 12.0;
/// The same points for every design: what differs between two designs is not the draw.
constexpr std::uint64_t kPoints = 20261122;

class Drawer {
 public:
  Drawer(const Design& design, const Prediction& nominal, const DrawOptions& options)
      : design_(design), nominal_(nominal), options_(options) {
    out_.inputs = inputs_of(design);
  }

  DrawnDesigns run() {
    out_.asked = count();
    make_designs(out_.asked);
    if (out_.asked > 0) simulate();
    return std::move(out_);
  }

 private:
  std::size_t count() {
    // Where nothing is uncertain all draws are the design as it is, which is in memory.
    if (out_.inputs.empty() && !options_.vary)
      return std::min(options_.draws.value_or(kFewest), kFewest);
    if (options_.draws) return *options_.draws;
    const std::size_t fit = draws_of_a_run(design_, nominal_);
    if (fit < kUsual)
      out_.why_few = "the design is large, and takes long to simulate: --draws " +
                     std::to_string(kUsual) +
                     " varies them as often as those of a small one, and tells what to measure "
                     "first";
    return fit;
  }

  void make_designs(std::size_t wanted) {
    std::vector<std::vector<double>> points = scrambled_sobol(wanted, out_.inputs.size(), kPoints);
    for (std::size_t i = 0; i < wanted; ++i) {
      Design design = drawn(design_, out_.inputs, points[i]);
      if (options_.vary) options_.vary(design, i);
      if (options_.valid && !options_.valid(design)) {
        ++out_.broken;
        continue;
      }
      replay_less(design, kHistories, kSearched);
      points_.push_back(std::move(points[i]));
      which_.push_back(i);
      out_.designs.push_back(std::move(design));
    }
  }

  void simulate() {
    predict::PredictOptions how = predict::one_run(options_.predict);
    if (!how.seed && !nominal_.seeds.empty()) how.seed = nominal_.seeds.front();
    // As draws replay it, the design as it is comes last.
    const bool fewer = draws_replay_fewer(design_, kHistories);
    if (fewer) replay_less(out_.designs.emplace_back(design_), kHistories, kSearched);
    std::vector<Result<Prediction>> all = predict::predict_all(out_.designs, how);
    std::optional<Prediction> same;
    if (fewer) {
      if (all.back().ok()) same = std::move(*all.back());
      all.pop_back();
      out_.designs.pop_back();
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].ok()) {
        out_.predictions.push_back(std::move(*all[i]));
        out_.points.push_back(std::move(points_[i]));
        out_.which.push_back(which_[i]);
        continue;
      }
      // What ends at the time limit says nothing against the design.
      ++(all[i].failure().exit == ExitCode::inconclusive ? out_.cut_off : out_.broken);
      if (!out_.failed) out_.failed = all[i].failure();
    }
    if (same) as_of_all_histories(nominal_, *same, out_.predictions);
    if (out_.cut_off > 0) out_.why_few.clear();
  }

  const Design& design_;
  const Prediction& nominal_;
  const DrawOptions& options_;
  std::vector<std::vector<double>> points_;  ///< of the designs
  std::vector<std::size_t> which_;           ///< the same
  DrawnDesigns out_;
};

}  // namespace

std::optional<Failure> DrawnDesigns::too_few() const {
  if (predictions.size() >= kFewest || asked == 0) return std::nullopt;
  return failed ? *failed
                : Failure{ExitCode::inconclusive, "too few draws make a design that can be built",
                          "narrow the ranges of its inputs"};
}

DrawnDesigns simulated_draws(const Design& design, const Prediction& nominal,
                             const DrawOptions& options) {
  return Drawer(design, nominal, options).run();
}

double cost_of(const Design& design, const Prediction& nominal) {
  double cost = predict::events_of(
      design, static_cast<double>(nominal.events) /
                  static_cast<double>(std::max<std::size_t>(nominal.seeds.size(), 1)));
  const double walked =
      nominal.simulated_s > 0.0 ? 1.0 - nominal.skipped_s / nominal.simulated_s : 1.0;
  for (const JobDesign& job : design.jobs) {
    const auto said = [&](const char* key) {
      return figure_or_zero(nominal, metric::of_job(job.job.id, key));
    };
    cost += kRankStep * base::accelerators(design, job) * said("steps") * walked;
    const double failures = said("failures.count"), each = failures + said("elastic.shifts");
    if (!job.recovery || each <= 0.0) continue;
    const double runs = base::number_of(*job.recovery, "runs"),
                 sought = base::number_of(*job.recovery, "search");
    // Of long runs fewer histories are walked.    [docs/models/whole-run.md, eq. 6]
    const double whole = said("run.time"), horizon = base::number_of(*job.recovery, "horizon");
    const double walked_runs = whole > horizon ? std::max(runs * horizon / whole, 1.0) : runs;
    cost += kReplay * each * walked_runs;
    // The best interval is replayed as the present one is.
    if (failures > 0.0 && sought > 0.0)
      cost +=
          kReplay * each * (walked_runs + kIntervals * std::clamp(sought / failures, 1.0, runs));
  }
  return cost;
}

void replay_less(Design& design, double runs, double failures) {
  for (JobDesign& job : design.jobs) {
    if (!job.recovery) continue;
    for (const auto& [key, most] : {std::pair{"runs", runs}, std::pair{"search", failures}})
      if (const auto found = job.recovery->values.find(key); found != job.recovery->values.end())
        found->second.number = std::min(found->second.number, most);
  }
}

std::size_t draws_that_fit(double cost) {
  const double each = std::max(cost, 1.0);
  if (each * static_cast<double>(kFew) > kMostEvents) return 0;
  return std::clamp(std::bit_floor(static_cast<std::size_t>(kEvents / each)), kFew, kUsual);
}

std::size_t draws_of_a_run(const Design& design, const Prediction& nominal) {
  Design trial = design;
  replay_less(trial, kHistories, kSearched);
  const std::size_t fit = draws_that_fit(cost_of(trial, nominal));
  return asks_for_confidence(design) ? std::max(fit, kFewestForTargets) : fit;
}

std::size_t input_count(const Design& design) { return inputs_of(design).size(); }

}  // namespace stallcast::uncertain
