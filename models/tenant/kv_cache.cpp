#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "models/tenant/tenant.hpp"

/// Inference servers whose key-value cache is kept: blocks of earlier tokens come back from GPU
/// memory, host memory or the storage, or are computed again. docs/models/inference.md.
namespace stallcast::models {
namespace {

using namespace base;

struct KvCacheParams {
  OpRate rate;
  double context = 0.0, context_spread = 0.0, prompt = 0.0, answer = 0.0;
  Bytes token;
  std::int64_t block = 1, parallel = 1;
  Fraction in_gpu, in_memory, in_storage;
  Rate memory_rate;
  OpRate prefill;
  Seconds decode;
  std::int64_t batch = 1, gpus = 1;
  bool offload = true, direct = true, disaggregated = false;
};

constexpr std::array<Field<KvCacheParams>, 19> kKvCacheFields{
    field("rate", &KvCacheParams::rate, kRequired, "requests that arrive a second, on all servers",
          kPositive),
    field(
        "context", &KvCacheParams::context, "8192",
        "tokens of a request whose keys and values were computed before: the conversation so far, "
        "documents, a system prompt",
        between("2048", "32768", assumed(kNonNegative), "expert range: chats to documents")),
    field("context_spread", &KvCacheParams::context_spread, "0.5",
          "standard deviation of that over its mean (lognormal)", assumed(kNonNegative)),
    field("prompt", &KvCacheParams::prompt, "512", "new tokens of a request",
          between("64", "2048", assumed(kAtLeastOne), "expert range: a question to a page")),
    field("answer", &KvCacheParams::answer, "256", "tokens of an answer",
          between("64", "1024", assumed(kAtLeastOne), "expert range: a sentence to a page")),
    field("token", &KvCacheParams::token, "327680 B",
          "keys and values of one token: 2 x layers x kv_heads x head size x bytes of a number",
          cited(kPositive, "Llama 3 70B in bf16: 2 x 80 x 8 x 128 x 2 B")),
    field("block", &KvCacheParams::block, "256", "tokens of one block: a read or a write",
          assumed(up_to(1e6), "chunks of 256 tokens, as LMCache's default; from memory")),
    field("parallel", &KvCacheParams::parallel, "8", "blocks of one request in flight",
          between("1", "32", assumed(up_to(4096)), "expert range: one reader to an io_uring")),
    field("hit.gpu", &KvCacheParams::in_gpu, "20 %",
          "requests whose context is in GPU memory still", assumed(kShare)),
    field("hit.memory", &KvCacheParams::in_memory, "20 %", "in the memory of their server",
          assumed(kShare)),
    field("hit.storage", &KvCacheParams::in_storage, "50 %",
          "on the storage; what is found nowhere is computed again", assumed(kShare)),
    field("memory_rate", &KvCacheParams::memory_rate, "40 GB/s",
          "what one replica copies out of host memory, all its GPUs together",
          between("20 GB/s", "200 GB/s", assumed(kPositive), "one to eight PCIe links")),
    field("prefill", &KvCacheParams::prefill, "10 kops/s",
          "tokens a second of which one replica computes keys and values",
          between("4 kops/s", "30 kops/s", assumed(kPositive),
                  "70B on 8 x H100 at 2 N FLOPs a token: 28 k at full speed")),
    field("decode", &KvCacheParams::decode, "25 ms",
          "time of one token of all answers of a replica",
          between("10 ms", "50 ms", assumed(kPositive),
                  "weights read once: 140 GB at 8 x 3.35 TB/s are 5 ms at least")),
    field("batch", &KvCacheParams::batch, "32", "requests that a replica serves at a time",
          assumed(up_to(1e6))),
    field("gpus", &KvCacheParams::gpus, "8", "GPUs of one replica", up_to(65536)),
    field("offload", &KvCacheParams::offload, "true",
          "keys and values of prompt and answer are written to the storage, in the background"),
    field("direct", &KvCacheParams::direct, "true", "read and write with O_DIRECT"),
    field("disaggregated", &KvCacheParams::disaggregated, "false",
          "prompts are computed on other GPUs than answers: tokens do not wait for them")};

/// Most that prompts may slow answers down, as a share of the time.
constexpr double kMostPrefill = 0.95;

/// One copy of the model.
struct Replica {
  Replica(sim::Context& context, std::int64_t batch) : slots(context, batch), prompts(context, 1) {}
  sim::Slots slots;
  sim::ServerQueue prompts;
  int computing = 0, loading = 0;
  Seconds since, computed, starved;  ///< starved: something loads and nothing computes
  Seconds held, held_loading;        ///< slots: by all requests, and by those that load

