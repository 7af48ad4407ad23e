#include "models/saving/restore.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/sim/join.hpp"

namespace stallcast::models {
namespace {

// A read that crosses file borders asks for the index of a file, then for its part of it.
constexpr double kPartialRoundTrips = 2.0;
// Of a read that may stop: of the restore that was under way so much is read to its end.
constexpr int kPieces = 64;

}  // namespace

std::string Restore::tier() const {
  const CheckpointParams& p = mover_.params();
  if (p.restore_from) return *p.restore_from;
  return p.tiers.empty() ? p.to : p.tiers.front();
}

const std::string& Restore::from(const Mover& mover) const {
  const bool replaced =
      source_.replaced_hosts > 0.0 && mover_.among_last(mover, source_.replaced_hosts);
  return replaced ? source_.replaced : source_.tier;
}

sim::Task<void> Restore::read(const Mover& mover, double state, double saves, WaitSplit& took) {
  const CheckpointParams& p = mover_.params();
  const RankShare& share = mover.share;
  double files = share.files, trips = 1.0, written = mover_.layout().writer_count();
  Bytes bytes = p.stored(share.bytes) * (state * mover_.of_stored(from(mover)));
  const std::vector<RankShare>& readers = readers_.at(from(mover));
  const double increment = p.incremental.in(unit::ratio);
  const double times =  // as many files as the whole save has
      1.0 + (saves - 1.0) * share.files_in(increment) / share.files;
  double beside = company(share.bytes, readers, [](const RankShare& s) { return s.bytes; });
  if (mode_ == "all" && p.sharing == "no" && !p.saved_by && share.common_files > 0.0) {
    // Weights lie in files of one replica: all others come to these first, then each rank to its
    // own.    [docs/models/storage.md, eq. 6]
    const Bytes common = p.stored(share.common) * state;
    files -= share.common_files;
    bytes -= common;
    const double together =
        company(share.common, readers, [](const RankShare& s) { return s.common; });
    co_await read_files(mover,
                        {common, share.common_files * times, mover_.layout().parts, together},
                        state, 1.0, took);
    beside = company(share.bytes - share.common, readers,
                     [](const RankShare& s) { return s.bytes - s.common; });
  }
  if (p.saved_by) {
    // A reader's bytes lie in W / R of the files that each of W ranks wrote, and one more where its
    // range ends inside a file.    [docs/models/checkpoint.md, eq. 11]
    const double old = static_cast<double>(*p.saved_by);
    files = std::ceil(old * share.files / written) + 1.0;
    trips = kPartialRoundTrips;
    written = old;
  }
  co_await read_files(mover, {bytes, files * times, written, beside}, state, trips, took);
}

sim::Task<void> Restore::read_files(const Mover& mover, Files files, double state, double trips,
                                    WaitSplit& took) {
  const Seconds start = mover_.context().now();
  const std::string& tier = from(mover);
  const Bytes save = mover_.params().stored(mover_.layout().size()) * state;
  double readers = 0.0;
  for (const RankShare& reader : readers_.at(tier)) readers += reader.members;
  const int pieces = source_.may_stop ? kPieces : 1;
  Served served;
  for (int piece = 0; piece < pieces && !stopped_; ++piece)
    served = co_await mover_.read(
        mover, tier, files.bytes, files.count,
        {.readers = readers, .files = files.writers, .save = save, .company = files.company}, trips,
        1.0 / pieces);
  read_ += files.bytes * mover.share.members;
  const Seconds now = mover_.context().now();
  took.add(Phase::data, start, now, served.most_of((now - start) / pieces),
           mover_.plant().resources(), 1.0, tier);
}

sim::Task<void> Restore::passes(const Mover& mover, double state, WaitSplit& took) {
  if (stopped_) co_return;
  if (from(mover) == kHostMemory || from(mover) == kPeerMemory) co_return;  // never left memory
  co_await mover_.compute(mover, restore_passes(mover_.params(), mover.share.bytes * state), took);
}

sim::Task<void> Restore::timed(sim::Task<Served> part, WaitSplit& took) {
  const Seconds start = mover_.context().now();
  const Served served = co_await part;
  took.add(Phase::data, start, mover_.context().now(), served.limited_by,
           mover_.plant().resources());
}

// Replicas pass on what they receive. By NVLink each host takes in every part once, and of R ranks
// that hold d parts R - d get theirs from a neighbouring GPU, as the pieces come in; else each rank
// of a host takes in its own.    [docs/models/checkpoint.md, eq. 13]
sim::Task<void> Restore::broadcast(const Mover& mover, double part, WaitSplit& took) {
  const CheckpointLayout& layout = mover_.layout();
  const Bytes lacked = layout.broadcast * part;
  // One reader has all that the others lack: it leaves by the port it was gathered through.
  if (mover_.params().layout == "rank0")
    co_return co_await mover_.at_rank0(mover, "nic.write", took, part);
  double senders = 0.0;
  for (const RankShare& reader : layout.readers_once)
    if (reader.passes_on) senders += reader.members;
  const double share = mover.share.members / senders;
  const double ranks = mover_.ranks().most();
  const double entering = mover_.passes_on(0) ? std::min(ranks, layout.parts) : ranks;
  const double inside = std::max(0.0, mover_.ranks().ranks - mover_.hosts() * entering);
  const double outside = std::max(0.0, layout.receivers - inside);
  const std::vector<HostGroup>& groups = mover_.groups();  // who receives is on all hosts
  std::vector<WaitSplit> each(2 * groups.size());
  std::vector<sim::Task<void>> parts;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double here = share * groups[g].hosts / mover_.hosts();
    if (outside > 0.0)
      parts.push_back(
          timed(mover_.exchange(g, outside * here, mover_.nic(g) / entering, lacked), each[2 * g]));
    if (inside > 0.0)
      parts.push_back(timed(mover_.pass_on(g, inside * here, lacked), each[2 * g + 1]));
  }
  co_await sim::join(mover_.context(), std::move(parts));
  took += WaitSplit::longest(each);
}

