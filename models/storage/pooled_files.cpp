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
  Working waiting;
  begin(waiting, client, turns);
  co_await context_->sleep(turns);
  const double amount = std::exchange(work.amount, work.amount * part);
  Served served = co_await stream_in(client, request.bytes * part, cap, placed.beside, work);
  if (part < 1.0) {
    work.amount = amount * (1.0 - part);
    served = co_await stream_in(client, request.bytes * (1.0 - part), cap, placed.alone, work);
  }
  if (waiting.on)
    served = co_await end(waiting, served, resources_->of_link[client.window.link.index]);
  if (ends(working)) co_return served;
  co_return co_await end(working, served, work_resource_);
}

// No request is served faster than alone; those on few of the hosts have the windows of these.
void PooledStore::begin(Working& waiting, const Client& client, Seconds time) {
  const RequestWindow& window = client.window;
  waiting.on = window.link.valid() && time > Seconds{};
  if (!waiting.on) return;
  waiting.began = context_->now();
  const bool few = client.hosts < window.hosts;
  const double each = few ? window.of_host * client.hosts / client.processes() : 1.0;
  waiting.flow.start(*context_, sim::weighted({.path = {&window.link, 1},
                                               .bytes = Bytes::from(time.in(unit::s), unit::B),
                                               .members = client.members,
                                               .cap = Rate::from(std::min(1.0, each), unit::Bps)},
                                              client.share));
}

sim::Task<void> PooledStore::answers(double requests, Seconds service) {
  if (requests > 0.0) co_await context_->sleep((round_trip() + service) * requests);
}

sim::Task<Served> PooledStore::write_files(const Client& client, WriteRequest request,
                                           Seconds service, StreamCap cap, Seconds commit,
                                           PlacedRate placed, Work work) {
  const Seconds asked = context_->now();
  const Served created = co_await metadata_ops(client, request.files, true);
  const Seconds began = context_->now();
  Working waiting;
  begin(waiting, client, (round_trip() + service) * request.requests);
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
  if (waiting.on)
    served = co_await end(waiting, served, resources_->of_link[client.window.link.index]);
  const bool by_creates = began - asked > context_->now() - began;
  co_await context_->sleep((commit + round_trip() * 2.0) * request.files);
  co_return by_creates ? created : served;
}

}  // namespace stallcast::models
