#include "models/storage/file_queue.hpp"

#include <algorithm>
#include <cmath>

#include "models/contract/host_cores.hpp"

/// Equations and sources: docs/models/measured.md.
namespace stallcast::models {
namespace {

// A call of more files, or a file of more requests, is simulated as this many
// batches of equal ones in series: it bounds the events.    [docs/models/measured.md, "grain"]
constexpr double kMostBatches = 512.0;
// A smaller part of a file is what rounding left.
constexpr double kRounding = 1e-6;

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
Seconds FileQueue::jittered(const Client& client, Seconds latency) {
  if (layout_.jitter <= 0.0 || latency <= Seconds{}) return latency;
  const double exponential = -std::log1p(-process_of(client).jitter.uniform());
  return latency * (1.0 - layout_.jitter + layout_.jitter * exponential);
}

// Files are opened in any order, so each lies in any of the groups.    [measured.md, eq. 7]
double FileQueue::first_seen_groups(const Client& client, double files) {
  const auto groups = static_cast<std::uint64_t>(std::ceil(layout_.groups));
  double first_seen = 0.0;
  for (double f = 0.0; f < std::min(files, kMostBatches) && seen_groups_.size() < groups; ++f)
    if (seen_groups_.insert(process_of(client).inodes.below(groups)).second) first_seen += 1.0;
  return first_seen;
}

std::uint64_t FileQueue::place(Process& process) {
  const auto servers = static_cast<std::uint64_t>(layout_.servers);
  return layout_.random_placement ? process.placement.below(servers) : next_++ % servers;
}

sim::Task<void> FileQueue::metadata(const Client& client, ResponseParams law, double files) {
  if (files <= 0.0) co_return;
  const double batches = std::clamp(std::floor(files), 1.0, kMostBatches),
               files_per_batch = files / batches;
  for (double batch = 0.0; batch < batches; ++batch) {
    if (law.per_op > Seconds{})
      co_await opens_.serve(client.members / devices_,
                            jittered(client, law.per_op) * files_per_batch);
    if (law.latency > Seconds{})
      co_await context_->sleep(jittered(client, law.latency) * files_per_batch);
  }
}

// One request after the other, `depth` in flight: each passes the limiter, then is served in the
// queue of its server.    [measured.md, eq. 4 and 5]
sim::Task<Seconds> FileQueue::transfer_part(const Client& client, const RequestPath& path,
                                            bool writes, OpenFile& file, Bytes bytes, bool streams,
                                            double files_per_batch) {
  const double all_requests = std::max(1.0, std::ceil(bytes / path.request - 1e-9));
  const double requests = std::min(all_requests, kMostBatches);
  // What was asked for ahead is a part of a request.    [measured.md, eq. 4]
  const double whole = path.goes_on ? std::min(1.0, bytes / path.request) : 1.0;
  const Bytes size = bytes / (all_requests * whole);
  const double batch_size = files_per_batch * all_requests * whole / requests;
  const Rate rate = streams && path.law.stream.finite() ? path.law.stream : path.law.rate;
  const Seconds service = (path.law.per_op + size / rate) * batch_size;
  const double members = client.members / devices_;
  HostCores cores{.context = context_, .cpu = client.cpu, .members = client.members};
  Seconds throttled;
  for (double completed = 0.0; completed < requests;) {
    const double in_flight = std::min(layout_.depth, requests - completed);
    if (!path.latency_per_file && path.law.latency > Seconds{})
      co_await context_->sleep(jittered(client, path.law.latency) *
                               (batch_size * path.mix->factor()));
    if (path.limiter->limits()) {
      const Seconds asked = context_->now();
      co_await path.limiter->take(size * (in_flight * batch_size * members),
                                  in_flight * batch_size * members);
      throttled += context_->now() - asked;
    }
    const Seconds mixed_service = service * path.mix->factor();
    Seconds served;
    for (double r = 0.0; r < in_flight; ++r, file.offset += size * batch_size) {
      const double stripe = std::floor(file.offset / layout_.stripe_size + 1e-9);
      const auto offset =
          static_cast<std::uint64_t>(std::fmod(stripe, static_cast<double>(layout_.stripe)));
      served = std::max(served, path.queues->admit(members, file.server + offset, mixed_service));
    }
    const Bytes moved = size * (in_flight * batch_size * members);
    const Seconds work = mixed_service * (in_flight * members);
    path.queues->begin(writes, moved, work);
    co_await context_->sleep(served - context_->now());
    path.queues->end(writes, moved, work);
    if (path.copy) co_await cores.compute(size * (in_flight * batch_size) / *path.copy);
    completed += in_flight;
  }
  co_return throttled;
}

sim::Task<Seconds> FileQueue::transfer_files(const Client& client, const RequestPath& path,
                                             bool writes, Bytes bytes, double files) {
  Process& process = process_of(client);
  OpenFile& file = writes ? process.writing : process.reading;
  const double files_per_batch = std::max(1.0, files / kMostBatches);
  const Bytes file_size = bytes / files;
  const bool streams = file_size > path.request;
  Seconds throttled;
  for (double remaining = files / files_per_batch; remaining > kRounding;) {
    if (file.remaining <= kRounding) {
      if (path.goes_on)
        file.remaining = 1.0;
      else
        file = {.remaining = 1.0, .server = place(process), .offset = {}};
      if (path.latency_per_file && path.law.latency > Seconds{} && !path.goes_on)
        co_await context_->sleep(jittered(client, path.law.latency) *
                                 (files_per_batch * path.mix->factor()));
    }
    const double part = std::min(remaining, file.remaining);
    file.remaining -= part;
    remaining -= part;
    throttled += co_await transfer_part(client, path, writes, file, file_size * part, streams,
                                        files_per_batch);
  }
  co_return throttled;
}

}  // namespace stallcast::models
