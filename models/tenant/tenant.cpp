#include "models/tenant/tenant.hpp"

#include <algorithm>
#include <cmath>

#include "engine/sim/join.hpp"
#include "models/contract/operations.hpp"
#include "models/contract/priority.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::array<Field<TenantParams>, 9> kCommon{
    field("on", &TenantParams::on, kRequired, "id of the storage system it uses"),
    field("hosts", &TenantParams::hosts, kRequired, "id of the host class it runs on"),
    field("share", &TenantParams::share, "1",
          "weight of its transfers when they share a resource: 0.5 gets half of an equal share",
          kPositive),
    field("priority", &TenantParams::priority, "normal",
          "class where a resource is shared: a higher one is served before a lower, \"share\" "
          "divides within one (NRS policies of Lustre, weights of NVMe queues, QoS classes)",
          one_of(kPriorities)),
    field("limit", &TenantParams::limit, kOptional,
          "bytes a second it may move (a token bucket, as Lustre's NRS-TBF)", kPositive),
    field("limit_operations", &TenantParams::limit_operations, kOptional,
          "requests, opens and creates a second it may begin, all its processes together",
          kPositive),
    field("stored", &TenantParams::stored, kOptional,
          "what it keeps on that storage system, for docs/models/capacity.md", kNonNegative),
    field("start", &TenantParams::start, "0 s", "when it begins", kNonNegative),
    field("stop", &TenantParams::stop, kOptional, "when it ends; absent: with the run", kPositive)};

// Bytes a token bucket lets through at once, in seconds of its rate.    [tenants.md, eq. 2]
constexpr double kBucketSeconds = 1.0;
// Requests of a closed loop that follow each other are simulated together, up to so many bytes.
// [tenants.md, eq. 15]
constexpr Bytes kTogether = Bytes::from(8.0, unit::MiB);
// Weight of the last answer in what is taken as the time of one.
constexpr double kLast = 0.2;
// Operations shown at a time, and in all: others move as much, and would hide the jobs.
constexpr std::size_t kLanes = 8;
constexpr std::int64_t kMostShown = 20000;

}  // namespace

TenantParams tenant_params(const Component& component) { return bind<kCommon>(component); }
std::span<const FieldInfo> tenant_common_fields() { return kInfos<kCommon>; }

Tenant::Tenant(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed)
    : context_(context),
      plant_(plant),
      id_(component.id),
      common_(tenant_params(component)),
      owner_(plant.another_owner()),
      seed_(seed) {
  const std::vector<HostGroup>& groups = plant.groups(common_.hosts);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Client client = plant.client(common_.hosts, g, common_.on, 1.0);
    client.share = weight_in_class(common_.share, common_.priority);
    client.owner = owner_;
    plant.hold_to_files(client, metric::of_tenant(id_), common_.on);
    const auto of_host = [&](bool reading) -> Seat::OfHost {
      const Plant::Narrowest least = plant.of_one_host(common_.hosts, g, common_.on, reading);
      if (least.resource.empty()) return {};
      return {least.rate, plant.resources().index(least.resource)};
    };
    clients_.push_back({std::move(client), groups[g].hosts, of_host(true), of_host(false)});
  }
  if (common_.limit) {
    const double rate = common_.limit->in(unit::Bps);  // a token is a byte
    limit_.emplace(context, OpRate::from(rate, unit::per_s),
                   Ops::from(rate * kBucketSeconds, unit::ops));
  }
  if (common_.limit_operations)
    limit_operations_.emplace(context, *common_.limit_operations,
                              *common_.limit_operations * Seconds::from(kBucketSeconds, unit::s));
  if (limit_ || limit_operations_) own_limit_ = own_resource("limit");
}

ResourceIndex Tenant::own_resource(std::string_view part) const {
  return plant_.resources().index(metric::of_tenant(id_, part));
}

sim::Task<void> Tenant::run() {
  co_await context_.sleep(common_.start);
  co_await work();
}

bool Tenant::over() const { return common_.stop && context_.now() >= *common_.stop; }

void Tenant::stop_now() {
  if (!ends() && !over()) common_.stop = context_.now();
}

double Tenant::hosts() const { return static_cast<double>(plant_.host(common_.hosts).count); }

base::RandomStream Tenant::stream(std::string_view purpose) const {
  return base::RandomStream(seed_, "tenant." + id_, purpose);
}

