#include "models/storage/credits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/sim/join.hpp"
#include "models/contract/credits.hpp"
#include "models/storage/throttle.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {
namespace {

using namespace base;

/// Shorter waits are rounding.
constexpr Seconds kAtOnce = Seconds::from(1e-6, unit::s);

/// A storage system behind two buckets, of bytes and of requests: each is refilled at its base.
class CreditedStore final : public StorageModel {
 public:
  CreditedStore(std::string id, const CreditParams& params, std::unique_ptr<StorageModel> inside)
      : id_(std::move(id)), p_(params), inside_(std::move(inside)) {}

  std::optional<Backing> backing() const override { return inside_->backing(); }
  void connect(StorageModel& backing, BackingPaths paths) override {
    inside_->connect(backing, std::move(paths));
  }
  void expect(Bytes written) override { inside_->expect(written); }
  bool varied() const override { return inside_->varied(); }
  void build(graph::Topology& topology, const StorageLoad& load) override {
    inside_->build(topology, load);
  }
  std::optional<OwnReads> own_reads(const std::string& who) const override {
    return inside_->own_reads(who);
  }
  std::optional<OwnWrites> own_writes(const std::string& who) const override {
    return inside_->own_writes(who);
  }
  bool local() const override { return inside_->local(); }
  bool own_of_host() const override { return inside_->own_of_host(); }
  void build_on_host(graph::Topology& topology, const HostSite& site) override {
    inside_->build_on_host(topology, site);
    if (site.used) hosts_ += site.hosts;
  }
  std::optional<std::string> single_copies() const override { return inside_->single_copies(); }
  bool decodes() const override { return inside_->decodes(); }
  graph::NodeId read_source() const override { return inside_->read_source(); }
  graph::NodeId write_sink() const override { return inside_->write_sink(); }
  graph::NodeId egress() const override { return inside_->egress(); }
  graph::NodeId ingress() const override { return inside_->ingress(); }
  ClientLimits client_limits() const override { return inside_->client_limits(); }
  double sent() const override { return inside_->sent(); }
  double stored(Bytes file) const override { return inside_->stored(file); }
  OpenLimit open_limit(double reads) const override { return inside_->open_limit(reads); }
  bool asks_to_open() const override { return inside_->asks_to_open(); }
  bool fills() const override { return inside_->fills(); }

  void attach(sim::Context& context, ResourceTable& resources, Seconds round_trip,
              std::uint64_t seed) override {
    context_ = &context;
    inside_->attach(context, resources, round_trip, seed);
    resource_ = resources.index(metric::of_storage(id_, "credits"));
    // Inside hosts all figures are those of one.
    const double systems = own_of_host() ? hosts_ : 1.0;
    if (p_.base) p_.base = *p_.base * systems;
    if (p_.ops) p_.ops = *p_.ops * systems;
    p_.size = p_.size * systems;
    p_.ops_size *= systems;
    const double start = p_.start.in(unit::ratio);
    constexpr auto kSteady = Throttle::Refill::steady;
    if (p_.base) bytes_ = Throttle(context, p_.base, {}, p_.size / *p_.base, kSteady, start);
    if (p_.ops)
      requests_ =
          Throttle(context, {}, p_.ops,
                   Seconds::from(p_.ops_size / p_.ops->in(unit::per_s), unit::s), kSteady, start);
  }

