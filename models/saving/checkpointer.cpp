#include "models/saving/checkpointer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/sim/join.hpp"
#include "models/contract/rows.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

/// One rank of those of a class.
Mover one_of(const Mover& mover) {
  Mover one = mover;
  for (auto& [storage, client] : one.mounts) client.members = 1.0;
  return one;
}

}  // namespace

Checkpointer::Checkpointer(const JobDesign& job, Plant& plant, const Restarts& failures,
                           sim::Context& context)
    : mover_(job, plant, context),
      job_(job.job.id),
      cached_(mover_),
      p_(cached_.params()),
      style_(checkpoint_row(job.checkpoint->kind).style),
      writers_(mover_.movers(mover_.layout().writers, JobWork::saves)),
      size_(mover_.layout().size()),
      retention_(std::max<std::size_t>(1, mover_.tiers().size()), Retention(p_)),
      failures_(failures),
      copies_(copy_places(mover_, p_, retention_)),
      restore_(mover_),
      buffers_(context, p_.buffers),
      idle_(context),
      copied_(context) {
  const std::vector<std::string>& tiers = mover_.tiers();
  complete_.resize(tiers.size());
  beyond_.resize(tiers.size());
  in_memory_ = std::find(p_.tiers.begin(), p_.tiers.end(), kHostMemory) != p_.tiers.end();
  if (!tiers.empty()) durable_ = leaves_ = tiers.size() - 1;
  for (std::size_t t = tiers.size(); t-- > 0;) {
    if (p_.durable == tiers[t]) durable_ = t;
    if (tiers[t] != kPeerMemory) leaves_ = t;
  }
  // Where saves count in memory, their files are committed in the last tier.
  if (!p_.ends_in_memory())
    files_ = p_.durable && in_memory(*p_.durable) ? tiers.size() - 1 : durable_;
  if (p_.durable == kHostMemory) durable_ = kInMemory;
  if (!style_.blocking &&
      synchronous(*job.checkpoint, mover_.layout(), mover_.ranks(), mover_.host().memory)) {
    style_.blocking = true;
    warnings_.push_back(
        "job." + job.job.id +
        ".checkpoint: the snapshots do not fit in host memory; saves are synchronous");
  }
  if (p_.ends_in_cache()) {  // its file is there for all but those that lose the host
    style_.blocking = false;
    in_memory_ = true;
  } else if (mover_.params().ends_in_cache()) {
    warnings_.push_back("job." + job.job.id + ".checkpoint: the clients of storage \"" + p_.to +
                        "\" keep no pages; saves are flushed");
  }
}

bool Checkpointer::due(std::int64_t steps) const {
  if (p_.every_steps) return steps - last_steps_ >= *p_.every_steps;
  return p_.every && until_due() <= Seconds{};
}

double Checkpointer::slowdown() const {
  return flushing_ > 0 && p_.flush == "thread" ? p_.slowdown.in(unit::ratio) : 0.0;
}

void Checkpointer::charge(Seconds time) {
  if (time <= Seconds{}) return;
  stalled_ += time;
  slowed_ += time;
  ++slowed_steps_;
  blamed_.add(Phase::cpu, time, mover_.own_resource("thread"));
}

// The whole state is copied, also for an increment: what changed is told apart afterwards.
sim::Task<void> Checkpointer::snapshot(const Mover& mover, WaitSplit& took) {
  sim::Context& context = mover_.context();
  co_await mover_.at_rank0(mover, "nic.read", took);
  if (p_.compresses_on_gpu()) {
    const Seconds time = mover.share.bytes / p_.compress_rate;
    co_await context.sleep(time);
    took.add(Phase::cpu, time, mover_.own_resource("compress"));
  }
  if (p_.snapshot == "none" || mover_.past_memory()) co_return;
  const Seconds start = context.now();
  const Served served = co_await mover_.copy(mover, p_.copied(mover.share.bytes));
  took.add(Phase::data, start, context.now(), served.limited_by, mover_.plant().resources());
}

sim::Task<void> Checkpointer::passes(const Mover& mover, double part, WaitSplit& took) {
  if (p_.ends_in_memory()) co_return;
  co_await mover_.compute(mover, save_passes(p_, mover.share.bytes * part), took);
}

