#include "models/run/stage_mover.hpp"

#include <algorithm>
#include <utility>

#include "engine/sim/join.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

// Pieces of a stage in the middle; they grow and shrink by this share of what is done or left.
constexpr double kPieces = 64.0;
// ... and of so many where storage may fail meanwhile: what is under way then is read ahead.
constexpr double kFinePieces = 512.0;
constexpr double kGrowth = 0.25;
// Workers act in so many gangs, whose pieces differ by up to this share: so they are not in step,
// and what they ask of a system at a time is what they ask on average.
constexpr double kGangs = 8.0;
constexpr double kApart = 0.4;
// What does not limit a piece is spread over this share of its time.
constexpr double kSpread = 0.8;
// ... and no longer than so many times what it takes alone: what waited for a day is not spread
// over one.
constexpr double kMostSpread = 8.0;
// What requests cost is made up for: a piece is read so much faster than its rate.
constexpr double kMadeUp = 1.05;

}  // namespace

StageMover::StageMover(const StageNode& node, Plant& plant, sim::Context& context)
    : node_(node), plant_(plant), context_(context), name_(metric::of_stage(node.id)) {
  const MoveParams& p = node.move;
  const std::vector<HostGroup>& groups = plant.groups(p.hosts);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double members = groups[g].hosts * static_cast<double>(p.workers);
    const bool own = node.copies > 1.0;
    if (own || g == 0)
      pools_.push_back({.read = own ? node.read * (groups[g].hosts / node.copies) : node.read});
    pools_.back().members += members;
    const double gangs = std::clamp(std::floor(members), 1.0, kGangs);
    for (double i = 0.0; i < gangs; i += 1.0) {
      Gang gang{.pool = pools_.size() - 1,
                .members = members / gangs,
                .size = 1.0 + kApart * (2.0 * (i + 0.5) / gangs - 1.0),
                .others = gangs - 1.0,
                .reader = plant.client(p.hosts, g, p.from, members / gangs),
                .writer = {},
                .cores = plant.cores(p.hosts, g, p.from, members / gangs)};
      if (!node.work.to.empty())
        gang.writer = plant.client(p.hosts, g, node.work.to, members / gangs);
      plant.hold_to_files(gang.reader, metric::of_stage(node.id), p.from);
      if (!node.work.to.empty())
        plant.hold_to_files(gang.writer, metric::of_stage(node.id), node.work.to);
      plant.many_to_one(gang.reader, static_cast<double>(p.workers));
      gang.reader.share = gang.writer.share = p.share;
      gang.reader.staggered = gang.writer.staggered = true;
      gang.reader.asker = gang.writer.asker = Asker::stages;
      gang.writer.directories = Directories::own;
      gangs_.push_back(std::move(gang));
    }
    members_ += members;
  }
  if (!node.work.to.empty()) plant.storage(node.work.to).expect(node.written);
}

// Failures of storage are among what can be waited for before anything begins.
double StageMover::pieces() {
  if (pieces_ > 0.0) return pieces_;
  const ResourceTable& resources = plant_.resources();
  bool fails = false;
  for (std::size_t r = 0; r < resources.size(); ++r)
    fails = fails || resources.name(static_cast<ResourceIndex>(r)).starts_with("failure.");
  return pieces_ = fails ? kFinePieces : kPieces;
}

// s = max(c M, min(B / 64, c M + done / 4, left / 4)) of all workers   [docs/models/stages.md, eq.
// 2]
StageMover::Piece StageMover::next(const Gang& gang) {
  Pool& of = pools_[gang.pool];
  const Bytes left = of.read - of.taken;
  const Bytes wave = node_.move.chunk * of.members;
  const Bytes grown = std::min(wave + of.taken * kGrowth, left * kGrowth);
  const Bytes all = std::max(wave, std::min(of.read / pieces(), grown) * gang.size);
  Piece piece{.bytes = std::min(all * (gang.members / of.members), left)};
  piece.members = std::clamp(piece.bytes / node_.move.chunk, 1.0, gang.members);
  of.taken += piece.bytes;
  return piece;
}

