#include <algorithm>
#include <cmath>

#include "engine/sim/join.hpp"
#include "models/tenant/tenant.hpp"

/// Load as a fio job describes it on each host: numjobs processes with iodepth requests each,
/// closed loop unless a rate is given. docs/models/tenants.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr double kSoon = 1e-6;  // of a request's time at its rate: rounding
constexpr std::string_view kPatterns[] = {"read", "write", "rw", "randread", "randwrite", "randrw"};

struct FioParams {
  std::optional<std::string> job_file, section;
  std::string pattern;
  Bytes block;
  std::int64_t jobs = 1, depth = 1;
  Fraction reads;
  bool direct = false;
  std::optional<Rate> rate;
  std::optional<OpRate> rate_iops;
};

constexpr std::array<Field<FioParams>, 10> kFioFields{
    field("job_file", &FioParams::job_file, kOptional,
          "fio job file whose options come first, relative to the file that names it"),
    field("section", &FioParams::section, kOptional,
          "job of that file; needed when it has several"),
    field("rw", &FioParams::pattern, "randread", "access pattern, as fio names it",
          one_of(kPatterns)),
    field("bs", &FioParams::block, "4 KiB", "block size", cited(kPositive, "fio's default")),
    field("numjobs", &FioParams::jobs, "1", "processes on each host",
          cited(up_to(1e6), "fio's default")),
    field("iodepth", &FioParams::depth, "1", "requests in flight per process",
          cited(up_to(1e6), "fio's default")),
    field("rwmixread", &FioParams::reads, "50 %", "reads among the requests of rw and randrw",
          cited(kShare, "fio's default")),
    field("direct", &FioParams::direct, "false", "O_DIRECT"),
    field("rate", &FioParams::rate, kOptional,
          "bytes a second of one process at most; reads and writes of a mix have it each",
          kPositive),
    field("rate_iops", &FioParams::rate_iops, kOptional,
          "requests a second of one process at most, likewise", kPositive)};

class Fio final : public Tenant {
 public:
  Fio(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed)
      : Tenant(component, plant, context, seed), p_(bind<kFioFields>(component)) {}

 private:
  // hosts x numjobs x iodepth requests in flight. Of a mix each slot reads and writes in turn, half
  // of them reads first; they begin spread over their round, so that as many as there are reads are
  // reading at any time.    [docs/models/tenants.md, eq. 7]
  sim::Task<void> work() override {
    const double mixed = p_.reads.in(unit::ratio);
    const double reads = p_.pattern.ends_with("rw") ? mixed : p_.pattern.ends_with("read") ? 1 : 0;
    const double in_flight = hosts() * static_cast<double>(p_.jobs * p_.depth);
    const double rarer = std::min(reads, 1.0 - reads);
    const double least = rarer > 0.0 ? 1.0 / rarer : 1.0;  // one of each
    const double readers = std::round(in_flight * (rarer > 0.0 ? 0.5 : reads));
    std::vector<sim::Task<void>> parts;
    for (const bool reading : {true, false}) {
      const double first = reading ? readers : in_flight - readers;
      if (first <= 0.0) continue;
      std::vector<ClosedLoop> loops =
          closed_loops(first, p_.block, least, reading ? "reads" : "writes");
      for (std::size_t i = 0; i < loops.size(); ++i)
        parts.push_back(loop(std::move(loops[i]), reading, reads,
                             static_cast<double>(i) / static_cast<double>(loops.size())));
    }
    co_await sim::join(context(), std::move(parts));
  }

  // Each request takes round trip + service + block / share; paced when a rate is given, which
  // reads and writes of a mix have each: where one of them is ahead of it, only the other goes on.
  // [docs/models/tenants.md, eq. 7]
  sim::Task<void> loop(ClosedLoop part, bool reads_first, double reads, double from) {
    Seconds pace;  // of one request
    const double depth = static_cast<double>(p_.depth);
    if (p_.rate) pace = p_.block * depth / *p_.rate;
    if (p_.rate_iops) pace = std::max(pace, Ops::from(depth, unit::ops) / *p_.rate_iops);
    const Seconds first = context().now();
    const double mixed = reads_first ? reads : 1.0 - reads;  // first ones of a round
    Seconds due = first, other_due = mixed < 1.0 ? first : Seconds::infinity();
    while (!over()) {
      const Seconds began = context().now();
      const auto ahead = [&](Seconds date) { return date - began > pace * kSoon; };
      const double head = ahead(due) ? 0.0 : ahead(other_due) ? 1.0 : mixed;
      const double requests = part.next();
      const double firsts = requests * std::max(head - from, 0.0);
      const double others = requests * (1.0 - std::max(head, from));
      due += pace * firsts;
      other_due += pace * others;
      co_await some(reads_first, firsts, part);
      co_await some(!reads_first, others, part);
      co_await context().sleep(std::max(Seconds{}, std::min(due, other_due) - context().now()));
      part.took(std::max(context().now() - began, pace * requests), context().now() - first);
      from = 0.0;  // the rounds after the first are whole
    }
  }

  sim::Task<void> some(bool reading, double requests, ClosedLoop& part) {
    if (requests <= 0.0) co_return;
    Operation operation = operation_of(part);
    operation.bytes = p_.block * requests;
    operation.requests = requests;
    operation.direct = p_.direct;
    if (reading)
      co_await read(operation);
    else
      co_await write(operation);
  }

  FioParams p_;
};

}  // namespace

// Each process has one, as fio lays them out.
TenantKind fio_kind() {
  return {kInfos<kFioFields>, make_tenant<Fio>, [](const Component& component) {
            return static_cast<double>(bind<kFioFields>(component).jobs);
          }};
}

}  // namespace stallcast::models