sim::Task<void> Checkpointer::write(const Mover& mover, const Save& save, std::size_t tier,
                                    WaitSplit& took, double share) {
  sim::Context& context = mover_.context();
  const std::vector<std::string>& tiers = mover_.tiers();
  const Seconds start = context.now();
  const double part = save.part;
  StateMover::Piece piece = mover_.piece(mover, part, share);
  piece.save = save.number;
  const std::string from = mover_.drained_from(tier);
  std::vector<sim::Task<void>> parts;
  Served served;  // of whichever ends last: it is read while it is sent on
  parts.push_back(mover_.send(mover, tiers[tier], piece, served));
  if (mover_.is_local(from)) parts.push_back(mover_.read_back(mover, from, piece, served));
  co_await sim::join(context, std::move(parts));
  took.add(Phase::data, start, context.now(), served.limited_by, mover_.plant().resources(), 1.0,
           mover_.tiers()[tier]);
  if (p_.reads_back() && tiers[tier] != kPeerMemory) co_await verify(mover, part, tier, took);
  const bool shared = mover_.layout().shared;
  if (p_.commit == "rename" && (!shared || mover.share.rank0)) {
    const Mover who = shared ? one_of(mover) : mover;  // an operation a file, as an open is one
    const Seconds renaming = context.now();
    const Served renamed =
        co_await mover_.metadata(who, tiers[tier], mover.share.files_in(part),
                                 p_.stored(shared ? size_ : mover.share.bytes) * part);
    took.add(Phase::metadata, renaming, context.now(), renamed.limited_by,
             mover_.plant().resources());
  }
}

// What was written is opened, read and checked before it gets its name.    [checkpoint.md, eq. 12]
sim::Task<void> Checkpointer::verify(const Mover& mover, double part, std::size_t tier,
                                     WaitSplit& took) {
  sim::Context& context = mover_.context();
  const Seconds start = context.now();
  const double writers = mover_.layout().writer_count();
  const Served served = co_await mover_.read(
      mover, mover_.tiers()[tier], p_.stored(mover.share.bytes) * part, mover.share.files_in(part),
      {.readers = writers,
       .files = writers,
       .save = p_.stored(size_) * part,
       .company = mover_.layout().company(mover.share)},
      1.0);
  took.add(Phase::data, start, context.now(), served.limited_by, mover_.plant().resources(), 1.0,
           mover_.tiers()[tier]);
  co_await mover_.compute(mover, verify_passes(p_, mover.share.bytes * part), took);
}

sim::Task<void> Checkpointer::phases(std::vector<sim::Task<void>> parts) {
  if (p_.streams()) {
    co_await sim::join(mover_.context(), std::move(parts));
    co_return;
  }
  for (sim::Task<void>& part : parts) {
    sim::Task<void> phase = std::move(part);
    co_await phase;
  }
}

// Copies in memory are as they left the GPU: cores have their turn before the first files.
sim::Task<void> Checkpointer::fill_tier(const Mover& mover, const Save& save, std::size_t tier,
                                        Course& course) {
  if (p_.ends_in_cache()) co_return co_await through_cache(mover, save, course);
  std::array<WaitSplit, 3> took;
  std::vector<sim::Task<void>> parts;
  if (tier == 0 && style_.blocking) parts.push_back(snapshot(mover, took[0]));
  if (tier == leaves_) parts.push_back(passes(mover, save.part, took[1]));
  parts.push_back(write(mover, save, tier, took[2]));
  co_await phases(std::move(parts));
  if (p_.streams())
    course.took = WaitSplit::longest(took);
  else
    for (const WaitSplit& phase : took) course.took += phase;
  course.ended = mover_.context().now();
}

// A save of many files is complete when its coordinator says so.    [checkpoint.md, eq. 8]
sim::Task<void> Checkpointer::complete(const std::string& tier, WaitSplit& took) {
  sim::Context& context = mover_.context();
  co_await context.sleep(p_.coordinate);
  took.add(Phase::metadata, p_.coordinate, mover_.own_resource("coordinate"));
  if (!p_.coordinated(mover_.layout().files())) co_return;
  const Seconds marking = context.now();
  const Served served = co_await mover_.mark(tier);
  took.add(Phase::metadata, marking, context.now(), served.limited_by, mover_.plant().resources());
}

