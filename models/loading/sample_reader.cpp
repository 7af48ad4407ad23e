#include "models/loading/sample_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/contract/operations.hpp"

namespace stallcast::models {
namespace {

// Units of more samples get their size as a sum of that many normal sizes, drawn once.
constexpr double kDrawnOneByOne = 16.0;
// Parts of a file smaller than this are what adding up left.
constexpr double kRounding = 1e-6;

}  // namespace

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
  for (const double level : {held_, coming_, wanted_, pool_}) ledger.state(level);
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
    return std::max(dataset.sample * samples + dataset.sample_stdev * spread, dataset.sample);
  }
  return dataset.draw(random_, samples);
}

// Whole files are opened, each when the first of it is read.    [docs/models/formats.md, eq. 12]
double SampleReader::opens(double files) {
  const double whole = std::max(0.0, std::ceil(files - in_file_ - kRounding));
  if (whole > 0.0) ++opened_;
  in_file_ = std::max(0.0, in_file_ + whole - files);
  return whole;
}

// Of two storage systems each file lies on the second with the probability of its share. What is
// left of the open file is where it was.    [docs/models/formats.md, eq. 17]
SampleReader::Where SampleReader::locate(double files, double samples) {
  Where out;
  const double rest = std::min(in_file_, files);
  const double whole = opens(files);
  if (stores() == 1) {
    out.opened[0] = whole;
    return out;
  }
  const double share = shared_.site.also->share;
  const auto drawn = [&](double n) {  // how many of n lie on the second
    if (n > kDrawnOneByOne)
      return std::clamp(
          std::round(n * share + std::sqrt(n * share * (1.0 - share)) * random_.normal()), 0.0, n);
    double out_of = 0.0;
    for (double i = 0.0; i < n; ++i) out_of += random_.uniform() < share ? 1.0 : 0.0;
    return out_of;
  };
  if (shared_.access.files <= 0.0) {  // pieces of files that are open all the time
    const double pieces = std::max(1.0, std::round(samples * shared_.access.ranges));
    out.part[1] = drawn(pieces) / pieces;
    out.part[0] = 1.0 - out.part[1];
    return out;
  }
  std::array<double, kMostStores> amount{};
  amount[here_] = rest;
  if (whole > 0.0) {  // the last of them stays open
    out.opened[1] = drawn(whole - 1.0);
    amount[1] += out.opened[1];
    amount[0] += whole - 1.0 - out.opened[1];
    here_ = random_.uniform() < share ? 1 : 0;
    ++out.opened[here_];
    out.opened[0] = whole - out.opened[1];
    amount[here_] += std::max(0.0, files - rest - (whole - 1.0));
  }
  const double all = amount[0] + amount[1];
  out.part[1] = all > 0.0 ? amount[1] / all : static_cast<double>(here_);
  out.part[0] = 1.0 - out.part[1];
  return out;
}

// Share of the parsing that goes on while bytes arrive: of streams that the kernel reads ahead.
//    [docs/models/formats.md, eq. 15]
double SampleReader::parsed_beside() const {
  bool kernel = true;
  for (std::size_t s = 0; s < stores(); ++s) kernel = kernel && store(s).client_limits().page_cache;
  return kernel && !shared_.dataset.direct && !shared_.dataset.request_block
             ? shared_.access.parsed_beside
             : 0.0;
}

// Once the bytes are there it is the cores that are waited for.
sim::Task<Served> SampleReader::receive(std::size_t which, ReadRequest request, PhaseClock& clock) {
  const Served read = co_await store(which).read(streaming_[which], request);
  clock.enter(Phase::cpu, shared_.context.now(), read.limited_by);
  co_return read;
}

