#include <algorithm>
#include <utility>
#include <vector>

#include "models/storage/pooled_store.hpp"

/// The chains that most kinds read and write files by. docs/models/storage.md.
namespace stallcast::models {

sim::Task<void> PooledStore::goes_on(const Client& client, Served& served, Seconds began,
                                     Seconds alone, Seconds wait) {
  if (client.loose > 1.0) {
    served.moved = context_->now() - began;
    const Seconds first = std::max(alone, served.moved / client.loose);
    const Seconds ahead = std::max(Seconds{}, served.moved - first);
    served.gone = std::min(ahead, wait);
    served.ahead = ahead - served.gone;
  }
  co_await context_->sleep(wait - served.gone);
}

sim::Task<Served> PooledStore::longer_of(sim::Task<Served> first, sim::Task<Served> then) {
  const Seconds began = context_->now();
  const Served before = co_await std::move(first);
  const Seconds since = context_->now();
  Served served = co_await std::move(then);
  if (since - began > context_->now() - since) served.limited_by = before.limited_by;
  co_return served;
}

Seconds PooledStore::answers_of(const ReadRequest& request, Seconds service) const {
  return (round_trip() + service) * (request.files * request.round_trips);
}

// Where nothing but the answers and then the data is waited for. What a client asks for decides.
bool PooledStore::read_once(const Client& client, const ReadRequest& request, OneTransfer& told) {
  const std::optional<FileReads> how = file_reads(client, request);
  if (!how || client.chance != nullptr) return false;
  if (how->placed.together(how->request.company) < 1.0) return false;
  if (work_link_.valid() && how->work.amount > 0.0) return false;
  const Seconds turns = answers_of(how->request, how->service);
  if (client.window.link.valid() && turns > Seconds{}) return false;
  const Rate host = client.reads_at_most();
  const Rate most = std::min({how->cap.rate, host, how->placed.beside});
  if (client.is_train(turns, how->request.bytes / most)) return false;
  told.own = media_bind(how->cap, host, how->placed.beside) ? media_resource_
             : host <= how->cap.rate                        ? client.read_limit(stream_resource_)
                                                            : stream_resource_;
  told.lasts = true;
  told.later = {turns, sim::weighted({.path = client.read_path,
                                      .bytes = how->request.bytes,
                                      .members = client.members,
                                      .cap = most},
                                     client.share)};
  return true;
}

Served PooledStore::read_ended(const Client& client, const OneTransfer& told,
                               const sim::FlowOutcome& flow) {
  (void)client;
  return {flow.binding.valid() ? resources_->of_link[flow.binding.index] : told.own};
}

sim::Task<Served> PooledStore::read_files(const Client& client, FileReads how) {
  auto& [request, service, cap, placed, work] = how;
  const Seconds turns = answers_of(request, service);
  const double part = placed.together(request.company);
  const auto takes = [&client, &request = request, &cap = cap](double share, Rate given) {
    return request.bytes * share / std::min({cap.rate, given, client.reads_at_most()});
  };
  const Seconds alone = turns + takes(part, placed.beside) + takes(1.0 - part, placed.alone);
  Working working, asking;
  if (work.at_once) {
    begin(working, client, work, reads_, request.bytes, alone);
    work = {};
  }
  begin_requests(asking, client, turns, request.bytes / one_request().read, alone);
  const Rate most = std::min({cap.rate, placed.beside, client.reads_at_most()});
  const bool loose = !working.on && client.is_train(turns, request.bytes / most);
  if (!loose) co_await context_->sleep(turns);
  const Seconds began = context_->now();
  const double amount = std::exchange(work.amount, work.amount * part);
  PlacedSaves::Moving moving;
  restored_.begin(moving, client, placed, &Client::read_path);
  Served served =
      co_await stream_in(moving.client(), request.bytes * part, cap, placed.beside, work);
  if (part < 1.0) {
    restored_.alone(moving);
    work.amount = amount * (1.0 - part);
    served =
        co_await stream_in(moving.client(), request.bytes * (1.0 - part), cap, placed.alone, work);
  }
  restored_.end(moving);
  if (loose) co_await goes_on(client, served, began, request.bytes / most, turns);
  if (asking.on) served = co_await end_requests(asking, client, served);
  if (ends(working)) co_return served;
  co_return co_await end(working, served, work_resource_);
}

// No request is served faster than alone; those on few of the hosts have the windows of these.
void PooledStore::begin_requests(Working& asking, const Client& client, Seconds answers,
                                 Seconds moves, Seconds alone) {
  const RequestWindow& window = client.window;
  if (!window.link.valid() || !(answers > Seconds{})) return;
  const Seconds time = answers + moves;
  double most = time / alone;
  if (client.hosts < window.hosts)
    most = std::min(most, window.of_host * client.hosts / client.processes());
  begin(asking, client, {&window.link, 1}, {.amount = time.in(unit::s)}, most);
}

sim::Task<Served> PooledStore::end_requests(Working& asking, const Client& client, Served served) {
  return end(asking, served, resources_->of_link[client.window.link.index]);
}

sim::Task<void> PooledStore::answers(double requests, Seconds service) {
  if (requests > 0.0) co_await context_->sleep((round_trip() + service) * requests);
}

sim::Task<PooledStore::Created> PooledStore::create_files(const Client& client,
                                                          const WriteRequest& request,
                                                          double before) {
  const Seconds asked = context_->now();
  Seconds left;
  const double turn = in_a_turn(request.files), more = request.files - turn;
  Created out{co_await metadata_ops(client, turn, true, before, &left), {}, {}};
  if (more > kRounding) {
    out.all = std::make_shared<sim::Signal>(*context_);
    context_->spawn(go_on_creating(client, more, turn, before,
                                   next_turn(client, turn, before, asked, left), *out.all));
    left += std::max(busy_with_creates(client, client.members * more, before),
                     alone(client, true, before) * more);
  }
  if (std::max(request.writers, client.processes()) > 1.0) {
    const Seconds least = alone(client, true, before) * request.files;
    out.queued = std::max(Seconds{}, context_->now() - asked + left - least);
    // Others wait for their turn at lines, which serve one member after the other.
    const double others = request.apart || client.loose > 1.0 ? 0.0 : client.members - 1.0;
    if (others > 0.0)
      out.evenly =
          std::min({out.queued, left, busy_with_creates(client, others * request.files, before)});
  }
  co_await context_->sleep(left - out.evenly);
  co_return out;
}

sim::Task<Seconds> PooledStore::all_created(const Created& created, Seconds date, Seconds alone) {
  if (context_->now() < date) co_await context_->sleep(date - context_->now());
  if (!created.all || created.all->is_set()) co_return date;
  co_await created.all->wait();
  const Seconds late = context_->now();
  if (late <= date * (1.0 + kRounding)) co_return date;
  co_await context_->sleep(alone);
  co_return late;
}

Seconds PooledStore::commits_of(double files, Seconds commit, Seconds queued) const {
  const Seconds one = commit + round_trip() * 2.0;
  return std::max(one * std::min(files, 1.0), one * files - queued);
}

sim::Task<Served> PooledStore::move_out(const Client& client, const WriteRequest& request,
                                        StreamCap cap, const PlacedRate& placed, Outward how,
                                        Work work) {
  const double part = placed.together(request.company);
  const double amount = std::exchange(work.amount, work.amount * part);
  const Seconds evenly = std::exchange(how.evenly, how.evenly * part);
  PlacedSaves::Moving moving;
  saved_.begin(moving, client, placed, &Client::write_path, request.save);
  Served served =
      co_await stream_out(moving.client(), request.bytes * part, cap, placed.beside, how, work);
  if (part < 1.0) {
    saved_.alone(moving);
    work.amount = amount * (1.0 - part);
    how.evenly = evenly * (1.0 - part);
    served = co_await stream_out(moving.client(), request.bytes * (1.0 - part), cap, placed.alone,
                                 how, work);
  }
  saved_.end(moving);
  co_return served;
}

double PooledStore::reach_of(const StorageLoad& load) const {
  std::vector<StorageLoad::FileSet> sets;
  for (const StorageLoad::Reader& reader : load.readers) {
    const auto same = [&](const StorageLoad::FileSet& set) {
      return !set.data.empty() && set.data == reader.of.data;
    };
    if (std::ranges::none_of(sets, same)) sets.push_back(reader.of);
  }
  return reach(sets);
}

sim::Task<Served> PooledStore::write_files(const Client& client, WriteRequest request,
                                           Seconds service, StreamCap cap, Seconds commit,
                                           PlacedRate placed, Work work) {
  const Seconds asked = context_->now();
  const Created created = co_await create_files(client, request);
  const Seconds began = context_->now() + created.evenly;
  const Seconds replies = (round_trip() + service) * request.requests;
  const Seconds commits = commits_of(request.files, commit, created.queued);
  const Rate own = std::min(cap.rate, client.writes_at_most(request.sent));
  const bool loose = client.is_train(replies, request.bytes / own);
  Working asking;
  const Seconds moves = request.bytes / one_request().write;
  begin_requests(asking, client, replies, moves, replies + request.bytes / own);
  if (!loose) co_await context_->sleep(replies);
  const Seconds moving = context_->now();
  const double times = written(request.range());
  // Of loose members no more are at the targets at one time than those serve.
  const double at_once =
      request.apart ? std::min(client.members, std::max(1.0, writes_.most / placed.beside)) : 0.0;
  apart_ += at_once;
  if (request.apart) placed = placed.of(apart_);
  Served served =
      co_await move_out(client, request, cap, placed, {times, request.sent, created.evenly}, work);
  const Rate most = std::min(own, placed.beside);
  const Seconds made = co_await all_created(created, began, request.bytes / most);
  apart_ -= at_once;
  if (asking.on && !loose) served = co_await end_requests(asking, client, served);
  const bool by_creates = made - asked > context_->now() - made;
  if (!loose) co_await context_->sleep(commits);
  if (loose) co_await goes_on(client, served, moving, request.bytes / most, replies + commits);
  if (asking.on && loose) served = co_await end_requests(asking, client, served);
  if (by_creates) served.limited_by = created.served.limited_by;
  co_return served;
}

}  // namespace stallcast::models
