#include <algorithm>

#include "models/tenant/tenant.hpp"

/// Experiment tracking (MLflow, W&B, TensorBoard): small files and appends by every rank, now and
/// then an artifact. docs/models/tenants.md.
namespace stallcast::models {
namespace {

using namespace base;

// Writers are spread over their period in at most this many groups: each is one event.
constexpr double kGroups = 1000.0;

struct TrackingParams {
  std::int64_t writers = 1;
  Seconds every;
  Bytes flush;
  double files = 1.0;
  std::optional<Bytes> artifact;
  Seconds artifact_every;
  std::optional<OpRate> database;
  double calls = 1.0;
};

constexpr std::array<Field<TrackingParams>, 8> kTrackingFields{
    field("writers", &TrackingParams::writers, kRequired, "processes that log", up_to(1e7)),
    field("every", &TrackingParams::every, "10 s", "time between two flushes of one writer",
          between("2 s", "2 min", assumed(kPositive),
                  "expert range: chatty loggers 2 s, TensorBoard flushes every 120 s")),
    field("flush", &TrackingParams::flush, "4 KiB", "bytes of one flush: metrics, histograms",
          between("1 KiB", "256 KiB", assumed(kPositive),
                  "expert range: scalars 1 KiB, histograms and media much more")),
    field("files", &TrackingParams::files, "1",
          "files created per flush; 0: appends to an open file", kNonNegative),
    field("artifact", &TrackingParams::artifact, kOptional, "size of one artifact", kPositive),
    field("artifact_every", &TrackingParams::artifact_every, "30 min", "time between two artifacts",
          assumed(kPositive)),
    field("database.rate", &TrackingParams::database, kOptional,
          "calls a second that the database of the tracking server commits, on disks of its own "
          "(MLflow's backend store); absent: there is none",
          kPositive),
    field("database.calls", &TrackingParams::calls, "1",
          "calls of one flush: one for each metric (log_metric), or one in all (log_batch)",
          only_with("database.rate", kPositive))};

class Tracking final : public Tenant {
 public:
  Tracking(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed)
      : Tenant(component, plant, context, seed), p_(bind<kTrackingFields>(component)) {}

 private:
  bool arrives() const override { return true; }
  // n writers flush every t: n / t small writes a second.    [docs/models/tenants.md, eq. 6]
  sim::Task<void> work() override {
    if (p_.artifact) context().spawn(artifacts());
    const double writers = static_cast<double>(p_.writers);
    const double groups = std::min(writers, kGroups);
    while (!over()) {
      context().spawn(write({.bytes = p_.flush, .files = p_.files, .members = writers / groups}));
      co_await context().sleep(p_.every / groups);
    }
  }

  sim::Task<void> artifacts() {
    while (true) {
      co_await context().sleep(p_.artifact_every);
      if (over()) co_return;
      context().spawn(store());
    }
  }

  sim::Task<void> store() {
    const Seconds began = context().now();
    artifacts_.ask(began);
    co_await write({.bytes = *p_.artifact, .files = 1.0, .sampled = false});
    artifacts_.answer(began, context().now());
  }

  // Calls of many writers arrive at random, each takes as long: M/D/1.  [docs/models/tenants.md,
  // eq. 6]
  void remark(const std::string& name, RunResult& out) const override {
    tell_open(artifacts_.open(), "end", out, "artifacts");
    if (!p_.database) return;
    const double rate = p_.database->in(unit::per_s);
    const double asked = static_cast<double>(p_.writers) * p_.calls / p_.every.in(unit::s);
    const double busy = asked / rate;
    out.metrics[name + "database.use"] = {busy, "ratio", {}};
    if (busy < 1.0)
      out.metrics[name + "database.latency"] = {
          (1.0 + busy / (2.0 * (1.0 - busy))) / rate, "s", {}};
    else
      out.warnings.push_back(name.substr(0, name.size() - 1) +
                             ": its writers make more calls than the database of the tracking "
                             "server commits: they wait without end");
  }

  TrackingParams p_;
  Answers artifacts_;
};

}  // namespace

TenantKind tracking_kind() { return {kInfos<kTrackingFields>, make_tenant<Tracking>}; }

}  // namespace stallcast::models