  void account(Seconds now) {
    held += (now - since) * (computing + loading);
    held_loading += (now - since) * loading;
    if (computing > 0) computed += now - since;
    if (computing == 0 && loading > 0) starved += now - since;
    since = now;
  }
  /// Of the time that slots are held.
  [[nodiscard]] double share_loading() const {
    return held > Seconds{} ? held_loading / held : 0.0;
  }
};

class KvCache final : public Tenant {
 public:
  KvCache(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed)
      : Tenant(component, plant, context, seed),
        p_(bind<kKvCacheFields>(component)),
        hosts_of_replica_(std::ceil(
            static_cast<double>(p_.gpus) /
            static_cast<double>(std::max<std::int64_t>(1, plant.host(common().hosts).gpus)))) {}

 private:
  bool arrives() const override { return true; }
  sim::Task<void> work() override {
    const double gpus = hosts() * static_cast<double>(plant().host(common().hosts).gpus);
    const auto n = std::max<std::int64_t>(1, static_cast<std::int64_t>(gpus) / p_.gpus);
    for (std::int64_t r = 0; r < n; ++r)
      replicas_.push_back(std::make_unique<Replica>(context(), p_.batch));
    began_ = context().now();
    for (auto& replica : replicas_) replica->since = began_;
    base::RandomStream random = stream("requests");
    const Seconds mean = Ops::from(1.0, unit::ops) / p_.rate;
    for (std::size_t i = 0;; ++i) {
      co_await context().sleep(exponential(mean, random));
      if (over()) co_return;
      const double tokens =
          p_.context > 0.0 ? random.lognormal(p_.context, p_.context_spread) : 0.0;
      context().spawn(request(*replicas_[i % replicas_.size()], tokens, random.uniform()));
    }
  }

  // TTFT = wait + max(0, load) + tokens / prefill; then `answer` tokens at decode / (1 - u).
  // [docs/models/inference.md, eq. 2-4]
  sim::Task<void> request(Replica& replica, double tokens, double luck) {
    const Seconds arrived = context().now();
    ttft_.ask(arrived);
    co_await replica.slots.acquire();
    blame_replicas((context().now() - arrived) * (1.0 - replica.share_loading()));
    double compute = p_.prompt;
    const double gpu = p_.in_gpu.in(unit::ratio), memory = gpu + p_.in_memory.in(unit::ratio),
                 storage = memory + p_.in_storage.in(unit::ratio);
    if (luck >= storage)
      compute += tokens;
    else if (luck >= gpu && tokens > 0.0)
      co_await load(replica, tokens, luck >= memory);
    change(replica, +1, 0);
    const Seconds loaded = context().now();
    co_await replica.prompts.serve(1.0, Ops::from(compute, unit::ops) / p_.prefill);
    blame_replicas(context().now() - loaded);
    ttft_.answer(arrived, context().now());
    const Seconds token = p_.decode / (1.0 - prefilling(replica));
    co_await context().sleep(token * p_.answer);
    itl_.add(token.in(unit::s));
    if (!over()) answered_ += p_.answer;
    change(replica, -1, 0);
    replica.slots.release();
    if (p_.offload) co_await move(p_.prompt + p_.answer, false);
  }

