#include "models/loading/sample_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stallcast::models {
void SampleReader::begin_epoch(double samples) {
  ++epoch_;
  units_.clear();
  held_ = taken_ = in_file_ = 0.0;
  left_ = total_ = samples;
  given_ = pool_ = 0.0;
  pool_bytes_ = {};
}

void SampleReader::describe(sim::Ledger& ledger) {
  const SampleAccess& access = shared_.access;
  for (const double level : {held_, coming_, wanted_, pool_, unparsed_}) ledger.state(level);
  for (const Bytes bytes : {pool_bytes_, fetched_, missed_}) ledger.state(bytes);
  ledger.state(units_.size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    ledger.state(units_[i].samples);
    ledger.state(units_[i].each);
  }
  wake_.describe(ledger);
  filled_.describe(ledger);
  // Samples are drawn from blocks of units: where in one it is decides.
  const double block = access.block_units * access.unit;
  ledger.state(block > 0.0 ? std::fmod(taken_, block) : 0.0);
  // What is fetched ahead or shuffled is cut short at the end of an epoch.
  const double ahead = shared_.ahead + shared_.shuffle + block;
  if (access.unit > 0.0) ledger.bound(left_, ahead);
  if (shared_.shuffle > 1.0) ledger.bound(total_ - given_, ahead);
  ledger.countdown(in_file_, opened_);
  in_file_ += ledger.growth(in_file_);
  ledger.count(opened_);
  left_ += ledger.growth(left_);
  ledger.count(given_);
  ledger.count(taken_);
}

// A buffer of B samples gives its first when b are in it, and grows by one with each it gives:
// r(k) = min(n, k - 1 + min(B, b + k - 1)) samples are read before the k-th is given.
//    [docs/models/formats.md, eq. 8]
double SampleReader::to_load(double samples) const {
  if (!shuffles_) return samples;
  const double before = given_ + samples - 1.0;
  const double read =
      std::min(total_, before + std::min(shared_.shuffle, shared_.shuffle_first + before));
  return std::max({0.0, read - given_ - pool_, samples - pool_});
}

// Stored size of `samples` given out of the buffer, after `loaded` came in.
Bytes SampleReader::give(double loaded, Bytes stored, double samples) {
  given_ += samples;
  if (!shuffles_) return stored;
  pool_ += loaded;
  pool_bytes_ += stored;
  const Bytes out = pool_bytes_ * (samples / pool_);
  pool_ -= samples;
  pool_bytes_ -= out;
  return out;
}

Bytes SampleReader::draw(double samples) {
  const DatasetParams& dataset = shared_.dataset;
  if (samples > kDrawnOneByOne) {
    const double spread =
        dataset.sample_stdev == Bytes{} ? 0.0 : std::sqrt(samples) * random_.normal();
    return std::max(dataset.sample * samples + dataset.drawn_stdev() * spread, dataset.sample);
  }
  return dataset.draw(random_, samples);
}

sim::Task<void> SampleReader::fetch_unit(double wanted, PhaseClock& clock) {
  const double samples = left_ > 0.0 ? std::min(shared_.access.unit, left_) : wanted;
  left_ -= samples;
  coming_ += samples;
  const Bytes stored = draw(samples);
  const std::int64_t epoch = epoch_;
  Fetch f;
  plan(f, samples, stored);
  co_await fetch(f, clock);
  Seconds fetching = shared_.access.fetching(stored, samples);
  if (shared_.access.decoded_ahead) fetching += shared_.decoding(samples);
  co_await shared_.site.cores.compute(fetching);
  clock.enter(Phase::cpu, shared_.context.now(), shared_.site.cores.resource);
  coming_ -= samples;
  if (epoch != epoch_) co_return;  // nobody takes what a past epoch asked for
  units_.push_back({samples, stored / samples});
  held_ += samples;
}

// Samples are drawn from the K units of a block at random: after k of them,
// K (1 - (1 - 1/K)^k) units have been touched, and must be there.    [formats.md, eq. 11]
double SampleReader::to_hold(double samples) const {
  const double units = shared_.access.block_units, unit = shared_.access.unit;
  if (units <= 1.0) return samples;
  const double in_block = std::fmod(taken_, units * unit);
  const double touched = units * (1.0 - std::pow(1.0 - 1.0 / units, in_block + samples));
  return std::clamp(std::ceil(touched - 1e-9) * unit - in_block, samples,
                    std::max(samples, held_ + coming_ + left_));
}

