#include "models/loading/loader_runtime.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "models/loading/grain.hpp"

namespace stallcast::models {
namespace {

/// Of the core time of a group, what a worker leaves to the last group of its batch: workers do not
/// read all at one moment and decode all at another.    [docs/models/dataloader.md, "grain"]
double left_to_last(std::int64_t worker, std::int64_t workers) {
  const auto all = static_cast<double>(std::max<std::int64_t>(1, workers));
  return (static_cast<double>(worker) + 0.5) / all - 0.5;
}

}  // namespace

LoaderRuntime::LoaderRuntime(sim::Context& context, std::shared_ptr<const LoaderDesign> design,
                             LoaderSite site, double ranks, base::RandomStream random)
    : context_(context),
      p_(design->params),
      policy_(design->policy),
      finer_(site.finer),
      arrival_(context),
      shared_{
          .context = context,
          .dataset = design->dataset,
          .access = design->access,
          .site = std::move(site),
          .ahead =
              design->access.ahead + design->access.ahead_batches * static_cast<double>(p_.batch),
          .locked = design->access.one_lock && policy_.split_batch,
          .decoded_apart = policy_.decoders > 0 && p_.workers > 0,
          .shuffle = policy_.shuffle,
          .shuffle_first = policy_.shuffle_first,
          .random = random,
          .lock = sim::Slots(context, 1),
          .revisits = {.pattern = {.in_order = design->dataset.shuffle == "none"}, .passes = -1.0}},
      design_(std::move(design)),
      ranks_(ranks),
      handover_spread_(policy_.handover_spread),
      shared_indices_(context),
      to_stage_(context) {
  undisturbed_ = p_.workers > 0 && !policy_.iterable && shared_.site.cores.free() &&
                 !(copies() && shared_.site.gpu_link.valid()) && shared_.site.peers <= 0.0;
  if (shared_.site.apart && shared_.dataset.sample_stdev == Bytes{}) {
    // What is read and parsed at one time, sample by sample, is in step with nobody.
    const bool cuts = cuts_samples(shared_.access, policy_);
    decodes_apart_ = !cuts && !shared_.access.ahead_in_file;
    ends_apart_ = p_.batch == 1 && p_.workers > 0 && most() >= 2 * p_.workers &&
                  !shared_.site.drawn;  // which keeps nobody in step
    if (cuts || ends_apart_)
      cuts_.emplace(shared_.random.below(std::uint64_t{1} << 62), "loader", "groups");
  }
  if (policy_.handover_spread > 0.0)
    handovers_.emplace(shared_.random.below(std::uint64_t{1} << 62), "loader", "handover");
  if (staged() && p_.workers > 0) context_.spawn(stage());
  if (policy_.split_batch && p_.workers > 0) {
    pipeline_ = std::make_unique<Pipeline>(shared_, p_, policy_,
                                           [this](std::int64_t index, Loaded bytes, bool rested) {
                                             hand_over(index, bytes, {.rested = rested});
                                           });
    return;
  }
  for (std::int64_t r = 0; r < std::max<std::int64_t>(p_.workers, 1); ++r)
    readers_.push_back(std::make_unique<SampleReader>(shared_, shared_.random));
  parts_.resize(readers_.size());
  workers_.reserve(static_cast<std::size_t>(p_.workers));
  for (std::int64_t w = 0; w < p_.workers; ++w) {
    const auto number = static_cast<std::uint32_t>(w);
    Worker& self = workers_.emplace_back(context, shared_.site.resources, number);
    context_.spawn(
        work(self, *readers_[number], policy_.fixed_assignment ? self.indices : shared_indices_));
  }
  tells_ = undisturbed_ && told_ahead() && !staged() && !ends_apart_ && readers_.front()->alike();
}

double LoaderRuntime::steps_per_epoch() const {
  const double samples = shared_.access.epoch(shared_.dataset.sample_count()),
               batch = static_cast<double>(p_.batch);
  // S = floor(samples / (batch N)): the rest of an epoch is dropped (drop_last); of an iterable
  // data set each worker drops its own.    [docs/models/dataloader.md, eq. 3]
  if (!policy_.iterable) return std::floor(samples / (batch * ranks_));
  double steps = 0.0;
  for (const double mine :
       deal(samples, shared_.access.per_file(), ranks_, p_.workers, shared_.site.more_files))
    steps += std::floor(mine / batch + 1e-9);
  return steps;
}

void LoaderRuntime::begin_epoch(std::int64_t steps, Bytes written, std::int64_t before) {
  if (shared_.site.cache) shared_.site.cache->beside_writes(written);
  base_ += sent_;
  sent_ = received_ = rested_ = 0;
  steps_ = steps;
  primed_ = listed_ = false;
  next_worker_ = 0;
  // Passes over the data set, in whole or as far as the job's steps go.
  shared_.revisits.passes += 1.0;
  shared_.revisits.pattern.share =
      std::min(1.0, static_cast<double>(before + steps) * static_cast<double>(p_.batch) * ranks_ /
                        shared_.access.epoch(shared_.dataset.sample_count()));
  incoming_.clear();
  done_.clear();
  owner_.clear();
  ended_.clear();
  if (pipeline_) {
    pipeline_->begin_epoch(steps);
    return;
  }
  unused_.clear();
  for (std::uint32_t place = 0; place < made_.size(); ++place) unused_.push_back(place);
  const auto readers = static_cast<std::int64_t>(readers_.size());
  const std::vector<double> mine =
      deal(shared_.access.epoch(shared_.dataset.sample_count()), shared_.access.per_file(), ranks_,
           readers, shared_.site.more_files);
  for (std::int64_t r = 0; r < readers; ++r) {
    const auto at = static_cast<std::size_t>(r);
    const std::int64_t batches = (steps - r + readers - 1) / readers;  // i = r mod W
    readers_[at]->begin_epoch(
        policy_.iterable ? mine[at] : static_cast<double>(batches) * static_cast<double>(p_.batch));
    parts_[at] = {};
    if (at >= workers_.size()) continue;
    workers_[at].tasks = 0;
    workers_[at].dry = false;
    workers_[at].left = policy_.iterable ? mine[at] : std::numeric_limits<double>::infinity();
  }
}

void LoaderRuntime::give(std::int64_t worker, Seconds date) {
  const std::int64_t index = base_ + sent_++;
  const auto at = static_cast<std::size_t>(worker);
  if (policy_.iterable) owner_[index] = at;
  ++workers_[at].tasks;
  workers_[at].indices.push(index, date - context_.now());
}

// The next index goes to the next worker that is not dry; without order, to one that has fewer than
// its share of W x prefetch.    [PyTorch 2.6 dataloader.py, _try_put_index]
void LoaderRuntime::issue(Seconds date) {
  if (sent_ == steps_ && !policy_.iterable) return;
  if (pipeline_) {
    pipeline_->push(base_ + sent_++);
    return;
  }
  if (!policy_.fixed_assignment) {
    shared_indices_.push(base_ + sent_++);
    return;
  }
  const auto share = [&] {
    return most() / std::count_if(workers_.begin(), workers_.end(),
                                  [](const Worker& worker) { return !worker.dry; });
  };
  for (std::size_t tried = 0; tried < workers_.size(); ++tried) {
    const std::size_t at = next_worker_;
    next_worker_ = at + 1 < workers_.size() ? at + 1 : 0;
    const Worker& worker = workers_[at];
    if (worker.dry) continue;
    if (!policy_.in_order && worker.tasks >= share()) continue;
    give(static_cast<std::int64_t>(at), date);
    return;
  }
}

sim::Task<void> LoaderRuntime::work(Worker& self, SampleReader& reader,
                                    sim::Mailbox<std::int64_t>& indices) {
  for (;;) {
    // One that is there is taken when it comes.
    if (indices.size() > 0 && self.done > context_.now()) co_await context_.sleep_until(self.done);
    const std::optional<std::int64_t> index = co_await indices.pop_from(self.done);
    if (!index) continue;  // it has come, and takes one that came before
    if (*index == kImportFirst) {
      open(self.lane, "import");
      co_await import(self.clock);
      close(self.lane);
      rest(self);
    } else if (!begin_batch(self, *index)) {
      rest(self);
    } else if (in_one(self.samples, self.groups) &&
               reader.begin(part(self.number).of(self.samples), 1.0)) {
      // As `load` does it, without a program around it.
      ResourceIndex opened_by = kNoResource;
      if (reader.opens()) opened_by = (co_await reader.opening(self.clock)).limited_by;
      Seconds left;
      if (reader.reads_once(opened_by, self.clock))
        left = reader.arrived(co_await reader.once(), self.clock);
      else
        left = reader.arrived(co_await reader.reading(self.clock), self.clock);
      if (left > Seconds{}) co_await context_.sleep(left);
      if (ends_unseen(self, reader)) continue;
      co_await shared_.site.cores.compute(self.processing);
      Loaded bytes;
      reader.end(self.clock, context_.now(), bytes);
      end_batch(self, bytes);
    } else {
      Loaded bytes;
      if (self.samples > 0) bytes = co_await load(self);
      end_batch(self, bytes);
    }
  }
}

// A worker may make others before this one is asked for: what it took stays with the batch.
//    [docs/models/dataloader.md, eq. 11]
void LoaderRuntime::made(Worker& self, Seconds date, Loader& by) {
  auto place = static_cast<std::uint32_t>(made_.size());
  if (unused_.empty()) {
    made_.emplace_back();
  } else {
    place = unused_.back();
    unused_.pop_back();
  }
  self.clock.lap(date, made_[place]);
  by = {self.number, self.rested, place};
}

void LoaderRuntime::rest(Worker& self) {
  self.done = context_.now();
  self.clock.rest(self.done);
}

// Whether there is one to load: not where it is of an epoch that is over, or its files are read.
bool LoaderRuntime::begin_batch(Worker& self, std::int64_t index) {
  self.index = index;
  self.rested = self.epoch != base_ || context_.now() > self.done;
  if (self.epoch != base_) self.ended = false;
  self.epoch = base_;
  if (self.ended || index < base_) return false;
  if (self.rested && staged()) ++rested_;
  self.samples =
      static_cast<std::int64_t>(std::min(static_cast<double>(p_.batch), self.left + 1e-6));
  self.left -= static_cast<double>(self.samples);
  open(self.lane, "batch", index);
  const bool opens = shared_.access.files * static_cast<double>(p_.batch) >= 1.0;
  self.groups = (opens || index < base_ + most() ? kGroups : kGroupsLater) * finer_;
  if (!ends_apart_) return true;
  Part& part = parts_[self.number];
  part.begin = part.end;
  part.end = ends_apart(self, index)
                 ? draw_cut(*cuts_, static_cast<std::int64_t>(self.number), p_.workers)
                 : 0.0;
  return true;
}

void LoaderRuntime::end_batch(Worker& self, Loaded bytes) {
  close(self.lane);
  if (self.index >= base_ && self.samples == p_.batch) {
    bytes.memory = part(self.number).whole(self.samples, bytes.memory);
    Loader by;
    made(self, context_.now(), by);
    hand_over(self.index, bytes, by);
  } else if (self.index >= base_) {
    // A batch that is not full is dropped with the samples that were read for it.
    self.ended = true;
    self.end = self.index;
    ended_.push_back(self.number);
    arrival_.set();
  }  // else the epoch ended without it
  rest(self);
}

Seconds LoaderRuntime::last_of(const Loaded& bytes, Seconds date) {
  return bytes.behind > Seconds{} ? date + bytes.behind : Seconds{};
}

//    [docs/models/dataloader.md, eq. 8]
Seconds LoaderRuntime::mean_handover(const Loaded& bytes) const {
  return p_.handover + bytes.memory / policy_.receive;
}

Seconds LoaderRuntime::draw_handover(const Loaded& bytes) {
  const Seconds mean = mean_handover(bytes);
  return handovers_ ? mean * handovers_->lognormal_max(1.0, handover_spread_, 1.0) : mean;
}

// A batch is pinned, or copied to the GPU and decoded there.    [dataloader.md, eq. 2 and 6]
Seconds LoaderRuntime::staging(const Loaded& bytes) const {
  if (policy_.pin)
    return (p_.workers > 0 ? mean_handover(bytes) * policy_.pin_takes.in(unit::ratio) : Seconds{}) +
           bytes.memory / policy_.pin_rate;
  const bool decodes = policy_.gpu_decode > Seconds{};
  return policy_.gpu_decode * static_cast<double>(p_.batch) +
         (decodes ? bytes.fetched : bytes.memory) / shared_.site.gpu_copy;
}

// The last stage takes batches as they come, one after the other, and hands them on.
sim::Task<void> LoaderRuntime::stage() {
  for (;;) {
    const auto [index, bytes, came, by] = co_await to_stage_.pop();
    co_await context_.sleep(staging(bytes));
    if (index < base_) continue;
    done_[index] = {
        bytes, context_.now() - came,
        draw_handover(bytes) * (policy_.pin ? 1.0 - policy_.pin_takes.in(unit::ratio) : 1.0),
        last_of(bytes, context_.now()), by};
    arrival_.set();
  }
}

// But of the first, which is waited for, and of the last of each worker.
//    [docs/models/dataloader.md, "grain"]
bool LoaderRuntime::ends_apart(const Worker& self, std::int64_t index) const {
  return index > base_ && index + p_.workers < base_ + steps_ && self.left >= 1.0;
}

// Nothing is done between the groups of such a batch, or after them.
bool LoaderRuntime::in_one(std::int64_t samples, std::int64_t most) const {
  const bool sends = p_.workers > 0 && policy_.sending > Seconds{};
  return std::min(samples, most) == 1 && !policy_.collate.finite() && !sends;
}

// One after the other, in groups.    [docs/models/dataloader.md, "grain"]
sim::Task<Loaded> LoaderRuntime::load(Worker& self) {
  return load(static_cast<std::int64_t>(self.number), self.samples, self.groups, self.clock);
}

sim::Task<Loaded> LoaderRuntime::load(std::int64_t worker, std::int64_t samples, std::int64_t most,
                                      PhaseClock& clock) {
  const Seconds sending = p_.workers > 0 ? policy_.sending : Seconds{};
  SampleReader& reader = *readers_[static_cast<std::size_t>(worker)];
  const Part& part = parts_[static_cast<std::size_t>(worker)];
  if (in_one(samples, most)) return reader.read(part.of(samples), 1.0, clock);
  return load_groups(worker, samples, std::min(samples, most), sending, clock);
}

sim::Task<Loaded> LoaderRuntime::load_groups(std::int64_t worker, std::int64_t samples,
                                             std::int64_t groups, Seconds sending,
                                             PhaseClock& clock) {
  Loaded total;
  const std::int64_t epoch = base_;
  SampleReader& reader = *readers_[static_cast<std::size_t>(worker)];
  Part& part = parts_[static_cast<std::size_t>(worker)];
  const double each = static_cast<double>(samples) / static_cast<double>(groups);
  const double apart = decodes_apart_ ? left_to_last(worker, p_.workers) : 0.0;
  double from = part.begin;
  for (std::int64_t g = part.group = 0; g < groups && epoch == base_; part.group = ++g) {
    const bool last = g + 1 == groups;
    const double to =
        cuts_ ? each * (static_cast<double>(g + 1) + (last ? part.end : draw_cut(*cuts_)))
              : static_cast<double>(samples * (g + 1) / groups);
    const double later = (last ? apart : 0.0) - (g == 0 ? apart : 0.0);
    total += co_await reader.read(to - from, 1.0 + later * each / (to - from), clock);
    from = to;
  }
  //    [docs/models/dataloader.md, eq. 1]
  if (policy_.collate.finite() || sending > Seconds{}) {
    co_await shared_.site.cores.compute(sending +
                                        part.whole(samples, total.memory) / policy_.collate);
    clock.enter(Phase::cpu, context_.now(), shared_.site.cores.resource);
  }
  co_return total;
}

// t_step = t_load + t_compute: nothing overlaps.
sim::Task<void> LoaderRuntime::load_here(Batch& batch) {
  PhaseClock clock(shared_.site.resources);
  clock.enter(Phase::cpu, context_.now());
  const WaitSplit before = clock.read(context_.now());
  const Seconds began = context_.now();
  batch.bytes = co_await load(0, p_.batch, kGroups * shared_.site.finer, clock);
  if (staged()) co_await context_.sleep(staging(batch.bytes));
  batch.behind = batch.bytes.behind;
  batch.wait += clock.read(context_.now()).since(before, context_.now() - began);
}

}  // namespace stallcast::models