  sim::Task<void> load(Replica& replica, double tokens, bool from_storage) {
    change(replica, 0, +1);
    if (from_storage) {
      const Seconds began = context().now();
      co_await move(tokens, true);
      load_.add((context().now() - began).in(unit::s));
    } else {
      const Seconds copying = p_.token * tokens / p_.memory_rate;
      co_await context().sleep(copying);
      blame_replicas(copying);
    }
    change(replica, 0, -1);
  }

  /// What a request waited for GPUs counts as much as what it waited for its reads.
  /// [docs/models/inference.md, eq. 5]
  void blame_replicas(Seconds time) { wait(time, 1.0, own_resource("replicas")); }

  // Blocks of so many tokens, `parallel` at a time: rows of as many, then those that are left.
  // [docs/models/inference.md, eq. 2]
  sim::Task<void> move(double tokens, bool in) {
    const auto block = static_cast<double>(p_.block);
    const double blocks = std::max(1.0, std::ceil(tokens / block));
    const double streams = std::min(blocks, static_cast<double>(p_.parallel));
    const double rows = std::floor(blocks / streams), rest = blocks - rows * streams;
    const double whole = rest > 0.0 ? rows * streams * block : tokens;
    Operation operation{.bytes = {},
                        .hosts = hosts_of_replica_,
                        .direct = p_.direct,
                        .sampled = in,
                        .seat = seat()};
    const auto some = [&](double of, double members, double requests) {
      operation.bytes = p_.token * (of / members);
      operation.members = operation.together = members;
      operation.requests = requests;
      return in ? read(operation) : write(operation);
    };
    // A limit stands in front of each row, not of all that a request reads.
    const double together = limits() ? 1.0 : rows;
    for (double row = 0.0; row < rows; row += together)
      co_await some(whole * (together / rows), streams, together);
    if (rest > 0.0) co_await some(tokens - whole, rest, 1.0);
  }

  /// Where a replica lies in one host: whose it is. None: in more of them.
  std::optional<std::size_t> seat() {
    return hosts_of_replica_ > 1.0 ? std::nullopt : std::optional(next_seat());
  }

  void change(Replica& replica, int computing, int loading) {
    replica.account(began_ + active());
    replica.computing += computing;
    replica.loading += loading;
  }

  [[nodiscard]] double prefilling(const Replica& replica) const {
    const Seconds elapsed = context().now() - began_;
    if (p_.disaggregated || elapsed <= Seconds{}) return 0.0;
    return std::min(kMostPrefill, replica.prompts.busy() / elapsed);
  }

  [[nodiscard]] bool did_any() const override { return answered_ > 0.0 || Tenant::did_any(); }

  void remark(const std::string& name, RunResult& out) const override {
    tell_open(ttft_.open(), "first token", out);
    ttft_.report(name + "ttft", context().now(), out);
    itl_.report(name + "itl", "s", out);
    load_.report(name + "load", "s", out);
    const Seconds time = active();
    if (replicas_.empty()) return;
    Seconds computed, starved;
    for (const auto& replica : replicas_) {
      replica->account(began_ + time);
      computed += replica->computed;
      starved += replica->starved;
    }
    const Seconds all = time * static_cast<double>(replicas_.size());
    out.metrics[name + "gpu.utilization"] = {computed / all, "ratio", {}};
    out.metrics[name + "gpu.starved"] = {starved / all, "ratio", {}};
    out.metrics[name + "tokens"] = {answered_ / time.in(unit::s), "1/s", {}};
  }

  KvCacheParams p_;
  double hosts_of_replica_;
  Seconds began_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  Answers ttft_;
  Series itl_, load_;
  double answered_ = 0.0;
};

}  // namespace

TenantKind kv_cache_kind() { return {kInfos<kKvCacheFields>, make_tenant<KvCache>}; }

}  // namespace stallcast::models
