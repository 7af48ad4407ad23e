#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/sim/context.hpp"
#include "engine/sim/memory.hpp"
#include "engine/sim/short_list.hpp"
#include "engine/sim/sync.hpp"
#include "models/contract/access.hpp"
#include "models/contract/dataset.hpp"
#include "models/contract/flat_map.hpp"
#include "models/contract/loader.hpp"
#include "models/contract/phase_clock.hpp"
#include "models/loading/cache_plan.hpp"
#include "models/loading/pipeline.hpp"
#include "models/loading/sample_reader.hpp"
#include "models/record/recorder.hpp"

namespace stallcast::models {

/// A batch as the training loop gets it.
struct Batch {
  Loaded bytes;
  WaitSplit wait;           ///< from asking to having it on the GPU
  Seconds starting;         ///< part of it: names were listed, processes of workers started
  Seconds scanned;          ///< part of it: files were found, once for each start of the job
  std::int64_t index = -1;  ///< in the order they were asked for; -1: none
  Seconds behind{};         ///< the last rank of the class has it so much later

  void clear() {
    bytes = {};
    wait.clear();
    starting = scanned = behind = {};
    index = -1;
  }
};

/// What the loaders of all rank classes of a job have in common, once for all of them: thousands
/// read it at every step.
struct LoaderDesign {
  LoaderParams params;
  LoaderPolicy policy;
  DatasetParams dataset;
  SampleAccess access;
  cache::CachePlan cache;  ///< of its hosts
  std::string hosts;       ///< class of these
};

/// The loader of one rank class, by PyTorch's protocol: batch i goes to worker i mod W; at most
/// W x prefetch batches are outstanding; a new index is issued only when a batch is consumed;
/// delivery is in order (unless the policy says otherwise). docs/models/dataloader.md.
class alignas(sim::kCacheLine) LoaderRuntime {
 public:
  /// `ranks` of the job share the data set.
  LoaderRuntime(sim::Context& context, std::shared_ptr<const LoaderDesign> design, LoaderSite site,
                double ranks, base::RandomStream random);

  /// Batches of a whole epoch; infinite when the data set is.
  [[nodiscard]] double steps_per_epoch() const;
  /// Batches that may be asked for beyond the next.
  [[nodiscard]] std::int64_t read_ahead() const { return most(); }
  /// Starts an epoch of `steps` batches from empty queues. The work happens in `next`. `written`:
  /// by saves through the page cache of a host, in an epoch. `before`: batches of the epoch that
  /// the loader had before it was started again.
  void begin_epoch(std::int64_t steps, Bytes written = {}, std::int64_t before = 0);
  /// Its processes are gone: reads under way are the last. Another takes its place.
  void stop();
  /// It goes on for `before`, which was stopped. `cold`: on other hosts, whose caches are empty.
  /// Called before any epoch begins.
  void take_over(const LoaderRuntime& before, bool cold);
  /// The next batch goes to `batch`, which is empty. REQUIRES: called at most `steps` times per
  /// epoch, never twice at once.
  [[nodiscard]] sim::Task<void> next(Batch& batch);
  /// Instead of `next`, where the next batch is there and nothing on its way to the GPU is shared
  /// with anybody, so that only time has to pass, which two calls return: first what maps the queue
  /// of results up to it, then what hands it over.    [docs/performance.md]
  [[nodiscard]] bool at_hand() const;
  /// REQUIRES for the others: at_hand().
  [[nodiscard]] Seconds map_until_next(Batch& batch);
  /// The first of these has passed, but for `left`, which is 0 unless told_ahead().
  [[nodiscard]] Seconds take(Batch& batch, Seconds left);
  /// Both, where told_ahead().
  [[nodiscard]] Seconds take_at_once(Batch& batch);
  /// Whether which worker has the next index is known ahead of time, as is all that the rank does
  /// until it has a batch that is at_hand().
  [[nodiscard]] bool told_ahead() const {
    return policy_.fixed_assignment && policy_.in_order && !pipeline_;
  }
  /// Whether it is known when the next batch is on the GPU once the worker that reads it has its
  /// bytes, as none that comes before it becomes known later: who waits for it needs no program.
  ///    [docs/adr/0049-who-waits-needs-no-program.md]
  [[nodiscard]] bool tells() const { return tells_ && primed_ && listed_; }
  /// The next batch goes to `batch`, which is empty, by the date that `on_batch` is told, now or
  /// later. REQUIRES: as `next`; tells(), not at_hand().
  void await(Batch& batch);
  std::function<void(Seconds)> on_batch;
  /// Soon it is asked whether a batch is at_hand().
  void prefetch() const;
  /// Sooner: what is found by way of that.
  void prefetch_queues() const;
  /// Between two calls of `next`.
  void describe(sim::Ledger& ledger);
  /// Its workers report to `recorder` what they do. `track`: whose they are.
  void record(Recorder& recorder, const Timeline::Track& track);
  /// What preparing samples on the GPU adds to the compute of a step.
  [[nodiscard]] Seconds gpu_work() const {
    return policy_.gpu_decode * (policy_.gpu_share.in(unit::ratio) * static_cast<double>(p_.batch));
  }
  [[nodiscard]] ResourceIndex gpu_resource() const { return shared_.site.last_resource; }
  /// Core time used so far without a simulated CPU, all members together.
  [[nodiscard]] Seconds uncontended_cpu() const {
    const LoaderSite& site = shared_.site;
    return site.also ? site.cores.uncontended + site.also->cores.uncontended
                     : site.cores.uncontended;
  }

