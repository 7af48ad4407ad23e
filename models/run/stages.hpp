#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/stage_supply.hpp"
#include "models/job/job.hpp"
#include "models/plant/plant.hpp"
#include "models/record/recorder.hpp"
#include "models/run/stage_mover.hpp"
#include "models/stage/graph.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// The stages of a design at work, and the jobs that belong to them. docs/models/stages.md.
class Stages {
 public:
  using Jobs = std::vector<std::unique_ptr<TrainingJob>>;
  /// `date`: time of the run, what was counted and not simulated included; `seed`: of failures over
  /// months. All must outlive this.
  Stages(const Design& design, Plant& plant, sim::Context& context, const Jobs& jobs,
         std::uint64_t seed, std::function<Seconds()> date);

  /// Whether there is none.
  [[nodiscard]] bool empty() const { return stages_.empty(); }
  /// Whether none moves data itself.
  [[nodiscard]] bool trains_only() const {
    return std::ranges::all_of(stages_, [](const Stage& stage) { return stage.job != nullptr; });
  }
  /// Its stages, and the jobs that are none of them.
  [[nodiscard]] std::vector<sim::Task<void>> programs();
  /// Tells `recorder`, which outlives the run, when they are at work.
  void record(Recorder& recorder);
  /// Whether data are on their way: then nothing repeats.
  [[nodiscard]] bool moving() const { return moving_ > 0; }
  /// How long nothing was simulated, since a job's whole run was waited for that is like the part
  /// of it that was; and how long nothing but tenants.    [docs/models/stages.md, eq. 4]
  [[nodiscard]] Seconds left_out() const { return left_out_; }
  [[nodiscard]] Seconds tenants_alone() const { return tenants_alone_; }
  /// When the last job made its last step, without what was left out.
  [[nodiscard]] Seconds last_step() const { return last_step_; }
  /// Called when a job has made its last step.
  std::function<void()> on_last_step = [] {};
  /// Whole runs take so much longer, by job, than as they were simulated.
  void slow(std::map<std::string, Seconds> slowed) { slowed_ = std::move(slowed); }
  /// Adds "stage.S. ..." and "pipeline. ..." metrics.
  void report(RunResult& out) const;
  /// From its first stage's start to its last stage's end.
  [[nodiscard]] Seconds time() const;
  /// What its time went to along the stages that decide it, by resource.
  //    [docs/models/stages.md, eq. 5]
  [[nodiscard]] WaitSplit waited() const;
  /// Host class and core time that no simulated CPU carried, of each stage.
  [[nodiscard]] std::vector<std::pair<std::string, Seconds>> computed() const;

 private:
  struct Stage {
    StageNode node;
    TrainingJob* job = nullptr;
    std::optional<WholeRun> whole{};  ///< of the job, where it says one
    bool open = false;                ///< no figure tells how long the whole run takes
    double failed = 0.0;  ///< share of the time of the whole run that failures over months cost
    std::unique_ptr<StageMover> mover{};
    std::unique_ptr<StageSupply> brings{};
    Lane* lane = nullptr;
    Seconds began = Seconds::infinity(), ended{};
    [[nodiscard]] Seconds time() const { return ended - began; }
    [[nodiscard]] Seconds starved() const { return mover ? mover->starved() : job->starved(); }
    [[nodiscard]] WaitSplit limited() const { return mover ? mover->limited() : job->waited(); }
  };
  sim::Task<void> run(Stage& stage);
  sim::Task<void> train(Stage& stage, std::vector<StageSupply*> behind);
  sim::Task<void> work(TrainingJob& job);
  /// So many more at what is `simulated_` or `waiting_`, or fewer.
  void count(int& what, int more);
  /// How long each stage decides when stage number `at` is where it is at date `until`, in the
  /// order of the stages.
  [[nodiscard]] std::vector<Seconds> decisive(std::size_t at, Seconds until) const;
  /// The same of the end of all.
  [[nodiscard]] std::vector<Seconds> decisive() const;
  /// The stage that decides longest; none where none does.
  [[nodiscard]] const Stage* slowest(const std::vector<Seconds>& parts) const;
  /// Of those it follows, the one that held it up when it streamed; none where it was not held up.
  [[nodiscard]] std::optional<std::size_t> held_up_by(const Stage& stage) const;
  /// Of those that it streams behind, the last to end; none where it does not stream.
  [[nodiscard]] std::optional<std::size_t> streams_behind(const Stage& stage) const;
  /// Of those it follows, the last to end; none where it follows none, or waited for its own date.
  [[nodiscard]] std::optional<std::size_t> started_by(const Stage& stage) const;
  [[nodiscard]] std::string limit_of(const Stage& stage) const;
  /// Whether its end is unknown: a whole run of it, or of one that it follows, that nothing tells.
  [[nodiscard]] bool is_open(const Stage& stage) const;
  [[nodiscard]] bool follows_open(const Stage& stage) const;
  /// What the failures of a job that is a stage are called.
  [[nodiscard]] static std::string failures_of(const Stage& stage);
  void report(const Stage& stage, RunResult& out) const;
  void report_first_batch(RunResult& out) const;

  const Design& design_;
  Plant& plant_;
  sim::Context& context_;
  std::uint64_t seed_;
  const Jobs& jobs_;
  std::function<Seconds()> date_;
  std::vector<Stage> stages_;  ///< each after those that it follows
  std::map<std::string, Seconds> slowed_{};
  int moving_ = 0;
  int simulated_ = 0, waiting_ = 0;  ///< at work; waiting for the rest of a whole run
  Seconds tenants_until_{};          ///< the last of them stops
  Seconds counted_at_{}, left_out_{}, tenants_alone_{}, last_step_{};
};

}  // namespace stallcast::models
