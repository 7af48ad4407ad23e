#include <algorithm>
#include <utility>

#include "engine/sim/join.hpp"
#include "models/tenant/tenant.hpp"

/// A stage before training: workers read, compute and write, over and over. docs/models/tenants.md.
namespace stallcast::models {
namespace {

using namespace base;

struct PreprocessParams {
  std::int64_t workers = 1;
  Bytes chunk;
  Rate cpu;
  double ratio = 1.0;
};

constexpr std::array<Field<PreprocessParams>, 4> kPreprocessFields{
    field("workers", &PreprocessParams::workers, "32", "worker processes on one host",
          up_to(65536)),
    field("chunk", &PreprocessParams::chunk, "64 MiB", "input read, computed and written in one go",
          kPositive),
    field("cpu", &PreprocessParams::cpu, "50 MB/s", "input one core takes in per second",
          between("10 MB/s", "100 MB/s",
                  assumed(kPositive, "tokenising and image decoding: tens of MB/s per core"),
                  "as cited: tens of MB/s; Python tokenisers 10, native filters 100")),
    field("ratio", &PreprocessParams::ratio, "0.5",
          "bytes written per byte read: tokenising 0.25-0.5, decoding images 5-10",
          between("0.25", "6", assumed(kNonNegative),
                  "as described: tokenising 0.25-0.5, decoding images 5-10"))};

class Preprocess final : public Tenant {
 public:
  Preprocess(const Component& component, Plant& plant, sim::Context& context, std::uint64_t seed)
      : Tenant(component, plant, context, seed), p_(bind<kPreprocessFields>(component)) {}

 private:
  // W workers on each host.    [docs/models/tenants.md, eq. 5]
  sim::Task<void> work() override {
    std::vector<sim::Task<void>> parts;
    for (ClosedLoop& part :
         closed_loops(static_cast<double>(p_.workers) * hosts(), p_.chunk, 1.0, "workers"))
      parts.push_back(loop(std::move(part)));
    co_await sim::join(context(), std::move(parts));
  }

  // t = t_read + chunk / cpu + t_write, W workers at min(W, cores) cores.
  // [docs/models/tenants.md, eq. 5]
  sim::Task<void> loop(ClosedLoop part) {
    const double cores = static_cast<double>(plant().host(common().hosts).cores);
    const Seconds one = p_.chunk / p_.cpu;
    const Seconds compute = one * std::max(1.0, static_cast<double>(p_.workers) / cores);
    const Seconds first = context().now();
    while (!over()) {
      const Seconds began = context().now();
      const double chunks = part.next();
      Operation operation = operation_of(part);
      operation.room = compute * chunks;
      operation.bytes = p_.chunk * chunks;
      operation.files = operation.requests = chunks;
      co_await read(operation);
      // The first of them have begun.    [docs/models/tenants.md, eq. 18]
      const Seconds begun = std::exchange(part.train().ahead, Seconds{});
      co_await context().sleep(std::max(Seconds{}, compute * chunks - begun));
      wait_for_cores(compute * chunks, part.members());
      computed_ += one * (chunks * part.members());
      if (p_.ratio > 0.0) {
        Operation result = operation;
        result.bytes *= p_.ratio;
        co_await write(result);
      }
      chunks_.add(((context().now() - began) / chunks).in(unit::s), chunks);
      part.took(context().now() - began, context().now() - first);
    }
  }

  [[nodiscard]] Seconds computed() const override { return computed_; }
  void remark(const std::string& name, RunResult& out) const override {
    chunks_.report(name + "chunk", "s", out);
  }

  PreprocessParams p_;
  Series chunks_;
  Seconds computed_;
};

}  // namespace

TenantKind preprocess_kind() { return {kInfos<kPreprocessFields>, make_tenant<Preprocess>}; }

}  // namespace stallcast::models