  sim::Task<Served> open(const Client& client, double files) override {
    return inside_->open(client, files);
  }
  sim::Task<Served> reopen(const Client& client, double files) override {
    return inside_->reopen(client, files);
  }
  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    Served served;
    co_await beside(served, inside_->read(client, request), client, request.bytes, request.files);
    co_return served;
  }
  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    Served served;
    co_await beside(served, inside_->write(client, request), client, request.bytes,
                    request.ranges());
    co_return served;
  }

  void report(Seconds wall, std::vector<ResourceUse>& out) const override {
    inside_->report(wall, out);
    if (!gone_) return;
    const std::vector<Use> all = uses(wall);
    const Use& most = *std::max_element(all.begin(), all.end(), [](const Use& a, const Use& b) {
      return a.rate / a.base < b.rate / b.base;
    });
    ResourceUse use{.name = metric::of_storage(id_, "credits"), .unit = most.unit};
    use.capacity = most.base;
    use.throughput = std::min(most.rate, most.base);  // the rest was paid with credits
    out.push_back(std::move(use));
  }
  void count_requests(RequestCounts& out) const override {
    inside_->count_requests(out);
    if (p_.base) out[bytes_of()] = moved_by_;
    if (p_.ops) out[requests_of()] = served_by_;
  }
  std::vector<CreditLevel> credits() const override {
    std::vector<CreditLevel> out;
    if (p_.base)
      out.push_back({bytes_of(), p_.base->in(unit::Bps), p_.size.in(unit::B), bytes_.left()});
    if (p_.ops)
      out.push_back({requests_of(), p_.ops->in(unit::per_s), p_.ops_size, requests_.left()});
    return out;
  }
  void over(Seconds wall) override {
    inside_->over(wall);
    used_ = uses(std::max(wall, kAtOnce));
  }
  std::vector<std::pair<std::string, double>> queues(Seconds wall) const override {
    return inside_->queues(wall);
  }
  Countable countable() const override { return inside_->countable(); }
  double parts(StoragePart part) const override { return inside_->parts(part); }
  std::string why_whole() const override { return inside_->why_whole(); }
  void scale(StoragePart part, double factor) override { inside_->scale(part, factor); }

  // u / b of what is used most, and t = C / (u - b)    [docs/models/burst-credits.md, eq. 2]
  void remark(RunResult& out) const override {
    inside_->remark(out);
    const std::string name = metric::of_storage(id_, "credits");
    double used = 0.0;
    std::optional<double> lasts;
    for (const Use& use : used_) {
      used = std::max(used, use.rate / use.base);
      if (use.rate > use.base)
        lasts = std::min(lasts.value_or(1e300), use.credits / (use.rate - use.base));
    }
    if (gone_) lasts = gone_->in(unit::s);
    out.metrics[name + ".use"] = {used, "ratio", {}};
    if (lasts) out.metrics[name + ".lasts"] = {*lasts, "s", {}};
    out.limited_by[name] = name;
  }

 private:
  /// What was used of bytes or of requests, and what there is of them, in base units.
  struct Use {
    std::string unit;
    double rate, base, credits;
  };
  [[nodiscard]] std::string bytes_of() const { return metric::of_storage(id_, "credits.bytes"); }
  [[nodiscard]] std::string requests_of() const {
    return metric::of_storage(id_, "credits.requests");
  }
  [[nodiscard]] std::vector<Use> uses(Seconds wall) const {
    const double start = p_.start.in(unit::ratio);
    std::vector<Use> out;
    if (p_.base)
      out.push_back({"B/s", (moved_ / wall).in(unit::Bps), p_.base->in(unit::Bps),
                     p_.size.in(unit::B)*start});
    if (p_.ops)
      out.push_back(
          {"1/s", served_ / wall.in(unit::s), p_.ops->in(unit::per_s), p_.ops_size * start});
    return out;
  }

  /// What moves the bytes, and the credits for them, at one time: the later of both counts.
  ///    [docs/models/burst-credits.md, eq. 1]
  sim::Task<void> beside(Served& served, sim::Task<Served> work, const Client& client, Bytes bytes,
                         double files) {
    const Bytes all = bytes * client.members;
    const double pieces = std::max(files, 1e-9);
    const double each = std::max(1.0, std::ceil(bytes / pieces / p_.request - 1e-9));
    const double requests = pieces * each * client.members;
    moved_ += all;
    served_ += requests;
    if (p_.base) moved_by_.add(client.asker, all.in(unit::B));
    if (p_.ops) served_by_.add(client.asker, requests);
    Seconds paid = context_->now();
    if (bytes_.limits()) paid = std::max(paid, bytes_.admit(all, 0.0));
    if (requests_.limits()) paid = std::max(paid, requests_.admit({}, requests));
    served = co_await std::move(work);
    const Seconds wait = paid - context_->now();
    if (wait <= kAtOnce) co_return;
    if (!gone_) gone_ = context_->now();
    co_await context_->sleep(wait);
    served = Served{resource_};
  }

  std::string id_;
  CreditParams p_;
  std::unique_ptr<StorageModel> inside_;
  sim::Context* context_ = nullptr;
  ResourceIndex resource_ = kNoResource;
  Throttle bytes_, requests_;
  Bytes moved_;
  double served_ = 0.0;
  RequestCount moved_by_, served_by_;  ///< the same, by who asked
  std::vector<Use> used_{};            ///< when the run was over
  double hosts_ = 0.0;                 ///< that it is inside of
  std::optional<Seconds> gone_;        ///< when somebody waited for credits first
};

}  // namespace

std::unique_ptr<StorageModel> with_credits(const Component& component,
                                           std::unique_ptr<StorageModel> inside) {
  if (!has_credits(component)) return inside;
  return std::make_unique<CreditedStore>(component.id, credit_params(component), std::move(inside));
}

}  // namespace stallcast::models
