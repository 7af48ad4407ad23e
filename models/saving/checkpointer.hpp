#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "models/contract/phase_clock.hpp"
#include "models/contract/statistics.hpp"
#include "models/failure/restarts.hpp"
#include "models/record/recorder.hpp"
#include "models/saving/cached_saves.hpp"
#include "models/saving/copies.hpp"
#include "models/saving/restore.hpp"
#include "models/saving/retention.hpp"
#include "models/saving/save_series.hpp"
#include "models/saving/state_mover.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Saves one job's state. A save runs through quiesce, snapshot, CPU passes, write, fsync and
/// commit; training waits for all of it (sync) or for the snapshot and a free staging buffer
/// (async, and sync where saves end in the page cache). docs/models/checkpoint.md.
class Checkpointer {
 public:
  /// `failures` of the job outlive it.
  Checkpointer(const JobDesign& job, Plant& plant, const Restarts& failures, sim::Context& context);

  /// Whether a save is due after `steps` steps in all, at the present date.
  [[nodiscard]] bool due(std::int64_t steps) const;
  /// A save of what the job has done so far: ends when training may go on.
  [[nodiscard]] sim::Task<void> save(const Progress& at);
  /// Ends when a snapshot that runs alongside training is done: called at the end of every step.
  [[nodiscard]] sim::Task<void> settle();
  /// Ends when everything saved is durable in every tier.
  [[nodiscard]] sim::Task<void> finish();
  /// One restore, where the scenario asks for it. REQUIRES: `finish` has ended.
  [[nodiscard]] sim::Task<void> restore_after();

  /// The processes are gone: what they had under way brings nothing more.
  void stop();
  /// What a failure of `scope` leaves; the save to go on from is `Found::save`, if any.
  [[nodiscard]] Copies::Found find(Scope scope) const { return copies_.find(scope); }
  void fall_back(Scope scope, const Copies::Found& found, const Progress& lost) {
    copies_.fall_back(scope, found, lost);
  }
  /// All ranks have the state of `found` again, those of the last `hosts` hosts on others than
  /// before. What is read from storage outside the hosts takes `given`, where that is given. The
  /// next failure ends it.
  [[nodiscard]] sim::Task<void> restart(Copies::Found found, double hosts,
                                        std::optional<Seconds> given, WaitSplit& blamed);
  /// Training goes on after `steps` steps in all: saves are due from now on.
  void resume(std::int64_t steps);

  /// What a step takes longer while a thread of the training process flushes, as a share.
  [[nodiscard]] double slowdown() const;
  /// Whether there is such a thread.
  [[nodiscard]] bool slows() const { return p_.flush == "thread"; }
  /// A step lost `time` to that.
  void charge(Seconds time);

  /// By name of a tier, most bytes at one time of saves that only lay there since they were not
  /// drained yet.
  [[nodiscard]] std::map<std::string, Bytes> most_waiting() const;

  /// `steps`: of training so far; `training`: more of them come.
  void describe(sim::Ledger& ledger, std::int64_t steps, bool training);
  /// Tells `recorder`, which outlives the run, what happens from now on.
  void record(Recorder& recorder) { recorder_ = &recorder; }

  /// Time training waited so far, and by resource.
  [[nodiscard]] Seconds stalled() const { return stalled_; }
  [[nodiscard]] const WaitSplit& blamed() const { return blamed_; }
  /// Time of the restore after the run.
  [[nodiscard]] Seconds restoring() const { return restore_.took(); }
  [[nodiscard]] std::string restored_from() const { return restore_.tier(); }
  [[nodiscard]] Seconds uncontended_cpu() const { return mover_.uncontended_cpu(); }
  /// What saves wrote so far through the page cache of each host.
  [[nodiscard]] Bytes buffered_per_host() const { return mover_.buffered() / mover_.hosts(); }
  void report(const std::string& job, Seconds wall, RunResult& out) const;

  /// What a step that was slowed down lost, mean.
  [[nodiscard]] Seconds slowed() const;
  /// What steps lost to each save, mean.
  [[nodiscard]] Seconds slowed_by_save() const;
  /// What saves would have cost `work` of training in so many steps more, had they begun as often
  /// from its start on as they did later; zero before the first, or, due by time, the second.
  [[nodiscard]] Seconds owed(Seconds work, std::int64_t steps) const;
  /// Share of all time that saves take which are due by time; zero where they are due by steps, or
  /// are fewer than two.
  [[nodiscard]] double due_share() const;