sim::Task<void> StageMover::run(std::vector<StageSupply*> behind, StageSupply& out) {
  if (node_.read > Bytes{}) {
    if (node_.work.delay > Seconds{}) {
      began_ = context_.now();
      co_await context_.sleep(node_.work.delay);
      reading_.add(Phase::data, node_.work.delay * members_,
                   plant_.resources().index(name_ + "delay"));
    }
    std::vector<sim::Task<void>> parts;
    for (Gang& gang : gangs_) parts.push_back(work(gang, behind, out));
    co_await sim::join(context_, std::move(parts));
  } else {
    co_await reach_all(behind, 1.0);
  }
  if (!began_.finite()) began_ = context_.now();
  out.bring(1.0);
}

// Chunks of a piece follow each other: while one is written, the next is computed and another read,
// so a piece takes as long as the slowest of the three. The first chunks have nothing beside them.
//    [docs/models/stages.md, eq. 2]
sim::Task<void> StageMover::work(Gang& gang, const std::vector<StageSupply*>& behind,
                                 StageSupply& out) {
  Pool& of = pools_[gang.pool];
  for (bool first = true; of.taken < of.read; first = false) {
    const Piece piece = next(gang);
    if (piece.bytes <= Bytes{}) co_return;
    const Seconds waited = co_await await_input(gang, behind);
    if (node_.move.overlap && !first) {
      co_await overlap(gang, piece, waited);
    } else {
      co_await read(gang, piece);
      co_await compute(gang, piece);
      co_await write(gang, piece);
    }
    of.brought += piece.bytes;
    // What follows has of it what every host has.
    double least = 1.0;
    for (const Pool& pool : pools_) least = std::min(least, pool.brought / pool.read);
    out.bring(least);
  }
}

sim::Task<void> StageMover::overlap(Gang& gang, Piece piece, Seconds waited) {
  const Seconds began = context_.now();
  gang.computing = {};
  std::vector<sim::Task<void>> parts;
  parts.push_back(read(gang, piece));
  parts.push_back(compute(gang, piece));
  parts.push_back(write(gang, piece));
  co_await sim::join(context_, std::move(parts));
  Seconds took = context_.now() - began;
  if (outages(began) > Seconds{}) {
    took = std::max({gang.reading.took, gang.computing, gang.writing.took});
    co_await await_outages(piece, began, took);
  }
  const Seconds reading = gang.reading.alone(piece.bytes);
  const Seconds writing = gang.writing.alone(piece.bytes);
  // What all of it could have been sooner is waiting for input that comes chunk by chunk.
  if (waited > Seconds{})
    starved_ +=
        std::max(Seconds{}, took - std::max({reading, writing, gang.computing})) * gang.members;
  // Many chunks are one piece here: what is done with it sooner would be a burst that never is. It
  // is slowed down as far as it stays sooner, whatever of its time were requests; not for a piece
  // that others held up, and the one before not.
  const Seconds usual = gang.moved > Rate{} ? std::min(took, piece.bytes / gang.moved) : took;
  if (took > Seconds{}) gang.moved = piece.bytes / took;
  for (auto [pace, alone] : {std::pair{&gang.reading, reading}, {&gang.writing, writing}}) {
    const Seconds spread = std::min((usual + waited) * kSpread - alone, alone * kMostSpread);
    pace->slow = spread > alone ? piece.bytes / spread : Rate::infinity();
  }
}

// While one end stands still the other is a chunk ahead, no more: pieces here are larger.
//    [docs/models/stages.md, eq. 2]
sim::Task<void> StageMover::await_outages(Piece piece, Seconds began, Seconds longest) {
  const Seconds ahead = longest * std::min(1.0, node_.move.chunk / piece.each());
  for (;;) {
    const Seconds out = std::max(Seconds{}, outages(began) - ahead);
    const Seconds left = began + longest + out - context_.now();
    if (left <= Seconds{}) co_return;
    co_await context_.sleep(left);
  }
}

Seconds StageMover::outages(Seconds since) const {
  const std::string &from = node_.move.from, &to = node_.work.to;
  return stood(from, since) + (to.empty() || to == from ? Seconds{} : stood(to, since));
}