sim::Task<void> Restore::load(const Mover& mover, double state, double saves) {
  sim::Context& context = mover_.context();
  const CheckpointParams& p = mover_.params();
  const CheckpointLayout& layout = mover_.layout();
  std::array<WaitSplit, 2> each;
  std::vector<sim::Task<void>> parts;
  parts.push_back(read(mover, state, saves, each[0]));
  parts.push_back(passes(mover, state, each[1]));
  WaitSplit took;
  if (p.streams()) {
    co_await sim::join(context, std::move(parts));
    took = WaitSplit::longest(each);
  } else {
    for (sim::Task<void>& part : parts) {
      sim::Task<void> phase = std::move(part);
      co_await phase;
    }
    took += each[0];
    took += each[1];
  }
  if (stopped_) co_return;
  // What GPUs decompress comes to them as it is stored, increments too.
  const double brought = p.compresses_on_gpu() ? state : 1.0;
  const double moved = p.compresses_on_gpu() ? state / p.compress_ratio : 1.0;
  if (mode_ == "once" && mover.share.passes_on && layout.broadcast > Bytes{} &&
      layout.receivers > 0.0)
    co_await broadcast(mover, moved, took);
  if (p.snapshot != "none" && !mover_.past_memory()) {
    const Seconds start = context.now();
    const Served served = co_await mover_.copy(mover, mover.share.bytes * moved);
    took.add(Phase::data, start, context.now(), served.limited_by, mover_.plant().resources());
  }
  if (p.compresses_on_gpu()) {
    const Seconds time = mover.share.bytes * brought / p.compress_rate;
    co_await context.sleep(time);
    took.add(Phase::cpu, time, mover_.own_resource("compress"));
  }
  if (mover.share.rank0) rank0_ = context.now() - began_;
  if (context.now() >= last_) {
    last_ = context.now();
    split_ = took;
  }
}

sim::Task<void> Restore::run(double state, double saves, Source source) {
  sim::Context& context = mover_.context();
  const CheckpointLayout& layout = mover_.layout();
  source_ = std::move(source);
  mode_ = source_.mode.empty() ? mover_.params().restore : source_.mode;
  if (mode_ == "all" && mover_.holds_own(source_.tier)) mode_ = "once";
  began_ = last_ = context.now();
  read_ = {};
  const std::vector<Mover> readers = mover_.movers(mode_ == "own"   ? layout.writers
                                                   : mode_ == "all" ? layout.readers_all
                                                                    : layout.readers_once,
                                                   JobWork::restores);
  readers_.clear();
  for (const Mover& reader : readers) readers_[from(reader)].push_back(reader.share);
  std::vector<sim::Task<void>> parts;
  for (const Mover& reader : readers) parts.push_back(load(reader, state, saves));
  co_await sim::join(context, std::move(parts));
  if (!stopped_) took_ = context.now() - began_;
}

void Restore::report(const std::string& name, ResourceTable& resources, RunResult& out) const {
  if (took_ <= Seconds{}) return;
  out.metrics[name + "duration"] = {took_.in(unit::s), "s", {}};
  out.metrics[name + "rank0"] = {rank0_.in(unit::s), "s", {}};
  out.metrics[name + "read"] = {read_.in(unit::B), "B", {}};
  out.metrics[name + "bandwidth"] = {(read_ / took_).in(unit::Bps), "B/s", {}};
  for (const auto& [resource, time] : split_.by_resource)
    if (time > Seconds{})
      out.metrics[name + "took." + resources.name(resource)] = {time.in(unit::s), "s", {}};
  if (const ResourceIndex worst = mover_.worst_of(split_); worst != kNoResource)
    for (const char* metric : {"duration", "rank0"})
      out.limited_by[name + metric] = resources.name(worst);
}

}  // namespace stallcast::models