  /// Saves that are due while training goes on for `time` and `steps`, over those that began; 1
  /// before the first, or, due by time, the second.
  [[nodiscard]] double due_over_begun(Seconds time, std::int64_t steps) const;

  /// How each save went, in their order. Saves that had not ended have a stall and no more.
  struct Saves {
    const Series& stalls;        ///< training waited, back-pressure included
    const Series& backpressure;  ///< part of it; empty when training waits for every save
    std::vector<double> staged;  ///< from the start until the buffer was free; empty likewise
    /// From the start until it was complete in each of `tiers`, of those that came there; host
    /// memory is none of them.
    std::vector<std::vector<double>> complete;
    const std::vector<std::string>& tiers;
  };
  [[nodiscard]] Saves saves() const;
  [[nodiscard]] const CheckpointParams& params() const { return p_; }
  [[nodiscard]] Bytes size() const { return size_; }
  /// The most of it that one rank saves; that one host does.
  [[nodiscard]] Bytes of_rank() const { return mover_.layout().of_rank(); }
  [[nodiscard]] Bytes of_host() const { return mover_.layout().of_host(mover_.ranks()); }

 private:
  /// One save under way.
  struct Save {
    Seconds began;            ///< the call
    Seconds written;          ///< when all ranks were at rest: its files are timed from here
    std::int64_t number = 0;  ///< from 1, as it was when it began
    double part = 1.0;
    bool drained = true;  ///< goes on to the last tier
    std::int64_t life = 0;
    Lane* lane = nullptr;
    const SavePoint* point = nullptr;  ///< REQUIRES: of this life
    WaitSplit took{};                  ///< until it counts, along the class that ended last
    [[nodiscard]] bool whole() const { return part == 1.0; }
  };
  /// How long one class took, by cause.
  struct Course {
    Seconds ended;
    WaitSplit took;
  };
  /// What most of the longest of several was waited for.
  struct Longest {
    Seconds time;
    ResourceIndex by = kNoResource;
    void add(Seconds other, ResourceIndex worst) {
      if (other > time) time = other, by = worst;
    }
  };
  sim::Task<void> snapshot(const Mover& mover, WaitSplit& took);
  sim::Task<void> passes(const Mover& mover, double part, WaitSplit& took);
  /// Of what a save has, the `share` that is written now.
  sim::Task<void> write(const Mover& mover, const Save& save, std::size_t tier, WaitSplit& took,
                        double share = 1.0);
  sim::Task<void> verify(const Mover& mover, double part, std::size_t tier, WaitSplit& took);
  sim::Task<void> fill_tier(const Mover& mover, const Save& save, std::size_t tier, Course& course);
  /// Phases of one class: one after the other, or all at the same time when the save streams.
  sim::Task<void> phases(std::vector<sim::Task<void>> parts);
  sim::Task<void> complete(const std::string& tier, WaitSplit& took);
  /// Ends when the page caches have it; the flush goes on.
  sim::Task<void> fill_cache(Save save);
  sim::Task<void> through_cache(const Mover& mover, const Save& save, Course& course);
  sim::Task<void> copy_in(const Mover& mover, double part, WaitSplit& took);
  sim::Task<void> write_back(const Mover& mover, const Save& save, WaitSplit& took);
  /// One of the two things that training waits for of each writer has ended.
  void filled(const WaitSplit& took);
  /// All that its phases took goes to `all`, too, which outlives it.
  sim::Task<void> flush(Save save, WaitSplit* all = nullptr);
  void held(const Save& save);
  /// It counts from now on, with this part of the state.
  void counts(const Save& save, double part);
  /// Whether saves are due more often than they end.
  [[nodiscard]] bool falls_behind() const;
  void begin_anew();
  /// Until the next save is due by time. REQUIRES: `every` is given.
  [[nodiscard]] Seconds until_due() const;
  /// Of one save to training, mean. REQUIRES: there was one.
  [[nodiscard]] Seconds cost() const;
  /// Mean time from one to the next, where no failure was between them; infinite without two.
  [[nodiscard]] Seconds interval() const;
  /// The tier that they reach more slowly than they begin, behind the first; none: all keep up.
  [[nodiscard]] std::optional<std::string> drains_late() const;
  /// "; 7.04 TB of saves ... waited in ..."; "" where none did.
  [[nodiscard]] std::string waiting() const;
  sim::Task<void> snapshot_all(Save& save);
  /// Where a save or a restore that begins now is recorded.
  [[nodiscard]] Lane* lane(const char* what);
  sim::Task<void> copy_then_flush(Save save);
  void free_buffer(const Save& save);
  /// A failure came before the end of what ends now: it does not count.
  [[nodiscard]] bool lost(const Save& save) const;
  void end(const Save& save, bool left);
  /// Whether what a tier takes is over when a save counts.
  [[nodiscard]] bool counts_after(std::size_t tier) const {
    return durable_ == kInMemory ? style_.blocking && tier == 0 : tier <= durable_;
  }
  /// Where copies of a tier are counted.
  [[nodiscard]] std::size_t place(std::size_t tier) const { return tier + (in_memory_ ? 1 : 0); }
  /// It takes the place of an older one there from now on.
  void overwrite(std::size_t place, const Save& save) {
    if (!lost(save)) copies_.overwrite(place, *save.point);
  }
  /// Saves that `save` is read from in `tier`.
  [[nodiscard]] static double saves_in(const std::string& tier, const SavePoint& save);
  /// What a restore from `tier` reads.
  [[nodiscard]] const SavePoint& newest_in(const std::string& tier) const;
  sim::Task<void> remove(std::string tier, double files);
  /// Whether `save` goes as far as tier `tier`.
  [[nodiscard]] bool reaches(const Save& save, std::size_t tier) const;
  /// Number of the tier of files that `save` goes on to from tier `tier`; as many as there are:
  /// none.
  [[nodiscard]] std::size_t goes_to(const Save& save, std::size_t tier) const;
  /// It is in tier `tier`, and no longer needed where it came from.
  void drained(const Save& save, std::size_t tier);
  /// What is kept of its files.
  [[nodiscard]] const Retention& kept() const {
    return retention_[files_ == kInMemory ? 0 : files_];
  }

