#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/diff.hpp"
#include "stallcast/explanation.hpp"
#include "stallcast/growth.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"
#include "stallcast/timeline.hpp"

/// The one door for front ends and for programs of others: read a scenario, estimate, predict,
/// plan. docs/guide/client.md has an example.
namespace stallcast::client {

/// What came of reading a scenario. It is there exactly when nothing in `diagnostics` is an error.
struct Reading {
  std::optional<Scenario> scenario;
  Diagnostics diagnostics;  ///< with file, line and column, sorted by place
};

struct Settings {
  int jobs = 0;              ///< simulations at a time; 0: one per core
  std::string worker = {};   ///< stallcast-sim; "": next to this program or $STALLCAST_SIM
  std::string profile = {};  ///< file of a calibration profile; its faults are those of `read`
  std::string crash_directory = ".";  ///< where the design of a crashed simulation is saved
  double memory_mb = 0.0;           ///< that one simulation may take; 0: its part of the machine's
  int cpu_s = 0;                    ///< time on a core that one may take; 0: any
  std::size_t results_kept = 1000;  ///< in memory, by design hash and seed; some 10 kB each
};

/// What a plan is to search in addition to, or instead of, what the scenario says.
struct PlanQuestion {
  std::vector<std::string> over = {};  ///< "osts", "n_ost=8..64", "storage.scratch.oss.count=2,4"
  std::vector<std::string> unit = {};  ///< "osts=2": in multiples of two
  PlanSpec spec = {};                  ///< what is set here goes before the scenario
  std::optional<int> until = std::nullopt;  ///< for the design as it has grown by this month
};

/// What grows in addition to, or instead of, what the scenario says.
struct GrowthQuestion {
  std::vector<std::string> of = {};  ///< "jobs.train.dataset.samples=4 %/month"
  std::optional<int> months = std::nullopt, every = std::nullopt;
};

/// How a prediction is to be made.
struct Question {
  std::optional<std::uint64_t> seed = std::nullopt;  ///< the first; none: the scenario's
  int replicas = 0;                                  ///< 0: the scenario's
  double time_limit_s = 600.0;                       ///< wall clock for the whole call
  std::string gain_of = {};   ///< metric, a time, that gains shorten; "": of jobs, or tenants alone
  bool strict_range = false;  ///< outside of the profile's range the verdict is inconclusive
  std::function<void(double)> on_progress = {};  ///< fraction done, 0..1, from the calling thread
  /// Where the faults of `expect` lines go, with pointer and place; may be null. The call fails
  /// with bad_input either way.
  Diagnostics* faults = nullptr;
};

/// One of two that are compared: a scenario, or what `run --format json` said of one.
struct DiffInput {
  std::string name = {};                            ///< in reports; "": the file
  std::optional<Scenario> scenario = std::nullopt;  ///< ok()
  std::optional<DiffSide> result = std::nullopt;    ///< instead of the scenario
};

struct DiffQuestion {
  Question predict = {};
  Attribution attribute = Attribution::automatic;
  std::string metrics = "*";  ///< which are compared; "*" stands for any text
  double min_change = 0.005;  ///< less than this, relative, is not a move
  bool gains = true;          ///< find by simulation what limits either side
};

/// Of the program and of its models: reports carry both.
struct Version {
  std::string program;
  std::string models;  ///< changes when a design may be predicted otherwise
};
[[nodiscard]] const Version& version();

/// Reads a result ("stallcast.result/1"), for the side `name` of a diff. Any other text is a
/// failure with bad_input that says where.
[[nodiscard]] Result<DiffSide> read_result(const std::string& json, const std::string& name);

/// Keeps a worker with the simulator loaded, and the results it gave: predicting a changed design
/// costs its simulation and little else, predicting a known one nothing. To be used and destroyed
/// by the thread that made it, `cancel` excepted; several sessions may live side by side.
class Session {
 public:
  explicit Session(Settings settings = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Starts the worker, so that it is ready when it is needed, unless a folder keeps results. What
  /// fails here fails again, and is said, in the call that needs it.
  void warm_up();

  /// Reads a scenario, with values of the profile (its own, if it names one), and says everything
  /// that is wrong with it. Simulates nothing.
  [[nodiscard]] Reading read(const ScenarioFile& file) const;

  /// What bounds say of `design`, in well below a millisecond: `method` is "estimate", metrics are
  /// job.J.gpu.utilization (never below what a simulation gives) and checkpoint.size, the
  /// bottleneck is what sets the bound. An assertion that a bound cannot decide is inconclusive.
  [[nodiscard]] Prediction estimate(const Design& design) const;

  /// Simulates `design` once per replica and combines them. Ended early, it says what the finished
  /// replicas say, with a warning and the verdict "inconclusive"; a failure when none finished.
  [[nodiscard]] Result<Prediction> predict(const Design& design, const Question& question = {});
  /// The same for many designs at once, in their order.
  [[nodiscard]] std::vector<Result<Prediction>> predict_all(std::span<const Design> designs,
                                                            const Question& question = {});

  /// What figures of `prediction`, made of the same design and question, may turn out to be, by
  /// simulations of the design with its inputs drawn from what they may be in truth; `draws` of
  /// them, or as many as fit about a second. Zero draws name the inputs.
  [[nodiscard]] Result<Uncertainty> uncertainty(const Design& design, const Prediction& prediction,
                                                std::optional<std::size_t> draws = std::nullopt,
                                                const Question& question = {});

  /// What the inputs of `design` are, given what was measured of it as it runs: a profile with
  /// their joint draws, of `draws` simulations from their ranges and more around what fits. Its fit
  /// is refused where nothing that the ranges allow explains the figures. A metric that is not one
  /// of the design, and a design without a range, are failures with bad_input.
  [[nodiscard]] Result<CalibrationProfile> calibrate(const Design& design,
                                                     std::span<const ObservedFigure> observed,
                                                     const std::string& id,
                                                     std::optional<std::size_t> draws = {},
                                                     const Question& question = {});

  /// What limits `prediction`, made of the same design and question, by what the design would gain
  /// without: parts of it are made twice as fast, each simulated once, and its bottlenecks are
  /// ranked by that. Nothing is tried of a very large design.
  void rank_by_gain(const Design& design, Prediction& prediction, const Question& question = {});
  /// Adds what jobs and tenants that share storage lose to each other: each is simulated alone.
  ///    [docs/models/tenants.md, eq. 13]
  void add_neighbours(const Design& design, Prediction& prediction, const Question& question = {});

  /// Why: the trees of `metrics` (empty: the headline ones) down to inputs with their sources, from
  /// a prediction of `design`, or from closed forms alone with `simulate` false. `what_ifs` is
  /// empty: `what_ifs` gives them. A metric that does not exist is a failure (bad_input).
  [[nodiscard]] Result<Explanation> explain(const Design& design,
                                            const std::vector<std::string>& metrics = {},
                                            bool simulate = true, const Question& question = {});

  /// What happens in the first of the simulations that `predict` makes of the same design and
  /// question: one more simulation, as far as the window goes. It changes no figure of any
  /// prediction. A window that is empty or ends nowhere is a failure with bad_input.
  [[nodiscard]] Result<Timeline> record(const Design& design, const TimelineRequest& what,
                                        const Question& question = {});

  /// What a page about `prediction`, made of the same design and question, shows of what happens
  /// when: of each job the rank that waits longest, for a minute, or for two saves and what is
  /// between them; where that is more steps than a picture can tell apart, those around the first
  /// save. Lanes and counters end together. Costs what `record` does, and ends with the time limit;
  /// nullopt when there is nothing to show or no time for it, since a page is whole without it.
  [[nodiscard]] std::optional<Timeline> overview(const Design& design, const Prediction& prediction,
                                                 const Question& question = {});

  /// Adds to `prediction` what a first page shows of designs around it: more and fewer of what is
  /// bought by number, and, where draws do not tell, which inputs move the answer.
  void add_surroundings(const Scenario& scenario, const Design& design, Prediction& prediction,
                        const Question& question = {});

  /// At most `most` changes of `scenario`, whose prediction this is, each tried by simulation: best
  /// first. The targets are those of `design`. All scenarios are ones that this session read.
  [[nodiscard]] std::vector<Alternative> alternatives(const Scenario& scenario,
                                                      const Design& design,
                                                      const Prediction& prediction,
                                                      std::size_t most,
                                                      const Question& question = {});

  /// The best design that meets the targets of `scenario`, as its `plan` asks. Texts of `over` and
  /// `unit` are those of the command line ("osts", "n_ost=8..64", "osts=2"); what `wanted` says
  /// goes before what the scenario says.
  [[nodiscard]] Result<PlanResult> plan(const Scenario& scenario, const PlanQuestion& wanted,
                                        const Question& question = {});

  /// When what is there runs out, as the scenario and `wanted` say that values grow. Without a word
  /// about that, and for values that cannot grow so, a failure with bad_input.
  [[nodiscard]] Result<GrowthResult> grow(const Scenario& scenario,
                                          const GrowthQuestion& wanted = {},
                                          const Question& question = {});

  /// The same with what `explain` tells of each, and, besides what relieves, what could be left
  /// out: at most `most` of both together, ranked.
  [[nodiscard]] std::vector<WhatIf> what_ifs(const Scenario& scenario, const Design& design,
                                             const Prediction& prediction, std::size_t most,
                                             const Question& question = {});

  /// The fewest OSTs (servers, controllers, ...) of `storage` that meet the targets of `scenario`;
  /// "" is the storage system the bounds study, or what the scenario's `plan` asks.
  [[nodiscard]] Result<PlanResult> plan(const Scenario& scenario, const std::string& storage = "",
                                        const Question& question = {});

  /// What became of `base`: inputs that changed, metrics that moved, and which change moved them,
  /// by simulating designs between the two. Results are compared without simulation.
  [[nodiscard]] Result<Diff> diff(const DiffInput& base, const DiffInput& head,
                                  const DiffQuestion& question = {});

  /// Ends the call that is under way as if its time limit had come. From any thread. Without a call
  /// it does nothing.
  void cancel() noexcept;

  /// nullptr without `Settings::profile`, or when it could not be read.
  [[nodiscard]] const CalibrationProfile* profile() const;
  [[nodiscard]] const std::string& profile_file() const;  ///< "" without one

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stallcast::client
