#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/sim/join.hpp"
#include "models/contract/chance.hpp"
#include "models/tenant/tenant.hpp"

/// A vector database whose index lies on the storage: a search reads what the reads before it
/// pointed to. docs/models/inference.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kIndexes[] = {"graph", "lists"};

struct VectorDatabaseParams {
  std::string index;
  std::optional<OpRate> rate;
  std::int64_t clients = 1, hops = 1, beam = 1, lists = 1;
  Bytes node, list;
  Fraction cached;
  Seconds compute;
  OpRate sampled;
  bool direct = true;
};

constexpr std::array<Field<VectorDatabaseParams>, 12> kVectorDatabaseFields{
    field("index", &VectorDatabaseParams::index, "graph",
          "graph: neighbours on disk, hop by hop (DiskANN); lists: clusters read at once (IVF)",
          one_of(kIndexes)),
    field("rate", &VectorDatabaseParams::rate, kOptional,
          "queries that arrive a second, whatever the database does; absent: \"clients\" that each "
          "ask "
          "when they have their answer",
          kPositive),
    field("clients", &VectorDatabaseParams::clients, "16",
          "without a rate: threads on each host that ask one query after another", up_to(1e6)),
    field("hops", &VectorDatabaseParams::hops, "25",
          "graph: reads of a query that wait for the one before",
          between("10", "60", assumed(up_to(1e5)),
                  "a search list of 100 and beams of 4 end after some 25")),
    field("beam", &VectorDatabaseParams::beam, "4", "graph: nodes read at a time in each hop",
          between("1", "16", assumed(up_to(4096)), "DiskANN's beam width: 2 to 8")),
    field("node", &VectorDatabaseParams::node, "4 KiB",
          "graph: bytes of one node: its vector and its neighbours, in whole sectors",
          between("4 KiB", "8 KiB", assumed(kPositive), "a sector, or two for 1,024 floats")),
    field("lists", &VectorDatabaseParams::lists, "32",
          "lists: clusters that a query reads (nprobe)",
          between("8", "128", assumed(up_to(1e6)), "expert range")),
    field("list", &VectorDatabaseParams::list, "256 KiB", "lists: bytes of one cluster",
          between("32 KiB", "4 MiB", assumed(kPositive), "expert range")),
    field("cached", &VectorDatabaseParams::cached, "10 %", "reads answered from memory",
          between("0 %", "50 %", assumed(kShare), "entry points and hot nodes")),
    field("compute", &VectorDatabaseParams::compute, "1 ms",
          "core time of a query: distances, the candidate list, the answer",
          between("0.3 ms", "5 ms", assumed(kNonNegative), "expert range")),
    field("sampled", &VectorDatabaseParams::sampled, "20 ops/s",
          "of a rate: queries simulated one by one, for latencies; the others flow together",
          kPositive),
    field("direct", &VectorDatabaseParams::direct, "true", "read with O_DIRECT")};

/// Cores that queries wait for, first come, first served. [docs/models/inference.md, eq. 8]
class CoreLine {
 public:
  /// `busy` of the `cores` at one time, by queries of `compute` each that come at random.
  CoreLine(double cores, double busy, Seconds compute)
      : law_(line_wait(cores, busy, compute)), behind_(std::max(0.0, busy / cores - 1.0)) {}

  /// What one waits that comes `since` the first: where all are busy, and all that is behind by
  /// then.
  [[nodiscard]] Seconds wait(Seconds since, base::RandomStream& random) const {
    const Seconds behind = since * behind_;
    if (law_.mean <= Seconds{} || random.uniform() >= law_.chance) return behind;
    return behind - law_.mean / law_.chance * std::log(1.0 - random.uniform());
  }

 private:
  Tail law_;
  double behind_;  ///< s of work a second beyond the cores
};

/// More reads of a hop than these are missed in equal parts.
constexpr double kDrawn = 64.0;

/// How long others flow before the flow is made anew.
constexpr Seconds kFlow = Seconds::from(1.0, unit::s);

class VectorDatabase final : public Tenant {
 public:
  VectorDatabase(const Component& component, Plant& plant, sim::Context& context,
                 std::uint64_t seed)
      : Tenant(component, plant, context, seed),
        p_(bind<kVectorDatabaseFields>(component)),
        misses_(stream("misses")) {
    const bool graph = p_.index == "graph";
    hops_ = graph ? static_cast<double>(p_.hops) : 1.0;
    asked_ = static_cast<double>(graph ? p_.beam : p_.lists);
    const double cached = p_.cached.in(unit::ratio);
    at_once_ = asked_ * (1.0 - cached);
    reading_ = 1.0 - std::pow(cached, asked_);
    bytes_ = graph ? p_.node : p_.list;
  }

 private:
  bool arrives() const override { return p_.rate.has_value(); }
  sim::Task<void> work() override {
    began_ = context().now();
    return p_.rate ? arriving() : asking();
  }

  // Closed loop of clients: L / (hops r + compute).    [docs/models/inference.md, eq. 6]
  sim::Task<void> asking() {
    const double clients = static_cast<double>(p_.clients) * hosts();
    std::vector<sim::Task<void>> parts;
    for (ClosedLoop& part : closed_loops(clients, bytes_, hops_, "clients"))
      parts.push_back(loop(std::move(part)));
    co_await sim::join(context(), std::move(parts));
  }

  sim::Task<void> loop(ClosedLoop part) {
    const double clients = static_cast<double>(p_.clients) * hosts();
    const Seconds compute = p_.compute * std::max(1.0, clients / cores());
    const Seconds first = context().now();
    while (!over()) {
      const Seconds asked = context().now();
      const double hops = part.next();
      co_await search(operation_of(part), hops, compute);
      part.took(context().now() - asked, context().now() - first);
    }
  }

