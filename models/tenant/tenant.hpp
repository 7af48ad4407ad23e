#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "engine/base/random.hpp"
#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/outages.hpp"
#include "models/contract/phase_clock.hpp"
#include "models/contract/statistics.hpp"
#include "models/plant/plant.hpp"
#include "models/record/recorder.hpp"
#include "models/tenant/answers.hpp"
#include "models/tenant/closed_loop.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

/// Other traffic on the systems that training uses: inference, ingest, preprocessing, experiment
/// tracking, or a load described by a fio job file. docs/models/tenants.md.
namespace stallcast::models {

/// What every tenant has.
struct TenantParams {
  std::string on, hosts;
  double share = 1.0;           ///< weight of its transfers against those of others
  std::string priority;         ///< class of its transfers: contract/priority.hpp
  std::optional<Bytes> stored;  ///< that it keeps on the storage
  std::optional<Rate> limit;    ///< bytes a second it may move, all its processes together
  std::optional<OpRate> limit_operations;  ///< requests, opens and creates it may begin, likewise
  Seconds start;
  std::optional<Seconds> stop;
};

/// One tenant of a running design. It goes on until its `stop`, or until the run is over: with the
/// jobs, or after its duration where there are none.
class Tenant {
 public:
  Tenant(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed);
  virtual ~Tenant() = default;

  [[nodiscard]] sim::Task<void> run();
  /// From now on `recorder` receives operations, too.
  void record(Recorder& recorder) { recorder_ = &recorder; }
  /// Its requests wait for the end of these outages of `storage`, which outlive it.
  void suffer(const std::string& storage, const Outages& outages) {
    if (storage == common_.on) latencies_.suffer(outages);
  }
  /// Adds "tenant.<id>. ..." metrics: throughput, latency and what the kind adds.
  void report(RunResult& out) const;
  /// Where the time of its requests went, by resource. Empty of those that are never timed.
  [[nodiscard]] const WaitSplit& waited() const { return waited_; }
  /// What of its own limit it used in a run of `wall`: of bytes or of requests, whichever is nearer
  /// to its end; none without a limit.
  [[nodiscard]] std::optional<ResourceUse> limit_use(Seconds wall) const;
  [[nodiscard]] const std::string& host() const { return common_.hosts; }
  /// Whether it ends by itself: then the run goes on until it has.
  [[nodiscard]] virtual bool ends() const { return false; }
  /// Nothing new begins from now on, as at its `stop`; unless it ends by itself.
  void stop_now();
  /// Whether its requests come by themselves: then more may be asked for than is done.
  [[nodiscard]] virtual bool arrives() const { return false; }
  /// Core-seconds that it computed on its hosts.
  [[nodiscard]] virtual Seconds computed() const { return {}; }

 protected:
  /// What the kind does from its start on.
  virtual sim::Task<void> work() = 0;
  /// Whether it did anything so far.
  [[nodiscard]] virtual bool did_any() const { return operations_ > 0.0; }
  virtual void remark(const std::string& name, RunResult& out) const {
    (void)name;
    (void)out;
  }

  /// One operation by `members` processes of host group `group`; its time is a sample of the
  /// latency when `sampled`.
  struct Operation {
    Bytes bytes;            ///< per member
    double files = 0.0;     ///< opened (read) or created (written) per member; 0: already open
    double requests = 1.0;  ///< per member, one after the other
    double members = 1.0;   ///< processes acting together,
    double hosts = 0.0;     ///< on so many hosts; 0: on all of them, as far as they go
    Rate cap = Rate::infinity();
    bool direct = false;
    bool sampled = true;
    bool by_chance = false;   ///< one request, among those that flow
    Tail* queued = nullptr;   ///< gets the law of what it waits for these; none: it is told
    double weight = 1.0;      ///< of each where it shares: it stands for others that wait
    double behind = 1.0;      ///< of the backlog it is behind
    Seconds spread{};         ///< requests begin evenly in so long; 0: together
    double stands_for = 1.0;  ///< requests of the real system that each of these is
    double beside = 0.0;      ///< members of other parts of its closed loop, on the same hosts
    double together = 1.0;    ///< of its members, that wait for each other at each request
    ClosedLoop::Train* train = nullptr;  ///< its members do not wait for each other
    Seconds room{};                      ///< what follows that the first can begin before the last
    std::optional<std::size_t> seat = {};  ///< the one group of hosts that it is of; none: of all