// Its snapshot is there: where a save ends in host memory, or counts there, that is all.
//    [docs/models/checkpoint.md, eq. 14]
void Checkpointer::held(const Save& save) {
  if (lost(save)) return;
  if (style_.blocking && in_memory_) copies_.arrived(0, *save.point);
  if (durable_ != kInMemory) return;
  counts(save, p_.ends_in_cache() ? save.part : 1.0);  // a snapshot is of the whole state
  rank0_.add((mover_.context().now() - save.written).in(unit::s));
}

void Checkpointer::counts(const Save& save, double part) {
  const Seconds took = mover_.context().now() - save.began;
  durations_.add(took.in(unit::s));
  longest_.add(took, mover_.worst_of(save.took));
  counted_ += save.took;
  parts_.add(part);
}

sim::Task<void> Checkpointer::flush(Save save, WaitSplit* all) {
  sim::Context& context = mover_.context();
  const std::vector<std::string>& tiers = mover_.tiers();
  bool left = false;
  if (tiers.empty() || !style_.blocking) held(save);
  for (std::size_t t = 0; t < tiers.size(); ++t) {
    if (!reaches(save, t)) break;
    open(save.lane, "write to ", tiers[t]);
    overwrite(place(t), save);
    std::vector<Course> courses(writers_.size());
    std::vector<sim::Task<void>> parts;
    for (std::size_t w = 0; w < writers_.size(); ++w)
      parts.push_back(fill_tier(writers_[w], save, t, courses[w]));
    co_await sim::join(context, std::move(parts));
    if (lost(save)) break;
    std::size_t last = 0;
    for (std::size_t w = 0; w < writers_.size(); ++w) {
      if (courses[w].ended > courses[last].ended) last = w;
      if (t == durable_ && writers_[w].share.rank0)
        rank0_.add((courses[w].ended - save.written).in(unit::s));
    }
    WaitSplit tier = courses[last].took;
    const ResourceIndex worst = mover_.worst_of(courses[last].took);
    if (worst != kNoResource) last_limit_ = worst;
    then(save.lane, "commit", worst);
    if (t == leaves_) {
      free_buffer(save);
      left = true;
    }
    if (t == files_ && !p_.ends_in_cache()) co_await complete(tiers[t], tier);
    if (all != nullptr) *all += tier;
    close(save.lane);
    if (lost(save)) break;
    (counts_after(t) ? save.took : beyond_[t]) += tier;
    if (t == 0 && style_.blocking) held(save);
    double files = 0.0;
    if (!in_memory(tiers[t]))
      files = retention_[t].saved(save.point->number, p_.stored(size_) * save.part,
                                  mover_.layout().files(save.part), save.whole(),
                                  goes_to(save, t) < tiers.size());
    copies_.arrived(place(t), *save.point);
    const bool each = t == durable_ || t + 1 < tiers.size();
    complete_[t].add((save.point->number - 1) / (each ? 1 : p_.drain_every),
                     (context.now() - save.began).in(unit::s));
    if (t == durable_) counts(save, save.part);
    if (files > 0.0) context.spawn(remove(tiers[t], files));
    drained(save, t);
  }
  // Fast-forward numbers points anew; those of a life that has ended are gone.
  const std::int64_t number = save.life == life_ ? save.point->number : save.number;
  for (Retention& tier : retention_) tier.abandon(number);
  close_all(save.lane);
  end(save, left);
}

// The snapshot has left host memory, or stays in it as long as it is needed.
void Checkpointer::free_buffer(const Save& save) {
  if (style_.blocking) return;
  if (!lost(save))
    staged_.add(save.point->number - 1, (mover_.context().now() - save.began).in(unit::s));
  buffers_.release();
}

// Along the class that takes longest.
sim::Task<void> Checkpointer::snapshot_all(Save& save) {
  open(save.lane, "snapshot");
  std::vector<WaitSplit> each(writers_.size());
  std::vector<sim::Task<void>> parts;
  for (std::size_t w = 0; w < writers_.size(); ++w) parts.push_back(snapshot(writers_[w], each[w]));
  co_await sim::join(mover_.context(), std::move(parts));
  save.took = WaitSplit::longest(each);
  close(save.lane, save.took.worst());
}

sim::Task<void> Checkpointer::copy_then_flush(Save save) {
  co_await snapshot_all(save);
  if (save.life != life_) co_return close_all(save.lane);
  if (in_memory_ && !lost(save)) copies_.arrived(0, *save.point);
  copied_.set();
  co_await flush(save);
}

