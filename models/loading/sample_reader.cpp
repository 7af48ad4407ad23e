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
  if (shared_.shuffle <= 1.0) return samples;
  const double before = given_ + samples - 1.0;
  const double read =
      std::min(total_, before + std::min(shared_.shuffle, shared_.shuffle_first + before));
  return std::max({0.0, read - given_ - pool_, samples - pool_});
}

// Stored size of `samples` given out of the buffer, after `loaded` came in.
Bytes SampleReader::give(double loaded, Bytes stored, double samples) {
  pool_ += loaded;
  pool_bytes_ += stored;
  const Bytes out = pool_bytes_ * (samples / pool_);
  pool_ -= samples;
  pool_bytes_ -= out;
  given_ += samples;
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
  Fetch f = plan_fetch(samples, stored);
  co_await fetch(f, clock);
  Seconds unpacking = stored * shared_.access.amplification / shared_.access.unpack;
  if (shared_.access.decoded_ahead) unpacking += shared_.decoding(samples);
  co_await shared_.site.cores.compute(unpacking);
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
  for (;;) {
    while (held_ + coming_ < wanted_ || may_fetch_ahead()) {
      co_await fetch_unit(wanted_ - held_ - coming_, beside_);
      filled_.set();
    }
    wake_.reset();
    co_await wake_.wait();
  }
}

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
  wake_.set();
  clock.enter(Phase::data, shared_.context.now());
  while (epoch == epoch_ && held_ < needed) {
    filled_.reset();
    co_await filled_.wait();
  }
  clock.enter(Phase::cpu, shared_.context.now(), limited_by_);
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

sim::Task<Loaded> SampleReader::read(double count, double part, PhaseClock& clock) {
  const SampleAccess& access = shared_.access;
  const double loaded = to_load(count);
  const std::int64_t epoch = epoch_;
  Seconds decode =
      shared_.decoded_apart || access.decoded_ahead ? Seconds{} : shared_.decoding(count);
  if (shared_.locked) co_await shared_.lock.acquire();
  Bytes stored, before;
  Seconds parsing;
  unparsed_ = loaded;
  if (access.unit > 0.0) {
    // No more are taken at a time than are fetched ahead: while they are parsed others are
    // fetched, however many a batch has.    [docs/models/formats.md, eq. 13]
    const double most =
        shared_.ahead > 0.0 && !shared_.locked ? std::max(1.0, shared_.ahead) : loaded;
    while (unparsed_ > most && epoch == epoch_) {
      co_await buffered(most, clock);
      if (epoch != epoch_) break;
      const Bytes some = take(most);
      before += some;
      unparsed_ -= most;
      co_await shared_.site.cores.compute((access.parsing(some, most) + decode * (most / loaded)) *
                                          part);
      clock.enter(Phase::cpu, shared_.context.now(), shared_.site.cores.resource);
    }
    co_await buffered(unparsed_, clock);
    if (epoch == epoch_) stored = take(unparsed_);
  } else if (loaded > 0.0) {
    // Groups of samples of one size may end within one.
    const DatasetParams& dataset = shared_.dataset;
    stored = dataset.sample_stdev == Bytes{} ? dataset.sample * loaded : draw(loaded);
    const Seconds all = access.parsing(stored, loaded), beside = all * parsed_beside_;
    Fetch f = plan_fetch(loaded, stored, beside);
    if (plain(f)) {  // as `fetch` does it, without a program around it
      Served opened;
      if (const double files = f.where.opened[0]; files > 0.0) {
        sim::Task<Served> opening = store(0).open(client_[0], files);
        if (!opening.await_ready()) clock.enter(Phase::metadata, shared_.context.now());
        opened = co_await opening;
      }
      clock.enter(Phase::data, shared_.context.now(), opened.limited_by);
      f.read = co_await begin_read(f, 0, clock);
      if (const Seconds left = end_read(f, 0); left > Seconds{})
        co_await shared_.context.sleep(left);
      if (shared_.site.cache) shared_.site.cache->keep(client_[0], f.bytes, shared_.revisits);
      end_fetch(f, clock);
    } else {
      co_await fetch(f, clock);
    }
    parsing = stored * access.amplification / access.unpack - beside;
  }
  parsing += access.parsing(stored, unparsed_);
  if (loaded > 0.0) decode = decode * (std::exchange(unparsed_, 0.0) / loaded);
  if (shared_.locked) {
    co_await shared_.site.cores.compute(parsing);
    shared_.lock.release();
    co_await shared_.site.cores.compute(decode * part);
  } else {
    co_await shared_.site.cores.compute((parsing + decode) * part);
  }
  clock.enter(Phase::cpu, shared_.context.now(), shared_.site.cores.resource);
  if (epoch != epoch_) {
    fetched_ = missed_ = {};
    behind_ = {};
    co_return Loaded{};
  }
  const Bytes given = give(loaded, before + stored, count);
  // Of what is fetched ahead nobody knows yet who will wait for it.
  const Served behind = std::exchange(behind_, {});
  const bool told = access.unit <= 0.0;
  const Loaded out{
      .fetched = fetched_,
      .memory = shared_.dataset.tensor ? *shared_.dataset.tensor * count : given * access.expansion,
      .missed = missed_,
      .behind = told ? behind.behind : Seconds{},
      .behind_by = behind.behind_by};
  fetched_ = missed_ = {};
  co_return out;
}

}  // namespace stallcast::models
