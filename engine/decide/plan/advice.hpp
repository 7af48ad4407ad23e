#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decide/predict/predict.hpp"
#include "stallcast/change.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// "What should I change next?": candidate changes by what limits a design, tried by simulation.
namespace stallcast::plan {

/// How much of it comes on top of `from` when there are `number`, as a fraction; of none, as many
/// as there are.
[[nodiscard]] inline double added(double from, double number) {
  return from > 0.0 ? number / from - 1.0 : number;
}

/// A change of a scenario that may help.
struct Proposal {
  std::string text;            ///< "storage.scratch.ost.count 48 -> 60"
  Change change;               ///< storage[scratch].ost.count to 60
  double relative_cost = 0.0;  ///< how much of the thing is added, as a fraction
  /// Of hardware that is bought by number, and of settings that are numbers: how it is counted, so
  /// that fewer or more of it can be tried. None of other changes.
  struct Count {
    std::string label;    ///< "storage.scratch.ost.count"
    std::string path;     ///< as `Change` takes it
    std::string pointer;  ///< of the field, to find the parameters that it is made of
    double from = 0.0, to = 0.0, step = 1.0;
    bool multiples = false;  ///< of `step`, wherever it is now
    bool bought = true;      ///< a setting costs nothing
    Dimension dimension = Dimension::count;

    /// From where on `step` counts.
    [[nodiscard]] double origin() const {
      return multiples ? std::floor(from / step + 1e-9) * step : from;
    }
  };
  std::optional<Count> count = std::nullopt;

  /// Whether it is hardware that is bought by number.
  [[nodiscard]] bool buys() const { return count && count->bought; }
};

/// That `field` of `of` is changed, at no cost: "tenant.noisy.priority normal -> low".
[[nodiscard]] Proposal field_change(std::string_view role, const Component& of,
                                    const std::string& field, const std::string& before,
                                    const Setting& after);
/// The same of a field of a part of `job` ("checkpoint.every").
[[nodiscard]] Proposal job_change(const JobDesign& job, const std::string& field,
                                  const Setting& before, const Setting& after);

/// The proposal of `number` of what `proposal` counts. REQUIRES: it counts something.
[[nodiscard]] Proposal with_count(const Proposal& proposal, double number);

/// At most `most` changes that relieve what `prediction` blames, the most blamed first: what the
/// figure of a missed target asks for, what limits it, what failures cost, and what costs at least
/// 0.2 % of the time or would gain it.
[[nodiscard]] std::vector<Proposal> candidate_changes(const Design& design,
                                                      const Prediction& prediction,
                                                      std::size_t most);

/// The change that makes twice of `resource` ("storage.scratch.ost"), or of what lets more of it be
/// used at a time; nullopt when no number of the scenario does.
[[nodiscard]] std::optional<Proposal> doubled(const Design& design, const Prediction& prediction,
                                              const std::string& resource);

/// At most `most` settings of jobs that lose time, whatever they wait for: workers, prefetch,
/// cache, interval of saves, buffers of them.
[[nodiscard]] std::vector<Proposal> further_changes(const Design& design,
                                                    const Prediction& prediction, std::size_t most);

/// At most `most` changes that take away half of what is idle: hardware busy less than 45 % that
/// nobody waits for, and workers of loaders that keep up.
[[nodiscard]] std::vector<Proposal> spare_changes(const Design& design,
                                                  const Prediction& prediction, std::size_t most);

/// The scenario's design with one more change.
using Redesign = std::function<Result<Design>(const Change& change)>;

/// A proposal, and what is predicted with it.
struct Tried {
  Proposal proposal;
  Prediction prediction;
};

/// Simulates each change alone, with the seeds of `base`, in one batch. A change whose design is
/// not valid or whose simulation fails is left out.
[[nodiscard]] std::vector<Tried> simulate_changes(const std::vector<Proposal>& changes,
                                                  const Prediction& base, const Redesign& redesign,
                                                  const predict::PredictOptions& options);

/// The same; of what is counted, the fewest that meet the targets that `base` misses: of hardware
/// where any number does that a plan would look at, of settings where doublings come closer; on
/// large designs what was proposed.
[[nodiscard]] std::vector<Tried> simulate_as_needed(const std::vector<Proposal>& changes,
                                                    const Prediction& base,
                                                    const Redesign& redesign,
                                                    const predict::PredictOptions& options);

/// `tried` in short, beside the design that `base` predicts.
[[nodiscard]] Alternative in_short(const Tried& tried, const Prediction& base);

/// Whether `a` is better advice than `b` for that design: what meets its targets goes first, and by
/// cost where the design itself does not; then by gain. What meets them nominally goes by gain.
[[nodiscard]] bool is_better(const Alternative& a, const Alternative& b, const Prediction& base);

/// Both of simulate_as_needed(), best first.
[[nodiscard]] std::vector<Alternative> try_changes(const std::vector<Proposal>& changes,
                                                   const Prediction& base, const Redesign& redesign,
                                                   const predict::PredictOptions& options);

/// What other numbers of what `counted` counts make of the design that `base` predicts: from a
/// quarter to three times as many, simulated with its seeds. No points for large designs.
/// REQUIRES: it counts something.
[[nodiscard]] CountCurve count_curve(const Proposal& counted, const Prediction& base,
                                     const Redesign& redesign,
                                     const predict::PredictOptions& options);

}  // namespace stallcast::plan
