#include <algorithm>
#include <cmath>

#include "models/tenant/tenant.hpp"

/// New data that arrives at a constant rate, whether or not the storage keeps up.
/// docs/models/tenants.md.
namespace stallcast::models {
namespace {

using namespace base;

// Files that come within this time are written together: fewer events, the same rate.
constexpr Seconds kTick = Seconds::from(20.0, unit::ms);
constexpr double kRounding = 1e-6;  // of a file

struct IngestParams {
  Rate rate;
  Bytes file;
  double streams = 1.0;  ///< files that a host writes at a time
  bool direct = false;
};

constexpr std::array<Field<IngestParams>, 4> kIngestFields{
    field("rate", &IngestParams::rate, kRequired, "bytes that arrive per second", kPositive),
    field("file", &IngestParams::file, "1 GiB", "size of one file", kPositive),
    field("streams", &IngestParams::streams, "16",
          "files that a host writes at a time; more that arrive wait",
          between("4", "128", assumed(kAtLeastOne),
                  "expert range: tools that copy write 4 files at a time to a few for each core")),
    field("direct", &IngestParams::direct, "false", "write with O_DIRECT")};

class Ingest final : public Tenant {
 public:
  Ingest(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed)
      : Tenant(component, plant, context, seed), p_(bind<kIngestFields>(component)) {}

 private:
  bool arrives() const override { return true; }
  // A file is there every file / rate.    [docs/models/tenants.md, eq. 4]
  sim::Task<void> work() override {
    const Seconds gap = p_.file / p_.rate;
    const double together = std::max(1.0, std::ceil(kTick / gap));
    free_ = p_.streams * hosts();
    idle_ = closed_loops(free_, p_.file, 1.0, "streams");
    while (!over()) {
      co_await context().sleep(gap * together);
      const Seconds late = context().now() - common().stop.value_or(Seconds::infinity());
      const double files =
          late > Seconds{} ? std::floor(together - late / gap + kRounding) : together;
      if (files <= 0.0) co_return;
      waiting_ += files;
      queued(files, p_.file);
      begin();
    }
  }

  // As many of those that wait as there are streams for: all together, or, where more wait, part
  // by part, one file of a stream's after the other.    [docs/models/tenants.md, eq. 15]
  void begin() {
    while (waiting_ > kRounding && !idle_.empty()) {
      const bool more = waiting_ > free_;
      std::vector<ClosedLoop> parts;
      double streams = 0.0;
      while (!idle_.empty() && (parts.empty() || (!more && streams < waiting_))) {
        streams += idle_.back().members();
        parts.push_back(std::move(idle_.back()));
        idle_.pop_back();
      }
      const double in_turn = std::floor(waiting_ / free_);  // of each stream
      Operation operation;
      operation.members = std::min(streams, waiting_);
      if (more) {
        operation = operation_of(parts[0]);
        operation.requests = std::clamp(parts[0].next(), 1.0, in_turn);
      }
      free_ -= streams;
      waiting_ -= operation.data_operations();
      context().spawn(write_some(std::move(parts), operation));
    }
  }

  sim::Task<void> write_some(std::vector<ClosedLoop> parts, Operation operation) {
    const Seconds began = context().now();
    queued(-operation.data_operations(), p_.file);
    operation.files = operation.requests;
    operation.bytes = p_.file * operation.files;
    operation.direct = p_.direct;
    co_await write(operation);
    for (ClosedLoop& part : parts) {
      if (operation.seat) part.took(context().now() - began, context().now() - common().start);
      free_ += part.members();
      idle_.push_back(std::move(part));
    }
    begin();
  }

  void remark(const std::string& name, RunResult& out) const override {
    const Bytes behind = p_.rate * active() - moved();
    out.metrics[name + "behind"] = {behind.in(unit::B), "B", {}};
  }

  IngestParams p_;
  double waiting_ = 0.0;          ///< files
  std::vector<ClosedLoop> idle_;  ///< streams that write nothing,
  double free_ = 0.0;             ///< so many
};

}  // namespace

TenantKind ingest_kind() { return {kInfos<kIngestFields>, make_tenant<Ingest>}; }

}  // namespace stallcast::models