    [[nodiscard]] double in_turn() const { return std::max(requests, 1.0); }
    /// Those that wait, as many as one would say: reads that one waits for together are one wait.
    [[nodiscard]] double waiting() const { return members / together; }
    [[nodiscard]] double data_operations() const { return requests * members * stands_for; }
    [[nodiscard]] double metadata_operations() const { return files * members; }
  };
  [[nodiscard]] sim::Task<void> read(Operation operation);
  [[nodiscard]] sim::Task<void> write(Operation operation);

  [[nodiscard]] bool over() const;
  [[nodiscard]] sim::Context& context() const { return context_; }
  [[nodiscard]] Plant& plant() const { return plant_; }
  [[nodiscard]] const TenantParams& common() const { return common_; }
  [[nodiscard]] double hosts() const;
  [[nodiscard]] base::RandomStream stream(std::string_view purpose) const;
  /// An exponential draw: a gap between Poisson arrivals, the length of a burst.
  [[nodiscard]] static Seconds exponential(Seconds mean, base::RandomStream& random);
  /// What `rate` requests a second, not simulated one by one, ask for in `length`: transfers that
  /// begin when their part of it does and weigh the requests in flight. [docs/models/tenants.md,
  /// eq. 3]
  [[nodiscard]] sim::Task<void> flow(OpRate rate, Seconds length, Operation request);
  /// `in_flight` requests of `bytes` each that are asked for anew as soon as they are answered, a
  /// multiple of `least` in a round. `purpose` names them among those of the tenant.
  /// [docs/models/tenants.md, eq. 15]
  [[nodiscard]] std::vector<ClosedLoop> closed_loops(double in_flight, Bytes bytes, double least,
                                                     std::string_view purpose) const;
  /// An operation of those who go round in `part`.
  [[nodiscard]] static Operation operation_of(ClosedLoop& part) {
    Operation out;
    out.members = part.members();
    out.train = &part.train();
    out.beside = part.beside();
    out.seat = part.seat();
    return out;
  }
  [[nodiscard]] Seconds active() const;
  [[nodiscard]] Bytes moved() const { return read_ + written_; }
  /// `time` of `members` processes was spent on `resource`.
  void wait(Seconds time, double members, ResourceIndex resource) {
    waited_.add(Phase::data, time * members, resource);
  }

  /// The time of one process since then was spent on `resource`.
  void wait_since(Seconds since, ResourceIndex resource) {
    waited_.add(Phase::data, since, context_.now(), resource, plant_.resources());
  }

  /// The same on the cores of its hosts.
  void wait_for_cores(Seconds time, double members) {
    wait(time, members, plant_.resources().index("host." + common_.hosts + ".cpu"));
  }
  /// Of all its hosts.
  [[nodiscard]] double cores() const {
    return static_cast<double>(plant_.host(common_.hosts).cores) * hosts();
  }

  /// Of what one host does: whose turn it is among the groups of hosts.
  [[nodiscard]] std::size_t next_seat();
  /// A client of host group `group`, for kinds that place their processes themselves.
  [[nodiscard]] std::size_t owner() const { return owner_; }
  [[nodiscard]] const Client& client_of(std::size_t group) const { return clients_[group].client; }
  [[nodiscard]] bool limits() const { return limit_ || limit_operations_; }
  /// Waits for its limit; yields when that lets the last bytes through, of a large request later.
  [[nodiscard]] sim::Task<Seconds> admit(const Operation& operation);
  /// "tenant.<id>.<part>": what nobody else waits for.
  [[nodiscard]] ResourceIndex own_resource(std::string_view part) const;
  [[nodiscard]] ResourceIndex own_limit() const { return own_limit_; }
  /// Counts what came from the storage, went to it, and was asked for, without `read` and `write`.
  void count(Bytes read, Bytes written, double operations) {
    read_ += read;
    written_ += written;
    operations_ += operations;
  }
  /// So many `requests` of `each` came and wait for their turn, or begin: those count by
  /// themselves.
  void queued(double requests, Bytes each) {
    unanswered_ += requests;
    open_bytes_ += each * requests;
  }
  /// Says so where `part` of the requests (or others) had no `what` when the run ended, if that is
  /// much; returns whether it is.
  bool tell_open(double part, std::string_view what, RunResult& out,
                 std::string_view of = "requests") const;
  /// Where an operation is shown; nullptr where it is not.
  [[nodiscard]] Lane* lane();