sim::Task<void> Checkpointer::settle() {
  if (!copying_) co_return;
  sim::Context& context = mover_.context();
  const Seconds start = context.now();
  co_await copied_.wait();
  copying_ = false;
  const Seconds wait = failures_.until_failure(context.now()) - start;
  blamed_.add(Phase::data, wait, mover_.host_resource("gpu.copy"));
  stalled_ += wait;
  if (!failures_.failed()) stalls_.add((waited_ + wait).in(unit::s));
}

sim::Task<void> Checkpointer::save(const Progress& at) {
  sim::Context& context = mover_.context();
  Save save{.began = context.now(), .written = {}};
  const WaitSplit before = blamed_;
  save.lane = lane("save");
  open(save.lane, "save", begun_);
  open(save.lane, "quiesce");
  if (begun_ == 0) {
    first_start_ = save.began;
  } else if (resumed_) {
    begin_anew();
    ++anew_;
  }
  resumed_ = false;
  last_start_ = save.began;
  last_steps_ = at.steps;
  co_await context.sleep(p_.quiesce);
  save.written = context.now();
  close(save.lane);
  // New processes do not know what has changed.    [docs/models/checkpoint.md, eq. 9]
  chain_ = begun_ % p_.chain() == 0 ? 1 : chain_ + 1;
  save.part = chain_ == 1 ? 1.0 : p_.incremental.in(unit::ratio);
  save.drained = begun_ % p_.drain_every == 0;
  save.number = ++begun_;
  save.life = life_;
  save.point = &copies_.begin({.number = begun_, .at = at, .chain = chain_});
  ++flushing_;
  idle_.reset();
  if (in_memory_ && (style_.blocking || p_.snapshot_first)) overwrite(0, save);
  if (style_.blocking) {
    if (mover_.tiers().empty()) co_await snapshot_all(save);
    WaitSplit all = save.took;
    co_await flush(save, &all);
    blamed_ += all.since({}, context.now() - save.began);
  } else {
    if (p_.snapshot_first) {
      co_await snapshot_all(save);
      blamed_ += save.took;
      if (in_memory_ && !lost(save)) copies_.arrived(0, *save.point);
    }
    // max(0, end of the flush that holds the buffer - now)    [docs/models/checkpoint.md, eq. 3]
    const Seconds asked = context.now();
    open(save.lane, "wait for a buffer");
    co_await buffers_.acquire();
    close(save.lane, last_limit_);
    const Seconds start = context.now();
    backpressure_.add((start - asked).in(unit::s));
    // It starts that much later, and so does the interval: else the lag of each save adds up.
    last_start_ = save.began + (start - asked);
    blamed_.add(Phase::data, start - asked, last_limit_);
    if (in_memory_ && !p_.snapshot_first) overwrite(0, save);
    if (p_.lazy) {
      copying_ = true;
      copied_.reset();
      waited_ = failures_.until_failure(context.now()) - save.began;
      stalled_ += waited_;
      context.spawn(copy_then_flush(save));
      co_return;
    }
    if (!p_.snapshot_first) {
      co_await snapshot_all(save);
      blamed_ += save.took;
    }
    if (p_.ends_in_cache()) {
      co_await fill_cache(save);
    } else {
      if (in_memory_ && !lost(save)) copies_.arrived(0, *save.point);
      context.spawn(flush(save));
    }
  }
  // What ranks wait after a failure is the way back.
  const Seconds stall = failures_.until_failure(context.now()) - save.began;
  if (!lost(save)) stalls_.add(stall.in(unit::s));
  longest_stall_.add(stall, mover_.worst_of(blamed_.since(before, stall)));
  stalled_ += stall;
}

sim::Task<void> Checkpointer::finish() {
  if (copying_) stalls_.add(waited_.in(unit::s));  // training ended first
  copying_ = false;
  if (flushing_ > 0) co_await idle_.wait();
}

sim::Task<void> Checkpointer::restore_after() {
  if (!restore_.wanted() || stalls_.size() == 0) co_return;
  // One whole save and the increments on it.    [docs/models/checkpoint.md, eq. 9]
  Restore::Source source;
  source.tier = restore_.tier();
  const double saves = saves_in(source.tier, newest_in(source.tier));
  Lane* restoring = lane("restore");
  open(restoring, "restore");
  co_await restore_.run(1.0 + (saves - 1.0) * p_.incremental.in(unit::ratio), saves,
                        std::move(source));
  close(restoring);
}

}  // namespace stallcast::models