  sim::Task<void> arriving() {
    const OpRate alone = std::min(*p_.rate, p_.sampled);
    others_ = *p_.rate - alone;
    if (others_ > OpRate{}) context().spawn(others());
    base::RandomStream random = stream("queries"), waits = stream("cores");
    const Seconds mean = Ops::from(1.0, unit::ops) / alone;
    const CoreLine line(cores(), (*p_.rate * p_.compute).in(unit::ops), p_.compute);
    while (true) {
      co_await context().sleep(exponential(mean, random));
      if (over()) co_return;
      context().spawn(ask(line.wait(context().now() - began_, waits)));
    }
  }

  /// A query that waits `so_long` for a core.
  sim::Task<void> ask(Seconds so_long) {
    const Seconds asked = context().now();
    times_.ask(asked, 1.0);
    if (so_long > Seconds{}) {
      co_await context().sleep(so_long);
      wait_for_cores(so_long, 1.0);
    }
    if (over()) co_return;
    Tail queued;
    Operation who;
    who.by_chance = true;
    who.queued = &queued;
    who.behind = behind();
    co_await hop_by_hop(who, hops_, 1.0, p_.compute);
    times_.answer(asked, context().now(), 1.0, queued);
  }

  /// Queries of the members of `who`, one after the other: `hops` in all, which flow together.
  sim::Task<void> search(Operation who, double hops, Seconds compute) {
    const double queries = hops / hops_;
    const Seconds asked = context().now();
    times_.ask(asked, queries);
    co_await hop_by_hop(who, hops, hops, compute);
    times_.answer(asked, context().now(), queries);
  }

  /// Of `hops`, those that read, and what each of them reads: of one hop alone as it falls out.
  [[nodiscard]] std::pair<double, double> missed(double hops, double clients) {
    if (hops == 1.0 && clients == 1.0 && asked_ <= kDrawn) {
      double reads = 0.0;
      for (double i = 0.0; i < asked_; i += 1.0)
        if (misses_.uniform() * asked_ < at_once_) reads += 1.0;
      return {reads > 0.0 ? 1.0 : 0.0, reads};
    }
    if (reading_ <= 0.0) return {};
    return {std::floor(hops * reading_ + misses_.uniform()), at_once_ / reading_};
  }

  /// `hops` of the members of `who`, `together` at a time. Where all that a hop asks for is cached
  /// it reads nothing.    [docs/models/inference.md, eq. 6]
  sim::Task<void> hop_by_hop(Operation who, double hops, double together, Seconds compute) {
    const double queries = hops / hops_, clients = who.members;
    const Seconds part = compute / hops_ * together;
    const double beside = who.beside;
    who.hosts = clients + who.beside;
    who.direct = p_.direct;
    who.room = part;
    for (double hop = 0.0; hop < hops; hop += together) {
      const auto [reading, at_once] = missed(together, clients);
      who.bytes = bytes_ * reading;
      who.requests = reading;
      who.members = clients * at_once;
      who.beside = beside * at_once;
      who.together = at_once;
      if (reading > 0.0) co_await read(who);
      const Seconds begun = who.train ? std::exchange(who.train->ahead, Seconds{}) : Seconds{};
      co_await context().sleep(part - begun);
      wait_for_cores(part, clients);
    }
    computed_ += p_.compute * (clients * queries);
    queries_ += clients * queries;
  }

  /// The reads of queries that are not simulated one by one, as a flow that weighs what is in
  /// flight.
  sim::Task<void> others() {
    const double reads = hops_ * at_once_;
    if (reads <= 0.0) co_return;
    while (!over()) {
      context().spawn(
          flow(others_ * reads, kFlow, {.bytes = bytes_, .direct = p_.direct, .behind = behind()}));
      co_await context().sleep(kFlow);
    }
  }

  /// Of all reads that are behind, for how many each hop waits.    [docs/models/inference.md, eq.
  /// 6]
  [[nodiscard]] double behind() const { return std::min(1.0, 2.0 / hops_); }

  /// How many those are, so far.
  [[nodiscard]] double flowed() const {
    return (others_ * std::max(Seconds{}, active())).in(unit::ops);
  }

  [[nodiscard]] bool did_any() const override { return queries_ + flowed() > 0.0; }
  [[nodiscard]] Seconds computed() const override { return computed_ + p_.compute * flowed(); }

  void remark(const std::string& name, RunResult& out) const override {
    const bool behind = tell_open(times_.open(), "result", out);
    times_.report(name + "query", context().now(), out);
    const Seconds time = active();
    out.metrics[name + "queries"] = {
        (behind ? answered(time) : queries_ + flowed()) / time.in(unit::s), "1/s", {}};
  }

  /// Queries of which all was read and computed, where more were asked.
  [[nodiscard]] double answered(Seconds time) const {
    const Bytes each = bytes_ * (hops_ * at_once_);
    const double read = each > Bytes{} ? moved() / each : INFINITY;
    const double computed = p_.compute > Seconds{} ? time * cores() / p_.compute : INFINITY;
    return std::min({queries_ + flowed(), read, computed});
  }

  VectorDatabaseParams p_;
  double hops_ = 1.0, queries_ = 0.0;
  double asked_ = 1.0, at_once_ = 1.0;  ///< of a hop: reads, and those that are not cached
  double reading_ = 1.0;                ///< hops that read anything, of all
  base::RandomStream misses_;
  Bytes bytes_;
  Seconds began_, computed_;
  OpRate others_;  ///< queries that are not simulated one by one
  Answers times_;
};

}  // namespace

TenantKind vector_database_kind() {
  return {kInfos<kVectorDatabaseFields>, make_tenant<VectorDatabase>};
}

}  // namespace stallcast::models