 private:
  [[nodiscard]] auto copy_to_gpu(Bytes bytes) const;
  sim::Task<void> pass_on(Batch& batch);
  /// In a worker's queue: what it does before its first batch.
  static constexpr std::int64_t kImportFirst = -1;
  /// What a reader loads of its batch.
  struct Part {
    std::int64_t group = 0;         ///< it is at
    double begin = 0.0, end = 0.0;  ///< samples after those of the batch
    [[nodiscard]] double of(std::int64_t samples) const {
      return static_cast<double>(samples) - begin + end;
    }
    /// A batch is handed over as it is.
    [[nodiscard]] Bytes whole(std::int64_t samples, Bytes part) const {
      return part * (static_cast<double>(samples) / of(samples));
    }
  };
  [[nodiscard]] Part part(std::uint32_t worker) const {
    return ends_apart_ ? parts_[worker] : Part{};
  }
  /// Who loaded a batch.
  struct Loader {
    std::uint32_t worker = 0;
    bool rested = false;   ///< had nothing to do before
    std::uint32_t made{};  ///< where `made_` tells what making it took
  };
  struct alignas(sim::kCacheLine) Worker {
    Worker(sim::Context& context, const ResourceTable* resources, std::uint32_t place)
        : indices(context), number(place), clock(resources) {}
    sim::Mailbox<std::int64_t> indices;
    std::uint32_t number;
    bool dry = false;     ///< it has read them all, and the training loop knows
    bool ended = false;   ///< it has, and reported so
    bool rested = false;  ///< of the batch under way: as of Loader
    Lane* lane = nullptr;
    std::int64_t tasks = 0;  ///< indices it was given and that did not come back
    double left = 0.0;       ///< samples of its files in this epoch
    Seconds done;            ///< date from which it has nothing to do
    // Of the batch under way:
    std::int64_t epoch = -1, index = -1;
    std::int64_t samples = 0;
    PhaseClock clock;         ///< a lap is a batch
    Seconds processing;       ///< once its bytes are there
    std::int64_t groups = 1;  ///< in at most so many groups
    std::int64_t end = 0;  ///< once it has read all its files: the first index that brings nothing
  };
  /// A loaded batch in the queue of results.
  struct Arrival {
    std::int64_t index = 0;
    Loaded bytes;
    Seconds last;  ///< as of Ready
    Loader by;
    Seconds there;  ///< date from which it is in the queue: nobody sees it before
  };
  /// A loaded batch on its way to the training loop.
  struct Ready {
    Loaded bytes;
    Seconds staged;    ///< in its last stage, in line or served: pinning, or decoding on the GPU
    Seconds handover;  ///< what is left of its hand-over
    Seconds last;      ///< date at which the last rank of the class has it; 0: as all
    Loader by;
  };
  /// A loaded batch in line for the last stage.
  struct Staged {
    std::int64_t index;
    Loaded bytes;
    Seconds came;  ///< date
    Loader by;
  };
  /// The next index is out at `date`, which is now unless told_ahead().
  void issue(Seconds date);
  void give(std::int64_t worker, Seconds date);
  sim::Task<void> work(Worker& self, SampleReader& reader, sim::Mailbox<std::int64_t>& indices);
  void rest(Worker& self);
  /// Its batch is ready at `date`, which may be to come.
  void made(Worker& self, Seconds date, Loader& by);
  [[nodiscard]] bool begin_batch(Worker& self, std::int64_t index);
  void end_batch(Worker& self, Loaded bytes);
  /// Its bytes are there: whether the worker is done with it though it is not processed yet.
  [[nodiscard]] bool ends_unseen(Worker& self, SampleReader& reader);
  sim::Task<void> import(PhaseClock& clock);
  sim::Task<void> stage();
  void hand_over(std::int64_t index, Loaded bytes, Loader by);
  /// Of a batch that is ready at `date`.
  [[nodiscard]] static Seconds last_of(const Loaded& bytes, Seconds date);
  /// The last of the queue goes where it belongs.
  void put_by_date();
  /// Whether one is in the queue of results now.
  [[nodiscard]] bool any_there() const {
    return !incoming_.empty() && incoming_.front().there <= context_.now();
  }
  /// The training loop waits for what will be there first, if that is known.
  void await_first();
  sim::Task<void> announce(Seconds date);
  /// Whether a batch, which is one group, ends sooner or later.
  [[nodiscard]] bool ends_apart(const Worker& self, std::int64_t index) const;
  [[nodiscard]] bool in_one(std::int64_t samples, std::int64_t most) const;
  /// In at most `most` groups, one after the other.
  sim::Task<Loaded> load(Worker& self);
  sim::Task<Loaded> load(std::int64_t worker, std::int64_t samples, std::int64_t most,
                         PhaseClock& clock);
  sim::Task<Loaded> load_groups(std::int64_t worker, std::int64_t samples, std::int64_t groups,
                                Seconds sending, PhaseClock& clock);
  sim::Task<void> scan(Batch& batch);
  sim::Task<void> stat(double files);
  /// Metadata of so many files, as a job asks for them once.
  sim::Task<Served> look_up(double files);
  sim::Task<void> open_epoch(Batch& batch);
  sim::Task<void> start(Batch& batch);
  sim::Task<void> load_here(Batch& batch);
  sim::Task<void> receive(Batch& batch);
  /// For so long, if at all, besides what the training process did.
  void waited(Batch& batch, Seconds time, const Ready& ready);
  /// Whether the next batch is in the queue of results, or will be by that date.
  [[nodiscard]] bool next_is_there(Seconds date) const;
  /// That one, if it is, for the training loop that waits without a program.
  void receive_known();
  [[nodiscard]] Seconds map_first(Ready& ready);
  [[nodiscard]] Seconds map_next();
  [[nodiscard]] Seconds deliver(Batch& batch, Seconds date);
  void give_out(Batch& batch, std::int64_t index, const Ready& ready, Seconds date);
  [[nodiscard]] Seconds on_its_way(Batch& batch, Seconds handover);
  [[nodiscard]] Seconds copied_alone(Batch& batch);
  void pass(Seconds time, Batch& batch);
  /// Core time of the training process, which waits for cores with its workers. Threads of the
  /// process hand over where they are: a delay.
  [[nodiscard]] HostCores::Who receiver() const {
    return pipeline_ ? HostCores::Who::nobody : HostCores::Who::process;
  }
  /// Whether the training loop copies batches to the GPU.
  [[nodiscard]] bool copies() const {
    return shared_.site.gpu_copy.finite() && !policy_.gpu_copies;
  }
  [[nodiscard]] Seconds mean_handover(const Loaded& bytes) const;
  [[nodiscard]] Seconds draw_handover(const Loaded& bytes);
  void blame(WaitSplit& wait, Seconds waited, const Ready& ready);
  void skip_dry();
  [[nodiscard]] bool arrived() const;
  /// Of those that have arrived, the next to be delivered. REQUIRES: arrived().
  [[nodiscard]] auto next_done() {
    return policy_.in_order ? done_.find(base_ + received_) : done_.begin();
  }
  [[nodiscard]] std::int64_t most() const { return policy_.outstanding(p_); }
  [[nodiscard]] bool staged() const { return policy_.pin || policy_.gpu_copies; }
  [[nodiscard]] Seconds staging(const Loaded& bytes) const;

