#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/memory.hpp"
#include "models/contract/progress.hpp"
#include "models/contract/stage_supply.hpp"
#include "models/contract/statistics.hpp"
#include "models/failure/restarts.hpp"
#include "models/job/cold_epochs.hpp"
#include "models/job/communicator.hpp"
#include "models/job/compute_log.hpp"
#include "models/job/epoch_starts.hpp"
#include "models/job/steady_state.hpp"
#include "models/loading/cache_plan.hpp"
#include "models/loading/grain.hpp"
#include "models/loading/loader_runtime.hpp"
#include "models/plant/plant.hpp"
#include "models/plant/slow_hosts.hpp"
#include "models/record/recorder.hpp"
#include "models/saving/checkpointer.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Synchronous data-parallel training: every step each rank takes a batch, computes, and meets the
/// others at a barrier; at some barriers the state is saved. docs/models/training.md.
class TrainingJob {
 public:
  /// `design`, `job` and `grains`, those of the design, outlive it.
  TrainingJob(const Design& design, const JobDesign& job, const Grains& grains, Plant& plant,
              sim::Context& context, std::uint64_t seed);
  /// Trains, and ends when the last save is where it is to be.
  [[nodiscard]] sim::Task<void> run();
  /// The restore that the scenario asks for after the run, if any. REQUIRES: `run` has ended.
  [[nodiscard]] sim::Task<void> restore_after();
  void report(RunResult& out) const;
  /// Called at the end of every step, the save after it included.
  std::function<void()> on_step;
  /// Whether a failure of this id struck it.
  [[nodiscard]] bool struck_by(const std::string& failure) const {
    return restarts_.struck_by(failure);
  }
  /// Whether one struck another job of its row: that it did not strike this one is then not told.
  std::function<bool(const std::string&)> struck_elsewhere;
  /// Whether a step is under way.
  [[nodiscard]] bool stepping() const { return stepping_; }
  /// How long it is to last at the most; infinite if it ends with its epochs or steps.
  [[nodiscard]] Seconds horizon() const { return horizon_; }
  /// Whether it began so long ago or longer, and has not ended.
  [[nodiscard]] bool trains_for(Seconds time) const {
    return training_ && context_.now() - began_ >= time;
  }
  void describe(sim::Ledger& ledger);
  /// It ends after so many steps that are kept, if nothing ends it before. REQUIRES: not begun.
  void end_after(double steps) { most_steps_ = steps; }
  /// It reads behind `supplies`, and does not overtake them in its first epoch.
  void read_behind(std::vector<StageSupply*> supplies);
  /// Time it waited for them after it had begun.
  [[nodiscard]] Seconds starved() const { return starved_; }
  /// From its beginning until it had the first batch of the run, mean over the ranks.
  [[nodiscard]] Seconds first_batch() const { return first_batch_; }
  /// Tells `recorder`, which outlives the run, what happens from now on.
  void record(Recorder& recorder);
  /// Time training waited, by resource: batches, communication and saves.
  [[nodiscard]] WaitSplit waited() const;
  /// Core time of its loaders that no simulated CPU carried, and the host class that spent it.
  [[nodiscard]] Seconds uncontended_cpu() const;
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& host() const { return p_.hosts; }
  [[nodiscard]] Seconds wall() const { return ended_ - began_; }
  /// When its last step had ended; saves may go on.
  [[nodiscard]] Seconds ended() const { return ended_; }
  /// Time it has been training so far.
  [[nodiscard]] Seconds trained() const { return training_ ? context_.now() - began_ : wall(); }
  /// Time its GPUs computed so far.
  [[nodiscard]] Seconds useful() const { return useful_; }
  /// What its GPUs did between two dates.
  struct GpuTime {
    Seconds trained;   ///< from its first step to its last
    Seconds computed;  ///< of that
  };
  /// REQUIRES: it has ended; storage may fail in its design.
  [[nodiscard]] GpuTime gpu_time(Seconds from, Seconds to) const;

  /// What the run measured, for predictions over longer times.
  struct Measured {
    Seconds wall, useful, saving;  ///< without `once` and `filled`
    Seconds once;                  ///< its start and waits for stages
    EpochStarts::Phases filled;    ///< what its loaders lost when they began, by phase
    Seconds starved;               ///< part of it: these
    const Series& steps;           ///< wall times
    Seconds first_wait;  ///< for the first batch of the run, workers that start included; 0 without
                         ///< a loader
    Seconds warm_up;     ///< what the first step after a start takes more
    const Checkpointer* saves;  ///< nullptr: the job never saves
    const RankLayout& layout;
  };
  [[nodiscard]] Measured measured() const;