// The kernel reads ahead in a file; the next is opened when a sample of it is wanted.
bool SampleReader::may_fetch_ahead() const {
  if (left_ <= 0.0 || held_ + coming_ >= shared_.ahead) return false;
  return !shared_.access.ahead_in_file || in_file_ > kRounding;
}

sim::Task<void> SampleReader::fetch_ahead() {
  PhaseClock clock(resources());
  WaitSplit took;
  for (;;) {
    while (held_ + coming_ < wanted_ || may_fetch_ahead()) {
      co_await fetch_unit(wanted_ - held_ - coming_, clock);
      clock.lap(shared_.context.now(), took);
      if (wanted_ > 0.0) brought_ += took;
      filled_.set();
    }
    wake_.reset();
    co_await wake_.wait();
  }
}

// What is waited for is what bringing the units took that come meanwhile.
//    [docs/models/dataloader.md, eq. 11]
sim::Task<void> SampleReader::buffered(double samples, PhaseClock& clock) {
  const double needed = to_hold(samples);
  const std::int64_t epoch = epoch_;
  if (shared_.ahead <= 0.0) {
    while (epoch == epoch_ && held_ < needed) co_await fetch_unit(needed - held_, clock);
    co_return;
  }
  for (double f = 0.0; !ahead_started_ && f < shared_.access.fetchers; ++f)
    shared_.context.spawn(fetch_ahead());
  ahead_started_ = true;
  wanted_ = needed;
  brought_.clear();
  wake_.set();
  clock.enter(Phase::data, shared_.context.now());
  while (epoch == epoch_ && held_ < needed) {
    filled_.reset();
    co_await filled_.wait();
  }
  clock.enter(Phase::cpu, shared_.context.now(), brought_);
  wanted_ = 0.0;
}

Bytes SampleReader::take(double samples) {
  Bytes stored;
  held_ -= samples;
  taken_ += samples;
  // Of units with a fraction of a sample, what is held and their sum differ by rounding.
  while (samples > 0.0 && !units_.empty()) {
    Unit& unit = units_.front();
    const double taken = std::min(samples, unit.samples);
    stored += unit.each * taken;
    samples -= taken;
    unit.samples -= taken;
    if (unit.samples <= 0.0) units_.pop_front();
  }
  wake_.set();
  return stored;
}

// Groups of samples of one size may end within one.
Bytes SampleReader::stored(double loaded) {
  return dataset_.sample_stdev == Bytes{} ? dataset_.sample * loaded : draw(loaded);
}

sim::Task<Loaded> SampleReader::read(double count, double part, PhaseClock& clock) {
  if (begin(count, part)) {
    ResourceIndex opened_by = kNoResource;
    if (opens()) opened_by = (co_await opening(clock)).limited_by;
    Seconds left;
    if (reads_once(opened_by, clock))
      left = arrived(co_await once(), clock);
    else
      left = arrived(co_await reading(clock), clock);
    if (left > Seconds{}) co_await shared_.context.sleep(left);
    co_await shared_.site.cores.compute(processing(clock));
    Loaded out;
    end(clock, shared_.context.now(), out);
    co_return out;
  }
  const SampleAccess& access = shared_.access;
  Asked asked{.epoch = epoch_, .count = count, .part = part, .loaded = to_load(count)};
  if (shared_.locked) co_await shared_.lock.acquire();
  Seconds decode = decoding(asked);
  Seconds processing;
  Bytes before;  // of samples that are parsed already
  unparsed_ = asked.loaded;
  if (access.unit > 0.0) {
    // No more are taken at a time than are fetched ahead: while they are parsed others are
    // fetched, however many a batch has.    [docs/models/formats.md, eq. 13]
    const double most =
        shared_.ahead > 0.0 && !shared_.locked ? std::max(1.0, shared_.ahead) : asked.loaded;
    while (unparsed_ > most && asked.epoch == epoch_) {
      co_await buffered(most, clock);
      if (asked.epoch != epoch_) break;
      const Bytes some = take(most);
      before += some;
      unparsed_ -= most;
      co_await shared_.site.cores.compute(
          (access.parsing(some, most) + decode * (most / asked.loaded)) * part);
      clock.enter(Phase::cpu, shared_.context.now(), shared_.site.cores.resource);
    }
    co_await buffered(unparsed_, clock);
    if (asked.epoch == epoch_) asked.stored = take(unparsed_);
  } else if (asked.loaded > 0.0) {
    asked.stored = stored(asked.loaded);
    Fetch f;
    plan(f, asked.loaded, asked.stored, parsing(asked) * parsed_beside_);
    co_await fetch(f, clock);
    processing = unpacking(asked) - f.parsing;
  }
  processing += access.parsing(asked.stored, unparsed_);
  if (asked.loaded > 0.0) decode = decode * (std::exchange(unparsed_, 0.0) / asked.loaded);
  if (shared_.locked) {
    co_await shared_.site.cores.compute(processing);
    shared_.lock.release();
    co_await shared_.site.cores.compute(decode * part);
  } else {
    co_await shared_.site.cores.compute((processing + decode) * part);
  }
  asked.stored = before + asked.stored;
  Loaded out;
  end(asked, clock, shared_.context.now(), out);
  co_return out;
}