Seconds Tenant::exponential(Seconds mean, base::RandomStream& random) {
  return mean * -std::log(1.0 - random.uniform());
}

std::vector<ClosedLoop> Tenant::closed_loops(double in_flight, Bytes bytes, double least,
                                             std::string_view purpose) const {
  double most = std::max(least, std::floor(kTogether / bytes));
  if (common_.limit_operations)  // no more together than its bucket holds
    most =
        std::clamp(std::floor(common_.limit_operations->in(unit::per_s) / in_flight), least, most);
  std::vector<ClosedLoop> loops;
  for (std::size_t seat = 0; seat < clients_.size(); ++seat) {
    const double share = clients_[seat].hosts / hosts();
    const ClosedLoop::Group group{seat, in_flight * share};
    const auto mean = std::make_shared<double>(least);
    for (const double members : loop_members(group.in_flight, share))
      loops.emplace_back(members, group, least, mean, most,
                         base::RandomStream(seed_, "tenant." + id_, purpose, loops.size()));
  }
  return loops;
}

Seconds Tenant::active() const {
  return std::min(context_.now(), common_.stop.value_or(Seconds::infinity())) - common_.start;
}

template <class Does>
sim::Task<Served> Tenant::each(const std::vector<Client>& clients, Does does) {
  if (clients.size() == 1) co_return co_await does(clients.front());
  Served last;
  std::vector<sim::Task<void>> parts;
  const auto part = [](sim::Task<Served> task, Served& served) -> sim::Task<void> {
    served = co_await task;
  };
  for (const Client& client : clients) parts.push_back(part(does(client), last));
  co_await sim::join(context_, std::move(parts));
  co_return last;
}

// Of a request that is no single call the first bytes wait, and those behind them flow as the
// bucket fills.    [docs/models/tenants.md, eq. 2]
sim::Task<Seconds> Tenant::admit(const Operation& operation) {
  Seconds due = context_.now();
  if (limit_) {
    const Bytes bytes = operation.bytes * operation.members;
    const Seconds fills =
        Bytes::from(limit_->promise(Ops::from(bytes.in(unit::B), unit::ops)).in(unit::ops),
                    unit::B) /
        *common_.limit;
    due += fills;
    Seconds flows;
    if (operation.bytes / operation.in_turn() > kLargestRequest)
      flows = (operation.bytes - kLargestRequest) * operation.members / *common_.limit;
    co_await context_.sleep(std::max(Seconds{}, fills - flows));
  }
  if (limit_operations_)
    co_await limit_operations_->take(
        Ops::from(operation.data_operations() + operation.metadata_operations(), unit::ops));
  co_return due;
}

void Tenant::pace(const Operation& operation, Seconds due, std::vector<Client>& clients) const {
  if (due <= context_.now()) return;
  const Rate rate = operation.bytes / (due - context_.now());
  for (Client& client : clients) {
    if (rate < client.host_read) client.host_read = rate, client.reads_held_to = own_limit_;
    if (rate < client.host_write) client.host_write = rate, client.held_to = own_limit_;
  }
}

sim::Task<Seconds> Tenant::held_until(const Operation& operation, Seconds since, Seconds due) {
  if (due <= since) co_return since;
  co_await context_.sleep(std::max(Seconds{}, due - context_.now()));
  if (operation.sampled) wait(due - since, operation.waiting(), own_limit_);
  co_return due;
}

void Tenant::spent(const Operation& operation, Seconds since, Served& served) {
  const Seconds begun = operation.train == nullptr ? Seconds{} : operation.train->ahead;
  served.ahead = std::clamp(operation.room - begun, Seconds{}, served.ahead);
  spent(operation, std::min(since + served.ahead, context_.now()),
        served.most_of(context_.now() - since));
  if (operation.train == nullptr) return;
  operation.train->moved += served.moved;
  operation.train->gone += served.gone + served.ahead;
  operation.train->ahead += served.ahead;
}

Seconds Tenant::spent(const Operation& operation, Seconds since, ResourceIndex resource) {
  const Seconds now = context_.now();
  if (operation.sampled)
    waited_.add(Phase::data, since, now, resource, plant_.resources(), operation.waiting());
  return now;
}

Lane* Tenant::lane() {
  if (recorder_ == nullptr || !recorder_->recording() || shown_ >= kMostShown) return nullptr;
  Lane* lane = recorder_->free_lane("tenant", id_, "operations", kLanes);
  if (lane != nullptr) ++shown_;
  return lane;
}