 private:
  /// Who does it: processes of one host, or of each group of hosts.
  [[nodiscard]] std::vector<Client> clients_for(const Operation& operation);
  /// What all of them do at one time; yields what the last of them was limited by.
  template <class Does>
  [[nodiscard]] sim::Task<Served> each(const std::vector<Client>& clients, Does does);
  /// Lets `clients` move no more than what is through its limit at `due`.
  void pace(const Operation& operation, Seconds due, std::vector<Client>& clients) const;
  /// What moved since `since` was held by its limit until `due`; returns the later of both.
  sim::Task<Seconds> held_until(const Operation& operation, Seconds since, Seconds due);
  void begin(const Operation& operation);
  void done(const Operation& operation, Seconds began, const Served& served,
            const Chance& chance = {});
  sim::Task<void> take(Operation request, double requests, double processes);
  [[nodiscard]] double parts_at_once() const;
  [[nodiscard]] double most_parts() const;
  sim::Task<void> drain(Operation request, Seconds idle, double first);
  sim::Task<void> wait_in_backlog(double part);
  /// What the operation did since `since` was limited by `resource`; returns the present.
  Seconds spent(const Operation& operation, Seconds since, ResourceIndex resource);
  /// It moved its data since then.
  void spent(const Operation& operation, Seconds since, Served& served);

  sim::Context& context_;
  Plant& plant_;
  std::string id_;
  TenantParams common_;
  std::size_t owner_;  ///< of the files it creates
  std::uint64_t seed_;
  /// One host group.
  struct Seat {
    Client client;
    double hosts = 1.0;
    /// What one of its hosts reads and sends at most, and what holds it.
    struct OfHost {
      Rate most = Rate::infinity();
      ResourceIndex by = kNoResource;
    } reads, writes;
    double served = 0.0;  ///< operations of one host
  };
  std::vector<Seat> clients_;
  std::optional<sim::TokenBucket> limit_, limit_operations_;
  Bytes read_, written_;
  double operations_ = 0.0, metadata_ = 0.0;
  double unanswered_ = 0.0;  ///< requests so far,
  Bytes open_bytes_;         ///< and what they are to move
  double writing_ = 0.0;     ///< members that write now
  Recorder* recorder_ = nullptr;
  std::int64_t shown_ = 0;  ///< operations so far
  Answers latencies_;
  double backlog_ = 0.0;                       ///< requests of flows that have not begun
  int flowing_ = 0;                            ///< parts of flows under way
  int draining_ = 0;                           ///< parts of the backlog at a time,
  double draining_of_ = 0.0;                   ///< of so many requests,
  double weight_ = 1.0;                        ///< each of which takes the shares of so many
  double begun_ = 0.0;                         ///< requests of flows so far;
  std::multimap<double, sim::Signal*> turns_;  ///< who waits until so many have
  Seconds slot_;                               ///< of a part
  OpRate evenly_;                              ///< of flows that go on
  Seconds answered_in_;  ///< what requests that are timed take, the last ones most
  Seconds least_answer_ =
      Seconds::infinity();  ///< of requests and parts of flows, beyond its spread
  Series opens_;
  WaitSplit waited_;
  ResourceIndex own_limit_ = kNoResource;
};

[[nodiscard]] TenantParams tenant_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> tenant_common_fields();

/// Fields of a kind, and what makes a tenant of it.
struct TenantKind {
  std::span<const base::FieldInfo> fields;
  std::unique_ptr<Tenant> (*make)(const Component&, Plant&, sim::Context&, std::uint64_t seed);
  double (*files_of_host)(const Component&) = nullptr;  ///< as in TenantRow
};

/// A tenant of class `Kind`.
template <class Kind>
std::unique_ptr<Tenant> make_tenant(const Component& component, Plant& plant, sim::Context& context,
                                    std::uint64_t seed) {
  return std::make_unique<Kind>(component, plant, context, seed);
}

/// fio jobs: models/tenant/fio.cpp.
[[nodiscard]] TenantKind fio_kind();
/// Inference servers: models/tenant/inference.cpp.
[[nodiscard]] TenantKind inference_kind();
/// Data arriving from outside: models/tenant/ingest.cpp.
[[nodiscard]] TenantKind ingest_kind();
/// Stages before training: models/tenant/preprocess.cpp.
[[nodiscard]] TenantKind kv_cache_kind();
[[nodiscard]] TenantKind preprocess_kind();
/// The operations of a trace: models/tenant/replay.cpp.
[[nodiscard]] TenantKind replay_kind();
/// Logs, metrics and artifacts of experiments: models/tenant/tracking.cpp.
[[nodiscard]] TenantKind tracking_kind();
[[nodiscard]] TenantKind vector_database_kind();

}  // namespace stallcast::models
