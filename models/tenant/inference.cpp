#include <algorithm>

#include "models/tenant/tenant.hpp"

/// Inference servers: small reads that arrive on their own (key-value cache blocks, retrieval
/// index), and model weights loaded by replicas that start. docs/models/tenants.md.
namespace stallcast::models {
namespace {

using namespace base;

struct InferenceParams {
  OpRate rate;
  Bytes request;
  double files = 0.0;
  Fraction hit;
  double burst = 1.0;
  Fraction burst_share;
  Seconds burst_time;
  OpRate sampled;
  bool direct = false;
  std::optional<Bytes> weights;
  Seconds scale_every;
  std::int64_t replicas = 1, readers = 1;
};

constexpr std::array<Field<InferenceParams>, 13> kInferenceFields{
    field("rate", &InferenceParams::rate, kRequired, "read requests a second, on average",
          kPositive),
    field("request", &InferenceParams::request, "1 MiB",
          "bytes of one request: 0.1-4 MiB of a key-value cache, 4-64 KiB of a retrieval index",
          between("64 KiB", "4 MiB", assumed(kPositive),
                  "as described: 0.1-4 MiB of a key-value cache, less of an index")),
    field("files", &InferenceParams::files, "0", "files opened per request; 0: they are open",
          kNonNegative),
    field("hit", &InferenceParams::hit, "0 %", "requests answered from the servers' own memory",
          kShare),
    field("burst", &InferenceParams::burst, "5", "rate in a burst over the mean rate; 1: no bursts",
          between("2", "7", assumed(kAtLeastOne),
                  "expert range: the load of users varies by 2 to 7 within minutes")),
    field("burst_share", &InferenceParams::burst_share, "10 %", "share of time that is burst",
          assumed(kShare)),
    field("burst_time", &InferenceParams::burst_time, "1 s", "mean length of a burst",
          between("0.2 s", "10 s", assumed(kPositive),
                  "expert range: a few requests together, to a rush of users")),
    field("sampled", &InferenceParams::sampled, "20 ops/s",
          "requests simulated one by one, for latencies; the others flow together", kPositive),
    field("direct", &InferenceParams::direct, "false", "read with O_DIRECT"),
    field("weights", &InferenceParams::weights, kOptional,
          "bytes of the model's weights a starting replica loads: 2 per parameter in bf16",
          kPositive),
    field("scale_every", &InferenceParams::scale_every, "10 min",
          "mean time between two starts of replicas",
          between("2 min", "1 h", assumed(kPositive),
                  "expert range: autoscalers act in minutes, steady services in hours")),
    field("replicas", &InferenceParams::replicas, "1", "replicas that start together", up_to(1e6)),
    field("readers", &InferenceParams::readers, "8",
          "processes of one replica that each load a part of the weights (its tensor ranks)",
          assumed(up_to(65536)))};

class Inference final : public Tenant {
 public:
  Inference(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed)
      : Tenant(component, plant, context, seed), p_(bind<kInferenceFields>(component)) {}

 private:
  bool arrives() const override { return true; }
  // A two-state Markov-modulated Poisson process of mean rate l: b l during a share f of the time,
  // (1 - f b) / (1 - f) l in the rest.    [docs/models/tenants.md, eq. 1]
  sim::Task<void> work() override {
    if (p_.weights) context().spawn(scale());
    base::RandomStream random = stream("arrivals");
    const double missed = 1.0 - p_.hit.in(unit::ratio);
    const OpRate mean = p_.rate * missed;
    if (mean <= OpRate{}) co_return;
    const double burst_share = p_.burst > 1.0 ? p_.burst_share.in(unit::ratio) : 0.0;
    const double calm = (1.0 - burst_share * p_.burst) / (1.0 - burst_share);
    bool bursting = false;
    while (!over()) {
      const Seconds length =
          burst_share <= 0.0 ? p_.burst_time
          : bursting         ? exponential(p_.burst_time, random)
                     : exponential(p_.burst_time * ((1.0 - burst_share) / burst_share), random);
      const OpRate rate = mean * (bursting ? p_.burst : calm);
      if (rate > OpRate{})
        co_await period(rate, length, random);
      else
        co_await context().sleep(length);
      bursting = !bursting && burst_share > 0.0;
    }
  }

  // Of l requests a second, `sampled` are simulated one by one; the rest are one flow of rate
  // (l - sampled) s that weighs as many requests as are in flight (Little).  [tenants.md, eq. 3]
  sim::Task<void> period(OpRate rate, Seconds length, base::RandomStream& random) {
    const OpRate alone = std::min(rate, p_.sampled);
    if (rate > alone)
      context().spawn(flow(rate - alone, length,
                           {.bytes = p_.request, .files = p_.files, .direct = p_.direct}));
    const Seconds end = context().now() + length;
    while (true) {
      const Seconds gap = exponential(Ops::from(1.0, unit::ops) / alone, random);
      if (context().now() + gap >= end) break;
      co_await context().sleep(gap);
      if (over()) co_return;
      context().spawn(
          read({.bytes = p_.request, .files = p_.files, .direct = p_.direct, .by_chance = true}));
    }
    co_await context().sleep(end - context().now());
  }

  sim::Task<void> scale() {
    base::RandomStream random = stream("scale");
    while (!over()) {
      co_await context().sleep(exponential(p_.scale_every, random));
      if (!over()) context().spawn(load());
    }
  }

  sim::Task<void> load() {
    const Seconds began = context().now();
    loads_.ask(began);
    const double readers = static_cast<double>(p_.readers);
    const auto gpus = static_cast<double>(plant().host(common().hosts).gpus);
    co_await read(
        {.bytes = *p_.weights / readers,
         .files = 1.0,
         .members = readers * static_cast<double>(p_.replicas),
         .hosts = static_cast<double>(p_.replicas) * (gpus > 0.0 ? std::ceil(readers / gpus) : 1.0),
         .direct = p_.direct,
         .sampled = false});
    loads_.answer(began, context().now());
  }

  void remark(const std::string& name, RunResult& out) const override {
    tell_open(loads_.open(), "weights", out, "starting replicas");
    loads_.report(name + "weights.load", context().now(), out);
  }

  InferenceParams p_;
  Answers loads_;
};

}  // namespace

TenantKind inference_kind() { return {kInfos<kInferenceFields>, make_tenant<Inference>}; }

}  // namespace stallcast::models