  // First what each step looks at.
  sim::Context& context_;
  const LoaderParams& p_;
  const LoaderPolicy& policy_;
  std::unique_ptr<Pipeline> pipeline_;  ///< instead of workers, where threads share a batch
  std::vector<Worker> workers_;         ///< where they are they stay
  std::int64_t base_ = 0;               ///< first index of this epoch: indices never repeat
  std::int64_t sent_ = 0;               ///< issued in this epoch
  std::int64_t received_ = 0;           ///< delivered or skipped in this epoch
  std::int64_t steps_ = 0;
  std::int64_t rested_ = 0;  ///< outstanding with a last stage to come, of workers that had rested
  std::size_t next_worker_ = 0;  ///< in the cycle
  bool undisturbed_ = false;     ///< hand-overs cross nothing that is shared
  bool scanned_ = false;         ///< what the format lists first is known
  bool listed_ = false;          ///< this epoch's names are shuffled
  bool started_ = false;         ///< workers are alive
  bool primed_ = false;          ///< this epoch's first indices are out
  bool ends_apart_ = false;      ///< batches of one sample end sooner or later than others
  bool tells_ = false;  ///< all batches take equally long to process, which nothing disturbs
  /// The training loop, where it waits for the next batch without a program.
  struct Awaiting {
    Batch* batch = nullptr;  ///< null: it does not
    Seconds began;           ///< date
  } awaiting_;
  std::int64_t finer_ = 1;       ///< as of LoaderSite
  Seconds announced_;            ///< date at which somebody says that one is there
  sim::Ring<Arrival> incoming_;  ///< by the dates from which they are there
  // What it took to make each batch that is loaded and not given out, by places that `unused_`
  // has again then.
  std::vector<WaitSplit> made_;
  sim::ShortList<std::uint32_t, 4> unused_;
  sim::Signal arrival_;
  std::optional<base::RandomStream> handovers_;  ///< where they differ
  ReaderShared shared_;
  // From here on, what not all steps look at.
  std::shared_ptr<const LoaderDesign> design_;
  FlatMap<std::int64_t, Ready> done_;  ///< received, not yet delivered
  double ranks_;
  base::LognormalSpread handover_spread_;
  std::vector<std::unique_ptr<SampleReader>> readers_;  ///< one per worker
  std::vector<Part> parts_;                             ///< by reader
  sim::Mailbox<std::int64_t> shared_indices_;
  sim::Mailbox<Staged> to_stage_;
  /// Of iterable data sets: worker of each index that is outstanding.
  FlatMap<std::int64_t, std::size_t> owner_;
  std::vector<std::size_t> ended_;  ///< workers that reported the end of their files
  WaitSplit loaded_;                ///< what all threads had done when the last batch was delivered
  /// Of samples of one size, when steps are drawn: how groups of them differ, of what is read by
  /// samples, or batches of one sample; else workers decode at different times.
  ///    [docs/models/dataloader.md, "grain"]
  std::optional<base::RandomStream> cuts_;
  bool decodes_apart_ = false;
};

}  // namespace stallcast::models
