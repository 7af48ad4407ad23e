#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/bounds/cost.hpp"
#include "models/contract/derivation.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

/// When a job is finished, and what it costs until then. Equations: docs/models/whole-run.md.
namespace stallcast::models {

/// A job that says how much it is to do in all, of which a simulation shows a part.
struct WholeRun {
  std::string job;
  double steps = 0.0;   ///< of all ranks together            [docs/models/whole-run.md, eq. 1]
  double epochs = 1.0;  ///< that are begun                   [docs/models/whole-run.md, eq. 8]
  std::string formula;  ///< "300B tokens / 3.15M a step"
  Rule rule{};
  Seconds compute{};  ///< GPU time of one step

  /// With this share of its GPU time useful: n t / G.        [docs/models/whole-run.md, eq. 2]
  [[nodiscard]] Seconds time(double useful) const { return compute * (steps / useful); }
};

/// Of the jobs that say it. REQUIRES: all components are complete.
[[nodiscard]] std::vector<WholeRun> whole_runs(const Design& design);

/// Steps after which a simulation of `job` has shown all of its whole run; nullopt where it has
/// none, or where histories tell of it, which go on until all its work is kept.
///    [docs/models/whole-run.md, eq. 6]
[[nodiscard]] std::optional<double> steps_to_end(const Design& design, const JobDesign& job);

/// Steps of an epoch of a job; 0 where nothing says it.
[[nodiscard]] double steps_of_epoch(const Design& design, const JobDesign& job);
/// GPU time of one of its steps, mean of all ranks.
[[nodiscard]] Seconds compute_of(const Design& design, const JobDesign& job);

/// Why what a job says of its whole run is not enough, or too much, and what to write.
struct RunFault {
  std::string what, hint;
};
/// None when it is right, or nothing is said.
[[nodiscard]] std::optional<RunFault> fault_of_whole_run(const Design& design,
                                                         const JobDesign& job);

/// How long `run` takes when it goes on as the simulation that measured `metrics`; nullopt where
/// they do not say how much of the GPU time is useful.     [docs/models/whole-run.md, eq. 2]
[[nodiscard]] std::optional<Seconds> time_of(const WholeRun& run,
                                             const std::map<std::string, Metric>& metrics);

/// What there is to do in `run` beside what comes once, in time of its steps without saves, of
/// which a share `busy` is useful: what histories of months are to keep.
///    [docs/models/whole-run.md, eq. 6]
[[nodiscard]] Seconds work_of(const WholeRun& run, const std::map<std::string, Metric>& metrics,
                              double busy);

/// How long what goes on does in `run`, over what was simulated of it: (T - r - s) / (W - r - s),
/// in steps. nullopt as above.    [docs/models/whole-run.md, eq. 5]
[[nodiscard]] std::optional<double> times_of(const WholeRun& run,
                                             const std::map<std::string, Metric>& metrics);
/// Mean time of a step that goes on, as long as credits last. nullopt as above.
[[nodiscard]] std::optional<Seconds> pace_of(const WholeRun& run,
                                             const std::map<std::string, Metric>& metrics);
/// When `job` begins, of which `metrics` tell; zero where it follows nothing.
[[nodiscard]] Seconds begin_of(const Design& design, const std::string& job,
                               const std::map<std::string, Metric>& metrics);
/// Whether credits of storage are followed until a whole run ends: it is the only one.
///    [docs/models/burst-credits.md, eq. 3]
[[nodiscard]] bool follows_credits(const Design& design);
/// Whether part of what was simulated of `run` comes once.
[[nodiscard]] bool comes_once(const WholeRun& run, const std::map<std::string, Metric>& metrics);

/// Of a job's whole run the share of GPU time that `figure` tells, goodput or utilization, over the
/// same of what was simulated: of a failure with a date, of a start and of cold caches a long run
/// has less. 1 of a job without a `run`.    [docs/models/cost.md, eq. 3, 4]
[[nodiscard]] double over_whole_run(const Design& design, const std::string& job,
                                    std::string_view figure,
                                    const std::map<std::string, Metric>& metrics);

/// Adds "job.J.lasting.useful" and ".lasting.utilization" of jobs that go on beyond what was
/// simulated, where they are another than those of that.    [docs/models/whole-run.md, eq. 9]
void add_lasting(const Design& design, std::map<std::string, Metric>& metrics);

/// Adds "job.J.run.steps", ".run.time", ".run.days", and with prices ".run.cost", of jobs with a
/// goodput or a utilization.
void add_whole_runs(const Design& design, const Costs& costs,
                    std::map<std::string, Metric>& metrics);

/// How they come about, for `explain`.
[[nodiscard]] std::vector<Derivation> derive_whole_runs(const Design& design);

}  // namespace stallcast::models