// Open and read what lies on storage, and parse `parsing` of it meanwhile.
//    [docs/models/dataloader.md, eq. 1]
sim::Task<void> SampleReader::fetch(double samples, Bytes stored, PhaseClock& clock,
                                    Seconds parsing) {
  const SampleAccess& access = shared_.access;
  LoaderSite& site = shared_.site;
  const Bytes bytes = stored * access.amplification;
  const double found = site.cache ? site.cache->found(shared_.revisits) : 0.0;
  const double missed = 1.0 - found;
  const Where where =
      locate(samples * access.files * (shared_.dataset.cache_opens ? 1.0 : missed), samples);
  clock.enter(Phase::metadata, shared_.context.now());
  if (const double files = where.opened[0] + where.opened[1];
      files > 0.0 && site.opens.valid()) {  // [docs/models/host.md, eq. 6]
    co_await shared_.context.transfer({.path = {&site.opens, 1},
                                       .bytes = Bytes::from(files, unit::B),
                                       .members = site.cores.members});
    clock.enter(Phase::metadata, shared_.context.now(), site.opens_resource);
  }
  Served opened;
  for (std::size_t s = 0; s < stores(); ++s) {
    const double part = missed * where.part[s];
    if (OperationLine* line = client_[s].operations) {
      co_await line->begin(client_[s], where.opened[s], bytes * part,
                           samples * access.ranges * part);
      clock.enter(Phase::metadata, shared_.context.now(), line->resource());
    }
    if (where.opened[s] > 0.0) opened = co_await store(s).open(client_[s], where.opened[s]);
    if (s + 1 < stores()) clock.enter(Phase::metadata, shared_.context.now(), opened.limited_by);
  }
  for (std::size_t s = 0; found > 0.0 && !shared_.dataset.cache_opens && s < stores(); ++s)
    co_await store(s).reopen(client_[s], samples * access.files * found * where.part[s]);
  clock.enter(Phase::data, shared_.context.now(), opened.limited_by);
  Served read;
  if (found > 0.0) {
    read = co_await site.cache->read(client_[0], bytes * found, samples * access.ranges * found);
    clock.enter(Phase::data, shared_.context.now(), read.limited_by);
  }
  for (std::size_t s = 0; missed > 0.0 && s < stores(); ++s) {
    const double part = where.part[s];
    if (part <= 0.0) continue;
    if (part < 1.0 && s > 0) clock.enter(Phase::data, shared_.context.now(), read.limited_by);
    // Cores copy and run the client while data arrive.    [docs/models/host.md, eq. 3]
    const ReadRequest request{.bytes = bytes * (missed * part),
                              .files = samples * access.ranges * (missed * part),
                              .round_trips = access.round_trips,
                              .direct = shared_.dataset.direct,
                              .revisits = shared_.revisits};
    sim::Task<Served> reading =
        parsing > Seconds{} ? receive(s, request, clock) : store(s).read(streaming_[s], request);
    HostCores& cores = s == 0 ? site.cores : site.also->cores;
    HostCores::Operation operation{
        .bytes = request.bytes, .most = streaming_[s].reads_at_most(), .more = parsing * part};
    const bool contended = cores.contended(operation);
    if (contended) {
      read = co_await cores.beside(std::move(reading), operation);
    } else {
      operation = cores.begin(operation);
      read = co_await reading;
    }
    if (read.behind > behind_.behind) behind_ = read;
    if (contended) continue;
    if (const Seconds left = cores.end(operation); left > Seconds{}) {
      co_await shared_.context.sleep(left);
      read.limited_by = cores.resource;
    }
  }
  if (missed > 0.0 && site.cache) site.cache->keep(client_[0], bytes * missed, shared_.revisits);
  if (missed <= 0.0) co_await site.cores.compute(parsing);
  limited_by_ = read.limited_by;
  clock.enter(Phase::cpu, shared_.context.now(), read.limited_by);
  fetched_ += bytes;
  missed_ += bytes * missed;
}

sim::Task<void> SampleReader::fetch_unit(double wanted, PhaseClock& clock) {
  const double samples = left_ > 0.0 ? std::min(shared_.access.unit, left_) : wanted;
  left_ -= samples;
  coming_ += samples;
  const Bytes stored = draw(samples);
  const std::int64_t epoch = epoch_;
  co_await fetch(samples, stored, clock);
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

sim::Task<Loaded> SampleReader::read(std::int64_t samples, double part, PhaseClock& clock) {
  const SampleAccess& access = shared_.access;
  const double count = static_cast<double>(samples), loaded = to_load(count);
  const std::int64_t epoch = epoch_;
  const Seconds decode =
      shared_.decoded_apart || access.decoded_ahead ? Seconds{} : shared_.decoding(count);
  if (shared_.locked) co_await shared_.lock.acquire();
  Bytes stored;
  Seconds parsing;
  if (access.unit > 0.0) {
    co_await buffered(loaded, clock);
    if (epoch == epoch_) stored = take(loaded);
  } else if (loaded > 0.0) {
    stored = draw(loaded);
    const Seconds all = access.parsing(stored, loaded), beside = all * parsed_beside_;
    co_await fetch(loaded, stored, clock, beside);
    parsing = stored * access.amplification / access.unpack - beside;
  }
  parsing += access.parsing(stored, loaded);
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
  const Bytes given = give(loaded, stored, count);
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
