#include <algorithm>
#include <cmath>

#include "models/contract/chance.hpp"
#include "models/storage/pooled_store.hpp"

/// Opens and creates at the metadata servers. docs/models/storage.md, eq. 2, 3 and 16.
namespace stallcast::models {
namespace {

// Or by replays: of others that read nobody knows how much they do at one time.
bool read_by_jobs(const StorageLoad& load) {
  return std::ranges::any_of(load.readers,
                             [](const StorageLoad::Reader& r) { return r.concurrent_reads > 0.0; });
}

}  // namespace

// Creates also wait for their own threads.    [docs/models/storage.md, eq. 2]
Seconds PooledStore::admit(double count, const Request& request, Seconds over) {
  const Seconds answer = request.answer / metadata_factor_;
  const Seconds before = line_->waited();
  const Seconds done = line_->admit(count, request.held / metadata_factor_, over, answer);
  if (!request.create || !creates_) return done;
  const Seconds already = creates_->waited() + (line_->waited() - before);
  const Seconds created = creates_->admit(count, paced_ / metadata_factor_, over, answer);
  waited_longer_ += std::max(Seconds{}, creates_->waited() - already);
  return std::max(done, created);
}

Seconds PooledStore::alone_in_line(double count, const Request& request) const {
  const double rounds = std::ceil(count / static_cast<double>(line_->servers()) - kRounding);
  return (request.held * (rounds - 1.0) + request.answer) / metadata_factor_;
}

sim::Task<Served> PooledStore::metadata_line(const Client& client, double requests, Request request,
                                             Seconds* left) {
  co_await context_->sleep(round_trip() * requests);
  // Others come in between, of one request at a time where readers meet tenants. Who does not find
  // any asks for twice as many at the next turn.    [docs/models/tenants.md, eq. 15]
  const bool unlike = load_.others && read_by_jobs(load_) && client.turns > 1.0;
  const double least = unlike ? 1.0 : std::max(1.0, std::ceil(requests / client.turns - kRounding));
  for (double turn = least; requests > kRounding;) {
    const double some = requests < turn + 1.0 ? requests : turn;
    requests -= some;
    // A member asks for its files one after the other, so idle servers do not answer them at once.
    const Seconds asked = context_->now();
    co_await metadata_up_->wait();
    const Seconds one = request.answer / metadata_factor_;
    const double count = client.members * some;
    Seconds taken = admit(count, request, client.spread) - context_->now();
    if (client.chance != nullptr) {
      const Tail queue = line_wait(static_cast<double>(line_->servers()), line_->evenly_busy(),
                                   request.held / metadata_factor_);
      client.chance->waits(queue);
      taken += queue.mean;
    }
    if (unlike)
      turn = taken <= alone_in_line(count, request) * (1.0 + kRounding) ? 2.0 * turn : least;
    const Seconds until = request.of_parts ? taken * std::min(some, 1.0) : taken;
    const Seconds all = one * std::floor(some + kRounding);
    if (left != nullptr && requests <= kRounding) {
      *left = std::max(until, all - (context_->now() - asked));
      break;
    }
    co_await context_->sleep(until);
    co_await context_->sleep(std::max(Seconds{}, all - (context_->now() - asked)));
  }
  co_return Served{metadata_resource_};
}

sim::Task<Served> PooledStore::data_line(const Client& client, double requests) {
  Request request = open_;
  request.of_parts = true;
  return metadata_line(client, requests, request);
}

Seconds PooledStore::in_directory(const Client& client, bool create) const {
  const bool one = client.directories == Directories::one ||
                   (create && client.directories == Directories::usual && !metadata_.in_many);
  return one ? (create ? directory_service_ : directory_open_service_) / metadata_factor_
             : Seconds{};
}

Seconds PooledStore::after_directory(const Request& request, Seconds held) const {
  const Seconds answer = request.answer / metadata_factor_;
  return metadata_.directory_on_server ? std::max(Seconds{}, answer - held) : answer;
}

void PooledStore::report_directory(Seconds wall, std::vector<ResourceUse>& out) const {
  if (load_.creators == 0 || directory_service_ == Seconds{}) return;
  Seconds busiest;
  for (const auto& [owner, line] : directories_) busiest = std::max(busiest, line.worked());
  const double most = (Ops::from(1.0, unit::ops) / directory_service_).in(unit::per_s);
  ResourceUse& use = out.emplace_back();
  use.name = name_ + ".directory";
  use.unit = "1/s";
  use.capacity = most;
  use.throughput = most * (busiest / wall);
}

Seconds PooledStore::alone(const Client& client, bool create, double before) const {
  const Seconds held = in_directory(client, create);
  return round_trip() * (1.0 + before) + open_.answer * (before / metadata_factor_) + held +
         after_directory(create ? create_ : open_, held);
}

Seconds PooledStore::busy_with_creates(const Client& client, double files, double before) const {
  const Seconds line = (open_.held * before + create_.held) / static_cast<double>(line_->servers());
  const Seconds paced = creates_ ? paced_ / static_cast<double>(creates_->servers()) : Seconds{};
  return std::max({line / metadata_factor_, paced / metadata_factor_, in_directory(client, true)}) *
         files;
}

double PooledStore::in_a_turn(double files) const {
  constexpr double kMostTurns = 1024.0;
  return load_.creators > 1 ? std::min(files, std::max(1.0, std::ceil(files / kMostTurns))) : files;
}

// A member asks for its next file when it has the one before: the first does while the others of
// the turn wait for theirs.
Seconds PooledStore::next_turn(const Client& client, double some, double before, Seconds asked,
                               Seconds left) const {
  const Seconds others = busy_with_creates(client, std::max(0.0, client.members - 1.0), before);
  return std::max({context_->now(), context_->now() + left - others,
                   asked + alone(client, true, before) * some});
}

sim::Task<Served> PooledStore::create_in_turns(const Client& client, double files, double turn,
                                               double before, Seconds begins) {
  for (;;) {
    if (begins > context_->now()) co_await context_->sleep_until(begins);
    const double some = files < turn + 1.0 ? files : turn;
    const Seconds asked = context_->now();
    Seconds left;
    const Served served = co_await metadata_ops(client, some, true, before, &left);
    files -= some;
    begins = next_turn(client, some, before, asked, left);
    if (files > kRounding) continue;
    co_await context_->sleep(left);
    co_return served;
  }
}

sim::Task<void> PooledStore::go_on_creating(const Client& client, double files, double turn,
                                            double before, Seconds begins, sim::Signal& all) {
  co_await create_in_turns(client, files, turn, before, begins);
  all.set();
}

sim::Task<Served> PooledStore::metadata_ops(const Client& client, double files, bool create,
                                            double before, Seconds* left) {
  if (create && left == nullptr)
    if (const double turn = in_a_turn(files); turn < files)
      co_return co_await create_in_turns(client, files, turn, before, context_->now());
  const Request& request = create ? create_ : open_;
  if (in_directory(client, create) == Seconds{}) {
    if (before > 0.0) co_await metadata_line(client, before * files, open_);
    co_return co_await metadata_line(client, files, request, left);
  }
  if (files <= kRounding) co_return Served{metadata_resource_};
  const double operations = client.members * files;
  co_await metadata_up_->wait();
  const Seconds held = in_directory(client, create);
  const Seconds asked = context_->now(), least = alone(client, create, before) * files;
  // A station begins when the first leaves the one before; the others come to it in the next
  // `over`, in which they leave that.    [docs/models/storage.md, eq. 3]
  Seconds over, looked = asked;
  const auto until = [&](Seconds date) { return std::max(Seconds{}, date - context_->now()); };
  if (before > 0.0) {
    looked = std::max(admit(operations * before, open_, client.spread),
                      asked + (round_trip() + open_.answer / metadata_factor_) * before);
    // All ask for the first of their requests before any for its second.
    const double together = std::min(client.members, operations);
    const double after_first = std::max(0.0, (operations - together) * before + together - 1.0);
    co_await context_->sleep(until(looked - open_.held * (after_first / metadata_factor_) /
                                                static_cast<double>(line_->servers())));
    over = until(looked);
  }
  sim::ServerQueue& directory = directories_.try_emplace(client.owner, *context_, 1).first->second;
  const Seconds passed =
      std::max(directory.admit(operations, held, over), context_->now() + over + held);
  co_await context_->sleep(
      until(std::max(passed - std::max(over, held * (operations - 1.0)), looked)));
  co_await metadata_up_->wait();
  // Where the directory's server has done it the line is busy for as long, nobody waits for it.
  const Seconds answered = admit(operations, request, std::max(until(passed), client.spread));
  Seconds done = passed + after_directory(request, held);
  if (!metadata_.directory_on_server) done = std::max(done, answered);
  const Seconds end = std::max(done + round_trip() * std::min(files, 1.0), asked + least);
  if (left != nullptr)
    *left = until(end);
  else
    co_await context_->sleep(until(end));
  // What took longer: where they lie, or all else.
  const Seconds there = passed - looked;
  co_return Served{there * 2.0 > end - asked ? directory_resource_ : metadata_resource_};
}

}  // namespace stallcast::models