  /// Requests of one resource in what was simulated, as its whole run has them.
  struct Requests {
    double once;   ///< its start, restores, work that was lost, and what filled caches
    double steps;  ///< of other steps that are kept
    double saves;  ///< of as many as are due in the time of `steps` in a longer run
    bool by_time;  ///< they are due so
  };
  /// By resource; of `counts` of its design. REQUIRES: it has ended.
  [[nodiscard]] std::map<std::string, Requests> requests(const RequestCounts& counts) const;

 private:
  /// One class of ranks, and its last step.
  struct alignas(sim::kCacheLine) RankClass {
    // First what each step looks at.
    std::unique_ptr<LoaderRuntime> loader{};
    Lane* lane = nullptr;
    double speed = 1.0;  ///< of its GPUs, over that of others
    Seconds compute{}, arrived{};
    Seconds computes{};                  ///< from this date on
    Seconds slowed{};                    ///< of the step, by a save's thread
    double weight = 1.0, readers = 1.0;  ///< as of the layout
    bool straggler = false;              ///< its hosts are slow at times
    RankPlace place;
    Seconds first{};
    Batch batch{};
    base::RandomStream random;
    std::vector<std::unique_ptr<LoaderRuntime>> stopped{};  ///< by failures
  };
  sim::Task<void> rank_step(RankClass& ranks);
  /// The steps of all classes begin; what they wait for.
  void begin_ranks(std::vector<sim::Task<void>>& parts);
  /// Whether it is known when the step of `ranks` ends that begins now: it need not be simulated.
  [[nodiscard]] bool known_ahead(const RankClass& ranks) const;
  /// The same without being simulated. REQUIRES: known_ahead(ranks).
  void pass_step(RankClass& ranks);
  /// Whether that will be known once it is when `ranks` have a batch.
  [[nodiscard]] bool told_by_loader(const RankClass& ranks) const;
  /// They have it at `date`, which may be to come. REQUIRES: told_by_loader(ranks), in the step.
  void has_batch(RankClass& ranks, Seconds date);
  /// Until all have arrived whose steps are not simulated.
  sim::Task<void> await_arrivals();
  [[nodiscard]] bool compute_is_seen(const RankClass& ranks) const;
  /// How long the compute of the step takes, which is drawn.
  Seconds compute(RankClass& ranks);
  /// How long that takes: 0 where the GPU does not decode.
  [[nodiscard]] Seconds decode_on_gpu(RankClass& ranks);
  sim::Task<void> pass(Seconds time);
  /// A rank that no class goes through the simulation for, and that arrives after all classes.
  struct UnseenRank {
    const RankClass* like = nullptr;  ///< its class
    WaitSplit wait;
    Seconds compute;
    Seconds late;  ///< after the last class
  };
  /// The last such rank of a step, if there is one.    [docs/models/folding.md, eq. 6]
  std::optional<UnseenRank> latest_unseen();
  [[nodiscard]] std::shared_ptr<const LoaderDesign> loader_design() const;
  /// What its hosts keep of its data set.
  [[nodiscard]] cache::CachePlan cache() const {
    return loader_design_ ? loader_design_->cache : cache::CachePlan{};
  }
  /// A new loader of class number `c`.
  [[nodiscard]] std::unique_ptr<LoaderRuntime> make_loader(std::size_t c);
  sim::Task<void> step(bool first);
  /// Until what the next step needs is there.
  sim::Task<void> await_input();
  /// One of `steps` steps, of which `done` are done. Ends early at a failure.
  sim::Task<void> epoch(std::int64_t steps, std::int64_t done);
  sim::Task<void> train(std::int64_t steps, std::int64_t done);
  void end_epoch();
  /// From a failure until work goes on; yields the steps that are done again.
  sim::Task<std::int64_t> restart();
  [[nodiscard]] Progress progress() const {
    return {.steps = steps_,
            .useful = useful_,
            .sync = sync_,
            .waits = waited_.by_phase,
            .once = once_};
  }
  /// What was done and not lost.
  [[nodiscard]] Progress kept() const;
  void record_loader(std::size_t c);
  /// On the lanes of all rank classes.
  void open_all(std::string_view name, std::int64_t number = -1);
  void close_all(ResourceIndex cause = kNoResource);
  void then_all(std::string_view name, ResourceIndex cause = kNoResource);
  /// What the way back up to now consisted of, one after the other.
  void note_parts(const Restarts::Way& way);
  /// What of the time that was blamed came since `before`: the most.
  [[nodiscard]] ResourceIndex worst_since(const WaitSplit& before, const WaitSplit& now) const;
  void report_cache(RunResult& out) const;
  void report_cold_epochs(RunResult& out) const;
  void report_once(RunResult& out) const;
  [[nodiscard]] std::map<std::string, double> asked(const RequestCounts& counts,
                                                    JobWork work) const;
  /// Whether its epochs fill caches, on hosts or servers.
  [[nodiscard]] bool fills_caches() const;
  /// What those took more than others; what saves took less than they do in a longer run.
  ///    [docs/models/whole-run.md, eq. 2, 4]
  [[nodiscard]] Seconds filling() const;
  [[nodiscard]] Seconds owed() const;
  /// Of steps that are kept, what does not come again with each: its starts, waits for stages, and
  /// what loaders lose when they begin.
  [[nodiscard]] Seconds once() const { return kept().once + starts_.lost(); }
  /// Loaders begin, in the midst of an epoch where it goes on `again`; a step ended that is number
  /// `done` since then.
  void begin_start(bool again);
  void end_start(std::int64_t done);
  void report_time(const Progress& kept, RunResult& out) const;
  void remark_barrier(RunResult& out) const;
  [[nodiscard]] bool time_is_up() const;
  /// Host work of a rank in the present step that nothing hides.
  [[nodiscard]] Seconds between() const {
    return between_steps_ + (cold_ ? step_time_.warm_up : Seconds{});
  }