void Tenant::begin(const Operation& operation) {
  unanswered_ += operation.data_operations();
  open_bytes_ += operation.bytes * operation.members;
  if (operation.sampled) latencies_.ask(context_.now(), operation.in_turn());
}

void Tenant::done(const Operation& operation, Seconds began, const Served& served,
                  const Chance& chance) {
  unanswered_ -= operation.data_operations();
  open_bytes_ -= operation.bytes * operation.members;
  operations_ += operation.data_operations();
  metadata_ += operation.metadata_operations();
  if (!operation.sampled) return;
  const Tail& tail = chance.queued.mean > served.tail.mean ? chance.queued : served.tail;
  latencies_.answer(began, context_.now() - served.ahead, operation.in_turn(), tail);
  const Seconds one = (context_.now() - served.ahead - began) / operation.in_turn();
  answered_in_ += (one - answered_in_) * (answered_in_ > Seconds{} ? kLast : 1.0);
  if (draining_ == 0) least_answer_ = std::min(least_answer_, one);
}

sim::Task<void> Tenant::read(Operation operation) {
  const Seconds began = context_.now();
  begin(operation);
  Lane* shown = lane();
  open(shown, "read");
  open(shown, "wait for its limit");
  const Seconds due = co_await admit(operation);
  close(shown);
  Seconds since = spent(operation, began, own_limit_);
  if (operation.sampled) co_await wait_in_backlog(operation.behind);
  std::vector<Client> clients = clients_for(operation);
  Chance chance{.others = std::max(OpRate{}, evenly_)};
  if (operation.by_chance && evenly_ > OpRate{} && clients.size() == 1) {
    // Who waits for its turn in a backlog waits as all do, not by chance.
    if (draining_ == 0 && flowing_ <= parts_at_once())
      clients.front().chance = &chance;
    else
      clients.front().share *= (draining_ > 0 ? weight_ : 1.0) / operation.behind;
  }
  StorageModel& storage = plant_.storage(common_.on);
  if (operation.files > 0.0) {
    open(shown, "open");
    const Served opened = co_await each(
        clients, [&](const Client& client) { return storage.open(client, operation.files); });
    close(shown, opened.limited_by);
    if (operation.sampled) add_spread(context_.now() - since, 1.0, chance.queued, opens_);
    since = spent(operation, since, opened.limited_by);
  }
  const ReadRequest request{
      .bytes = operation.bytes,
      .files = operation.requests,
      .round_trips = 1.0,
      .direct = operation.direct,
      .as_asked = operation.direct,
      .together = operation.together,
      .opened = operation.files,
      .larger_file = operation.files > 0.0 ? operation.bytes / operation.files : Bytes::infinity()};
  pace(operation, due, clients);
  Served served =
      co_await each(clients, [&](const Client& client) { return storage.read(client, request); });
  if (draining_ > 0) chance.queued = {};  // what it waited for became a backlog
  since = co_await held_until(operation, since, due);
  close(shown, served.limited_by);
  spent(operation, since, served);
  read_ += operation.bytes * operation.members;
  if (operation.queued != nullptr) operation.queued->mean += chance.queued.mean;
  done(operation, began, served, chance);
}

sim::Task<void> Tenant::write(Operation operation) {
  const Seconds began = context_.now();
  begin(operation);
  Lane* shown = lane();
  open(shown, "write");
  open(shown, "wait for its limit");
  const Seconds due = co_await admit(operation);
  close(shown);
  Seconds since = spent(operation, began, own_limit_);
  StorageModel& storage = plant_.storage(common_.on);
  writing_ += operation.members;
  const WriteRequest request{.bytes = operation.bytes,
                             .files = operation.files,
                             .requests = operation.files > 0.0 ? 0.0 : operation.requests,
                             .writers = writing_,
                             .apart = true,
                             .direct = operation.direct};
  std::vector<Client> clients = clients_for(operation);
  pace(operation, due, clients);
  Served served =
      co_await each(clients, [&](const Client& client) { return storage.write(client, request); });
  since = co_await held_until(operation, since, due);
  close(shown, served.limited_by);
  spent(operation, since, served);
  writing_ -= operation.members;
  written_ += operation.bytes * operation.members;
  done(operation, began, served);
}

}  // namespace stallcast::models
