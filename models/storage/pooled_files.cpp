#include <algorithm>
#include <utility>

#include "models/storage/pooled_store.hpp"

/// The chains that most kinds read and write files by. docs/models/storage.md.
namespace stallcast::models {

sim::Task<Served> PooledStore::read_files(const Client& client, ReadRequest request,
                                          Seconds service, StreamCap cap, PlacedRate placed,
                                          Work work) {
  const Seconds turns = (round_trip() + service) * (request.files * request.round_trips);
  const double part = placed.together(request.company);
  Working working;
  if (work.at_once) {
    const auto takes = [&](double share, Rate given) {
      return request.bytes * share / std::min({cap.rate, given, client.reads_at_most()});
    };
    begin(working, client, work, reads_, request.bytes,
          turns + takes(part, placed.beside) + takes(1.0 - part, placed.alone));
    work = {};
  }
  co_await context_->sleep(turns);
  const double amount = std::exchange(work.amount, work.amount * part);
  Served served = co_await stream_in(client, request.bytes * part, cap, placed.beside, work);
  if (part < 1.0) {
    work.amount = amount * (1.0 - part);
    served = co_await stream_in(client, request.bytes * (1.0 - part), cap, placed.alone, work);
  }
  if (ends(working)) co_return served;
  co_return co_await end(working, served);
}

sim::Task<void> PooledStore::answers(double requests, Seconds service) {
  if (requests > 0.0) co_await context_->sleep((round_trip() + service) * requests);
}

sim::Task<PooledStore::Created> PooledStore::create_files(const Client& client,
                                                          const WriteRequest& request,
                                                          double before) {
  const Seconds asked = context_->now();
  const Served served = co_await metadata_ops(client, request.files, true, before);
  if (std::max(request.writers, client.processes()) <= 1.0) co_return Created{served, {}};
  const Seconds least = alone(client, true, before) * request.files;
  co_return Created{served, std::max(Seconds{}, context_->now() - asked - least)};
}

sim::Task<void> PooledStore::commit_files(double files, Seconds commit, Seconds queued) {
  const Seconds one = commit + round_trip() * 2.0;
  co_await context_->sleep(std::max(one * std::min(files, 1.0), one * files - queued));
}

sim::Task<Served> PooledStore::write_files(const Client& client, WriteRequest request,
                                           Seconds service, StreamCap cap, Seconds commit,
                                           PlacedRate placed, Work work) {
  const Seconds asked = context_->now();
  const Created created = co_await create_files(client, request);
  const Seconds began = context_->now();
  co_await answers(request.requests, service);
  const double times = written(request.bytes / request.files);
  const double part = placed.together(request.company);
  const double amount = std::exchange(work.amount, work.amount * part);
  Served served =
      co_await stream_out(client, request.bytes * part, cap, placed.beside, times, work);
  if (part < 1.0) {
    work.amount = amount * (1.0 - part);
    served =
        co_await stream_out(client, request.bytes * (1.0 - part), cap, placed.alone, times, work);
  }
  const bool by_creates = began - asked > context_->now() - began;
  co_await commit_files(request.files, commit, created.queued);
  co_return by_creates ? created.served : served;
}

}  // namespace stallcast::models