  const Design& design_;
  const JobDesign& job_;
  const Grains& grains_;
  sim::Context& context_;
  Plant& plant_;
  std::uint64_t seed_;
  Recorder* recorder_ = nullptr;
  std::string id_;
  std::size_t number_;  ///< in the design
  JobParams p_;
  RankLayout layout_;
  StepTime step_time_;
  Seconds between_steps_;  ///< host work of every rank
  bool cold_ = true;       ///< no step was made since the last start
  double batch_ = 0.0;     ///< samples per rank and step
  std::shared_ptr<const LoaderDesign> loader_design_;
  /// Of a data set on two storage systems: what all its readers share.    [formats.md, eq. 17]
  std::shared_ptr<double> owed_ = std::make_shared<double>(0.0);
  std::vector<RankClass> classes_;
  Restarts restarts_;
  std::unique_ptr<Checkpointer> checkpoint_;
  std::unique_ptr<Communicator> communicator_;
  Seconds horizon_;
  double steps_per_epoch_ = 0.0;
  double most_steps_ = std::numeric_limits<double>::infinity();

  /// The present epoch.
  struct Epoch {
    Seconds began, saving;
    Seconds once;  ///< `once_` when it began
    std::int64_t steps = 0, done = 0;
    std::int64_t last = 0;    ///< of its steps, after which it or the job ends
    std::int64_t before = 0;  ///< of the steps done, those before a failure
  };
  Epoch epoch_;
  std::int64_t epochs_ = 0;  ///< done
  Seconds began_, ended_;
  bool training_ = false;  ///< between these
  bool stepping_ = false;
  /// Of the step under way, classes that wait for their batches without being simulated, and the
  /// date at which the last of those arrives that are not.
  std::size_t waiting_ = 0;
  Seconds last_arrival_;
  sim::Signal all_have_;  ///< their batches, or will have them
  std::int64_t steps_ = 0;
  Seconds useful_, sync_;
  std::optional<ComputeLog> computed_;  ///< where faults ask for it
  Progress lost_;                       ///< by failures
  Seconds stopped_;  ///< by the last one: date up to which the time of steps and saves is known
  WaitSplit waited_;
  Bytes read_;
  Bytes epoch_buffered_;             ///< by saves until it began, of each host
  Bytes epoch_read_, epoch_missed_;  ///< of the present epoch: asked for, and not found by hosts
  std::vector<std::string> warnings_;
  std::vector<StageSupply*> behind_;
  Seconds starved_;
  Seconds once_;  ///< its starts and waits for stages    [docs/models/whole-run.md, eq. 2]
  SteadyState steady_;
  ColdEpochs cold_epochs_;
  EpochStarts starts_;
  std::optional<base::RandomStream> unseen_;  ///< of the steps of ranks that are not simulated
  Seconds held_;                              ///< by these
  StragglerCost stragglers_;
  Seconds first_waited_;    ///< for the first batch of the run, mean over the ranks
  Seconds first_starting_;  ///< besides, while workers started, likewise
  Seconds first_batch_;     ///< from the beginning until it was there, likewise
  Series step_times_, first_batches_, first_steps_, au_, epoch_samples_;
};

}  // namespace stallcast::models