// It never overtakes what it follows: all that was taken is there.
sim::Task<Seconds> StageMover::await_input(const Gang& gang,
                                           const std::vector<StageSupply*>& behind) {
  const Seconds since = context_.now();
  const Pool& of = pools_[gang.pool];
  co_await reach_all(behind, of.taken / of.read);
  began_ = std::min(began_, context_.now());
  const Seconds waited = context_.now() - std::max(since, began_);
  starved_ += waited * gang.members;
  co_return waited;
}

void StageMover::spent(WaitSplit& on, const Piece& piece, Seconds since, ResourceIndex resource) {
  on.add(Phase::data, since, context_.now(), resource, plant_.resources(), piece.members);
}

sim::Task<void> StageMover::read(Gang& gang, Piece piece) {
  const MoveParams& p = node_.move;
  const Seconds since = context_.now();
  Client client = gang.acting(gang.reader, piece);
  StorageModel& storage = plant_.storage(p.from);
  const double files = piece.each() / node_.file;
  if (node_.work.per_file > Seconds{}) {
    co_await context_.sleep(node_.work.per_file * files);
    spent(reading_, piece, since, plant_.resources().index(name_ + "per_file"));
  }
  const Seconds asked = context_.now();
  const Served opened = co_await storage.open(client, files);
  spent(reading_, piece, asked, opened.limited_by);
  client.host_read = std::min(client.host_read, gang.reading.slow / piece.members);
  if (p.rate) {
    const Rate own = *p.rate * (gang.members / members_);
    client.host_read = std::min(client.host_read, own * kMadeUp / piece.members);
    gang.due = std::max(gang.due, since) + piece.bytes / own;
  }
  const Seconds began = context_.now();
  const double ranges = piece.each() / std::min(node_.file, p.chunk);
  const Served served =
      co_await storage.read(client, {.bytes = piece.each(),
                                     .files = ranges,
                                     .round_trips = 1.0,
                                     .direct = p.direct,
                                     .opened = files,
                                     .larger_file = p.chunk < node_.file ? node_.file : Bytes{}});
  if (const Seconds early = gang.due - context_.now(); early > Seconds{}) {
    co_await context_.sleep(early);
    spent(reading_, piece, began, plant_.resources().index(name_ + "rate"));
  } else {
    spent(reading_, piece, began, served.most_of(context_.now() - began));
  }
  gang.reading.done(piece.bytes, context_.now() - since - stood(p.from, since));
}

sim::Task<void> StageMover::compute(Gang& gang, Piece piece) {
  if (!node_.work.cpu) co_return;
  const Seconds since = context_.now();
  gang.cores.members = piece.members;
  co_await gang.cores.compute(piece.each() / *node_.work.cpu);
  gang.computing = context_.now() - since;
  spent(computing_, piece, since, gang.cores.resource);
}

sim::Task<void> StageMover::write(Gang& gang, Piece piece) {
  const Seconds since = context_.now();
  if (const Bytes bytes = piece.each() * node_.work.ratio;
      !node_.work.to.empty() && bytes > Bytes{}) {
    Client client = gang.acting(gang.writer, piece);
    client.host_write =
        std::min(client.host_write, gang.writing.slow * node_.work.ratio / piece.members);
    const Served served = co_await plant_.storage(node_.work.to)
                              .write(client, {.bytes = bytes,
                                              .files = bytes / node_.written_file,
                                              .writers = piece.members,
                                              .direct = node_.move.direct,
                                              .content = Content::dataset});
    spent(writing_, piece, since, served.limited_by);
    gang.writing.done(piece.bytes, context_.now() - since - stood(node_.work.to, since));
  }
  if (node_.work.release) {
    const Seconds asked = context_.now();
    const Client client = gang.acting(gang.reader, piece);
    const Served removed =
        co_await plant_.storage(node_.move.from).open(client, piece.each() / node_.file);
    spent(writing_, piece, asked, removed.limited_by);
  }
}

WaitSplit StageMover::limited() const {
  if (node_.move.overlap) {
    const WaitSplit parts[] = {reading_, computing_, writing_};
    return WaitSplit::longest(parts);
  }
  WaitSplit all = reading_;
  all += computing_;
  all += writing_;
  return all;
}

Seconds StageMover::uncontended() const {
  Seconds all;
  for (const Gang& gang : gangs_) all += gang.cores.uncontended;
  return all;
}

}  // namespace stallcast::models