bool SampleReader::begin(double count, double part) {
  const double loaded = to_load(count);
  if (!plain_ || loaded <= 0.0 || (cached_ && shared_.site.cache->found(shared_.revisits) > 0.0))
    return false;
  if (alike_ && loaded == asked_.loaded && count == asked_.count && part == asked_.part) {
    asked_.epoch = epoch_;
    if (fetch_.files > 0.0) fetch_.where.opened[0] = opens(fetch_.files);
    fetch_.limited_by = kNoResource;
    again_ = once_.lasts;
    return true;
  }
  asked_ = {
      .epoch = epoch_, .count = count, .part = part, .loaded = loaded, .stored = stored(loaded)};
  plan(fetch_, loaded, asked_.stored, parsing(asked_) * parsed_beside_);
  asked_.processing =
      (unpacking(asked_) - fetch_.parsing + parsing(asked_) + decoding(asked_)) * asked_.part;
  again_ = once_.lasts = false;
  return true;
}

sim::Task<Served> SampleReader::opening(PhaseClock& clock) {
  sim::Task<Served> opening = store(0).open(client_[0], fetch_.where.opened[0]);
  if (!opening.await_ready()) clock.enter(Phase::metadata, shared_.context.now());
  return opening;
}

bool SampleReader::reads_once(ResourceIndex opened_by, PhaseClock& clock) {
  clock.enter(Phase::data, shared_.context.now(), opened_by);
  if (!again_ && !ask_once()) return false;
  transfer_.start(shared_.context, once_.later.after, once_.later.flow);
  fetch_.operation = cores(0).begin(fetch_.operation);
  return true;
}

bool SampleReader::ask_once() {
  if (!reads_once_ || fetch_.parsing > Seconds{}) return false;
  const ReadRequest asked = request(fetch_, 0);
  fetch_.operation = operation(fetch_, 0, asked.bytes);
  return !cores(0).contended(fetch_.operation) && store(0).read_once(streaming_[0], asked, once_);
}

Seconds SampleReader::processing(PhaseClock& clock) {
  if (cached_) shared_.site.cache->keep(client_[0], fetch_.bytes, shared_.revisits);
  end_fetch(fetch_, clock);
  return asked_.processing;
}

void SampleReader::end(const Asked& asked, PhaseClock& clock, Seconds date, Loaded& into) {
  clock.enter(Phase::cpu, date, shared_.site.cores.resource);
  into.fetched = std::exchange(fetched_, {});
  into.missed = std::exchange(missed_, {});
  into.behind = std::exchange(behind_, {});
  into.behind_by = std::exchange(behind_by_, kNoResource);
  if (asked.epoch != epoch_) {
    into = {};
    return;
  }
  const Bytes given = give(asked.loaded, asked.stored, asked.count);
  into.memory = dataset_.tensor ? *dataset_.tensor * asked.count : given * access_.expansion;
  // Of what is fetched ahead nobody knows yet who will wait for it.
  if (access_.unit > 0.0) into.behind = {};
}

}  // namespace stallcast::models
