#include <algorithm>
#include <cmath>
#include <utility>

#include "models/contract/operations.hpp"
#include "models/loading/sample_reader.hpp"

/// How samples come from where they lie: files are found and opened, bytes read.
/// docs/models/formats.md.
namespace stallcast::models {
// Whole files are opened, each when the first of it is read.    [docs/models/formats.md, eq. 12]
double SampleReader::opens(double files) {
  const double whole = std::max(0.0, std::ceil(files - in_file_ - kRounding));
  if (whole > 0.0) ++opened_;
  in_file_ = std::max(0.0, in_file_ + whole - files);
  return whole;
}

// How many of n files lie on the second system. A class of m ranks reads m times as many, each
// where it lies: it goes where most of these are, and what others of them lack comes with what the
// job reads next.    [docs/models/formats.md, eq. 17]
double SampleReader::drawn_there(double n) {
  OtherStore& also = *shared_.site.also;
  const double share = also.share, members = std::max(1.0, std::round(also.ranks));
  const double all = n * members;
  double there = 0.0;
  if (all > kDrawnOneByOne)
    there = std::clamp(
        std::round(all * share + std::sqrt(all * share * (1.0 - share)) * random_.normal()), 0.0,
        all);
  else
    for (double i = 0.0; i < all; ++i) there += random_.uniform() < share ? 1.0 : 0.0;
  if (members <= 1.0) return there;
  const double due = there / members + *also.owed;
  there = std::clamp(std::floor(due + random_.uniform()), 0.0, n);
  *also.owed = due - there;
  return there;
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
  if (shared_.access.files <= 0.0) {  // pieces of files that are open all the time
    const double pieces = std::max(1.0, std::round(samples * shared_.access.ranges));
    out.part[1] = drawn_there(pieces) / pieces;
    out.part[0] = 1.0 - out.part[1];
    return out;
  }
  std::array<double, kMostStores> amount{};
  amount[here_] = rest;
  if (whole > 0.0) {  // the last of them stays open
    out.opened[1] = drawn_there(whole - 1.0);
    amount[1] += out.opened[1];
    amount[0] += whole - 1.0 - out.opened[1];
    here_ = drawn_there(1.0) > 0.5 ? 1 : 0;
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
sim::Task<Served> SampleReader::receive(std::size_t which, const ReadRequest& request,
                                        PhaseClock& clock) {
  const Served read = co_await store(which).read(streaming_[which], request);
  if (read.opening > Seconds{}) clock.apart(Phase::metadata, read.opening, read.opened_by);
  clock.enter(Phase::cpu, shared_.context.now(), read.limited_by);
  co_return read;
}

void SampleReader::plan(Fetch& f, double samples, Bytes stored, Seconds parsing) {
  const SampleAccess& access = shared_.access;
  f.samples = samples;
  f.bytes = stored * access.amplification;
  f.parsing = parsing;
  f.found = shared_.site.cache ? shared_.site.cache->found(shared_.revisits) : 0.0;
  f.missed = 1.0 - f.found;
  f.files = samples * access.files * (shared_.dataset.cache_opens ? 1.0 : f.missed);
  f.where = locate(f.files, samples);
  f.limited_by = kNoResource;
}

// Files are opened, and found ones looked at again.
sim::Task<Served> SampleReader::open(const Fetch& f, PhaseClock& clock) {
  const SampleAccess& access = shared_.access;
  LoaderSite& site = shared_.site;
  clock.enter(Phase::metadata, shared_.context.now());
  if (const double files = f.where.opened[0] + f.where.opened[1];
      files > 0.0 && site.opens.valid()) {  // [docs/models/host.md, eq. 6]
    co_await shared_.context.transfer({.path = {&site.opens, 1},
                                       .bytes = Bytes::from(files, unit::B),
                                       .members = site.cores.members});
    clock.enter(Phase::metadata, shared_.context.now(), site.opens_resource);
  }
  Served opened;
  for (std::size_t s = 0; s < stores(); ++s) {
    if (f.where.opened[s] > 0.0) opened = co_await store(s).open(client_[s], f.where.opened[s]);
    if (s + 1 < stores()) clock.enter(Phase::metadata, shared_.context.now(), opened.limited_by);
  }
  for (std::size_t s = 0; f.found > 0.0 && !shared_.dataset.cache_opens && s < stores(); ++s)
    co_await store(s).reopen(client_[s], f.samples * access.files * f.found * f.where.part[s]);
  co_return opened;
}

// Cores copy and run the client while data arrive.    [docs/models/host.md, eq. 3]
ReadRequest SampleReader::request(const Fetch& f, std::size_t which) const {
  const double part = f.missed * f.where.part[which];
  return {.bytes = f.bytes * part,
          .files = f.samples * access_.ranges * part,
          .round_trips = access_.round_trips,
          .direct = dataset_.direct,
          .opened = f.where.opened[which] * (dataset_.cache_opens ? f.missed : 1.0),
          .larger_file = larger_file_,
          .revisits = shared_.revisits};
}

sim::Task<Served> SampleReader::begin_read(Fetch& f, std::size_t which, PhaseClock& clock) {
  f.request = request(f, which);
  f.operation = operation(f, which, f.request.bytes);
  sim::Task<Served> reading = f.parsing > Seconds{}
                                  ? receive(which, f.request, clock)
                                  : store(which).read(streaming_[which], f.request);
  if (cores(which).contended(f.operation))
    return cores(which).beside(std::move(reading), f.operation);
  f.operation = cores(which).begin(f.operation);
  return reading;
}

Seconds SampleReader::end_read(Fetch& f, std::size_t which, const Served& read, PhaseClock& clock) {
  if (read.opening > Seconds{} && f.parsing <= Seconds{})
    clock.apart(Phase::metadata, read.opening, read.opened_by);
  f.limited_by = read.limited_by;
  if (read.behind > behind_) {
    behind_ = read.behind;
    behind_by_ = read.behind_by;
  }
  if (cores(which).contended(f.operation)) return {};
  const Seconds left = cores(which).end(f.operation);
  if (left > Seconds{}) f.limited_by = cores(which).resource;
  return std::max(left, Seconds{});
}

void SampleReader::end_fetch(const Fetch& f, PhaseClock& clock) {
  clock.enter(Phase::cpu, shared_.context.now(), f.limited_by);
  fetched_ += f.bytes;
  missed_ += f.bytes * f.missed;
}

// [docs/models/tenants.md, eq. 12]
SampleReader::Turn SampleReader::turn_of(const Fetch& f) const {
  Turn out;
  for (std::size_t s = 0; s < stores(); ++s) {
    OperationLine* line = client_[s].operations;
    if (line == nullptr) continue;
    const double part = f.missed * f.where.part[s];
    out = {line->admit(client_[s], f.where.opened[s], f.bytes * part,
                       f.samples * shared_.access.ranges * part),
           line->resource()};
  }
  return out;
}

// Open and read what lies on storage, and parse some of it meanwhile.
//    [docs/models/dataloader.md, eq. 1]
sim::Task<void> SampleReader::fetch(Fetch& f, PhaseClock& clock) {
  LoaderSite& site = shared_.site;
  const Turn turn = turn_of(f);
  const Served opened = co_await open(f, clock);
  clock.enter(Phase::data, shared_.context.now(), opened.limited_by);
  if (f.found > 0.0) {
    const Served found = co_await site.cache->read(client_[0], f.bytes * f.found,
                                                   f.samples * shared_.access.ranges * f.found);
    f.limited_by = found.limited_by;
    clock.enter(Phase::data, shared_.context.now(), f.limited_by);
  }
  for (std::size_t s = 0; f.missed > 0.0 && s < stores(); ++s) {
    const double part = f.where.part[s];
    if (part <= 0.0) continue;
    if (part < 1.0 && s > 0) clock.enter(Phase::data, shared_.context.now(), f.limited_by);
    const Served read = co_await begin_read(f, s, clock);
    if (const Seconds left = end_read(f, s, read, clock); left > Seconds{})
      co_await shared_.context.sleep(left);
  }
  if (f.missed > 0.0 && site.cache)
    site.cache->keep(client_[0], f.bytes * f.missed, shared_.revisits);
  if (f.missed <= 0.0) co_await site.cores.compute(f.parsing);
  if (const Seconds now = shared_.context.now(); turn.over > now) {
    clock.enter(Phase::metadata, now, f.limited_by);
    co_await shared_.context.sleep(turn.over - now);
    f.limited_by = turn.of;
  }
  end_fetch(f, clock);
}

}  // namespace stallcast::models