  StateMover mover_;
  std::string job_;
  CachedSaves cached_;
  Recorder* recorder_ = nullptr;
  CheckpointParams p_;
  CheckpointStyle style_;
  std::vector<Mover> writers_;
  Bytes size_;
  std::vector<Retention> retention_;  ///< by tier; one where there is none
  const Restarts& failures_;
  Copies copies_;
  Restore restore_;                              ///< after the run
  std::vector<std::unique_ptr<Restore>> again_;  ///< after failures; what stopped may go on
  Seconds given_restore_;   ///< after failures, of a time that the scenario gives
  bool in_memory_ = false;  ///< saves count in host memory, as snapshots or as pages
  static constexpr std::size_t kInMemory = static_cast<std::size_t>(-1);
  std::size_t durable_ = kInMemory;  ///< tier in which a save counts; kInMemory: host memory
  std::size_t files_ = kInMemory;    ///< tier at which its files are committed; kInMemory: none
  std::size_t leaves_ = 0;           ///< tier that has the bytes when they leave host memory
  sim::Slots buffers_;
  sim::Signal idle_, copied_;
  bool copying_ = false;   ///< a snapshot runs alongside training
  Seconds waited_;         ///< what its save waited so far
  std::int64_t life_ = 0;  ///< of the processes that save
  std::int64_t flushing_ = 0;
  std::int64_t begun_ = 0;
  std::int64_t anew_ = 0;   ///< of those but the first, after a failure
  bool resumed_ = false;    ///< none began since the last one
  std::int64_t chain_ = 0;  ///< saves that the last one is read from; 0: the next is whole
  Seconds first_start_, last_start_;
  std::int64_t last_steps_ = 0;
  Seconds stalled_;
  Seconds slowed_;  ///< part of it: of steps, by a thread
  std::int64_t slowed_steps_ = 0;
  ResourceIndex last_limit_ = kNoResource;
  WaitSplit counted_;              ///< what the saves of `durations_` took
  std::vector<WaitSplit> beyond_;  ///< what those of `complete_` took in tiers behind, by tier
  WaitSplit blamed_;               ///< what training waited for
  /// The same of the save that training waited longest for, and of the one that took longest.
  Longest longest_stall_, longest_;
  std::vector<WaitSplit> fills_;  ///< of a save into the page cache, what training waited for
  Series stalls_, durations_, backpressure_, rank0_;
  SaveSeries staged_;
  Series parts_;                      ///< of the state that the saves of `durations_` moved
  std::vector<SaveSeries> complete_;  ///< by tier
  std::vector<std::string> warnings_;
};

}  // namespace stallcast::models
