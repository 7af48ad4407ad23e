#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/decide/plan/space.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/change.hpp"
#include "stallcast/design.hpp"
#include "stallcast/result.hpp"

/// From cells to designs and their predictions.
namespace stallcast::plan {

/// The scenario's design with these changes after its own `--set` options.
using RedesignAll = std::function<Result<Design>(std::span<const Change> changes)>;

/// Something that is down all the time while the targets are judged again.
struct PartDown {
  std::string label;            ///< "oss of scratch"
  std::vector<Change> changes;  ///< of the scenario
  /// These after `others`.
  [[nodiscard]] std::vector<Change> on_top_of(std::vector<Change> others) const {
    others.insert(others.end(), changes.begin(), changes.end());
    return others;
  }
};

class Designs {
 public:
  /// `most_replicas` are simulated at most where the interval of a target straddles its limit.
  Designs(RedesignAll redesign, std::vector<Axis> axes, std::vector<PartDown> outages,
          const predict::PredictOptions& options, std::int64_t most_replicas);

  /// The design of a cell. Targets that only a plan can judge are left out.
  [[nodiscard]] const Result<Design>& at(const Cell& cell);
  /// Why a cell is no valid design, as it is or with one of the outages; nullopt where it is one.
  [[nodiscard]] std::optional<Failure> fault(const Cell& cell);
  /// What a cell changes.
  [[nodiscard]] std::vector<Change> changes(const Cell& cell) const;

  /// Predictions with the verdict of all targets, also with each of the outages: assertions of an
  /// outage have its label behind their id. All with the same seeds. The time limit is for all
  /// calls together.
  [[nodiscard]] std::vector<Result<Prediction>> predict(std::span<const Cell> cells);
  /// The same for changes of the scenario, one list a design.
  [[nodiscard]] std::vector<Result<Prediction>> predict(
      std::span<const std::vector<Change>> changes);
  /// The same of many, each told in turn and not kept.
  void predict_each(std::span<const std::vector<Change>> changes,
                    const std::function<void(const Result<Prediction>&)>& tell);

  /// The design of a cell as it is, and with each of the outages. REQUIRES: all are valid.
  [[nodiscard]] std::vector<Design> variants(const Cell& cell);
  /// Their predictions, as a run of each has them: of as many replicas, also where an interval
  /// straddles a limit. Those that were simulated come from memory.
  [[nodiscard]] std::vector<Result<Prediction>> as_run(std::span<const Design> variants);
  /// Replicas that a run of `cell` has unless it is told otherwise. REQUIRES: a valid design.
  [[nodiscard]] int usual_replicas(const Cell& cell);
  [[nodiscard]] const predict::PredictOptions& options() const { return options_; }

  /// Whether all replicas of a prediction that was asked for are in it: neither the time limit nor
  /// an interrupt cut it off.
  [[nodiscard]] bool finished(const Result<Prediction>& prediction, const Design& design) const;

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] const std::vector<PartDown>& outages() const { return outages_; }

 private:
  [[nodiscard]] Result<Design> make(std::span<const Change> changes) const;
  [[nodiscard]] std::vector<Result<Prediction>> simulate(std::span<const Design> designs);

  [[nodiscard]] bool out_of_time() const { return options_.run.until.passed(); }

  RedesignAll redesign_;
  std::vector<Axis> axes_;
  std::vector<PartDown> outages_;
  predict::PredictOptions options_;
  int most_replicas_;
  std::map<Cell, Result<Design>> made_;
};

/// What is wrong, without the place in the scenario that a failure of `redesign` begins with.
[[nodiscard]] std::string without_place(const Failure& failure);

/// " (oss of scratch down)": behind the id of a target in that outage.
[[nodiscard]] std::string outage_suffix(const PartDown& outage);

}  // namespace stallcast::plan
