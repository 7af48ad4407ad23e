#include "models/storage/file_queue.hpp"

#include <algorithm>
#include <cmath>

#include "models/contract/host_cores.hpp"

/// Equations and sources: docs/models/measured.md.
namespace stallcast::models {
namespace {

// A call of more files, or a file of more requests, is served in this many turns of as many equal
// ones each: it bounds the events.    [docs/models/measured.md, "grain"]
constexpr double kTurns = 512.0;
// Parts of a file smaller than this are what adding up left.
constexpr double kRest = 1e-6;

}  // namespace

FileQueue::FileQueue(sim::Context& context, FileLayout layout, std::string name, std::uint64_t seed,
                     double devices)
    : context_(&context),
      layout_(layout),
      name_(std::move(name)),
      seed_(seed),
      devices_(devices),
      opens_(context, 1) {}

FileQueue::Process& FileQueue::process_of(const Client& client) {
  const auto found = processes_.find({client.id, client.process});
  if (found != processes_.end()) return found->second;
  const std::string process = name_ + "." + std::to_string(client.process);
  return processes_
      .emplace(std::pair{client.id, client.process},
               Process{base::RandomStream(seed_, process, "jitter", client.id),
                       base::RandomStream(seed_, process, "placement", client.id),
                       base::RandomStream(seed_, process, "inodes", client.id)})
      .first->second;
}

// t (1 - J + J Exp(1)): the mean stays.    [measured.md, eq. 6]
Seconds FileQueue::drawn(const Client& client, Seconds latency) {
  if (layout_.jitter <= 0.0 || latency <= Seconds{}) return latency;
  const double exponential = -std::log1p(-process_of(client).jitter.uniform());
  return latency * (1.0 - layout_.jitter + layout_.jitter * exponential);
}

// Files are opened in any order, so each lies in any of the groups.    [measured.md, eq. 7]
double FileQueue::newly_met(const Client& client, double files) {
  const auto groups = static_cast<std::uint64_t>(std::ceil(layout_.groups));
  double met = 0.0;
  for (double f = 0.0; f < std::min(files, kTurns) && met_.size() < groups; ++f)
    if (met_.insert(process_of(client).inodes.below(groups)).second) met += 1.0;
  return met;
}

std::uint64_t FileQueue::place(Process& process) {
  const auto servers = static_cast<std::uint64_t>(layout_.servers);
  return layout_.drawn ? process.placement.below(servers) : next_++ % servers;
}

sim::Task<void> FileQueue::metadata(const Client& client, ResponseParams law, double files) {
  if (files <= 0.0) co_return;
  const double turns = std::clamp(std::floor(files), 1.0, kTurns), times = files / turns;
  for (double turn = 0.0; turn < turns; ++turn) {
    if (law.per_op > Seconds{})
      co_await opens_.serve(client.members / devices_, drawn(client, law.per_op) * times);
    if (law.latency > Seconds{}) co_await context_->sleep(drawn(client, law.latency) * times);
  }
}

// One request after the other, `depth` in flight: each passes the limiter, then is served in the
// line of its server.    [measured.md, eq. 4 and 5]
sim::Task<Seconds> FileQueue::part_of(const Client& client, const FileWay& way, OpenFile& file,
                                      Bytes bytes, bool streams, double times) {
  const double needed = std::max(1.0, std::ceil(bytes / way.request - 1e-9));
  const double requests = std::min(needed, kTurns);
  const Bytes size = bytes / needed;
  const double each = times * needed / requests;  // in series
  const Rate rate = streams && way.law.stream.finite() ? way.law.stream : way.law.rate;
  const Seconds service = (way.law.per_op + size / rate) * each;
  const double members = client.members / devices_;
  HostCores cores{.context = context_, .cpu = client.cpu, .members = client.members};
  Seconds limited;
  for (double done = 0.0; done < requests;) {
    const double round = std::min(layout_.depth, requests - done);
    if (!way.latency_once && way.law.latency > Seconds{})
      co_await context_->sleep(drawn(client, way.law.latency) * (each * way.mix->factor()));
    if (way.limit->limits()) {
      const Seconds asked = context_->now();
      co_await way.limit->take(size * (round * each * members), round * each * members);
      limited += context_->now() - asked;
    }
    const Seconds slowed = service * way.mix->factor();
    Seconds served;
    for (double r = 0.0; r < round; ++r, file.at += size * each) {
      const double stripe = std::floor(file.at / layout_.stripe_size + 1e-9);
      const auto offset =
          static_cast<std::uint64_t>(std::fmod(stripe, static_cast<double>(layout_.stripe)));
      served = std::max(served, way.lines->admit(members, file.server + offset, slowed));
    }
    co_await context_->sleep(served - context_->now());
    if (way.copy) co_await cores.compute(size * (round * each) / *way.copy);
    done += round;
  }
  co_return limited;
}

sim::Task<Seconds> FileQueue::move(const Client& client, const FileWay& way, bool writes,
                                   Bytes bytes, double files) {
  Process& process = process_of(client);
  OpenFile& file = writes ? process.writing : process.reading;
  const double times = std::max(1.0, files / kTurns);
  const Bytes whole = bytes / files;
  const bool streams = whole > way.request;
  Seconds limited;
  for (double rest = files / times; rest > kRest;) {
    if (file.left <= kRest) {
      file = {.left = 1.0, .server = place(process), .at = {}};
      if (way.latency_once && way.law.latency > Seconds{})
        co_await context_->sleep(drawn(client, way.law.latency) * (times * way.mix->factor()));
    }
    const double part = std::min(rest, file.left);
    file.left -= part;
    rest -= part;
    limited += co_await part_of(client, way, file, whole * part, streams, times);
  }
  co_return limited;
}

}  // namespace stallcast::models
