#include <algorithm>

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
      : Tenant(component, plant, context, seed), p_(bind(kPreprocessFields, component)) {}

 private:
  // Closed loop: t = t_read + chunk / cpu + t_write, W workers at min(W, cores) cores.
  // [docs/models/tenants.md, eq. 5]
  sim::Task<void> work() override {
    const double cores = static_cast<double>(plant().host(common().hosts).cores);
    const double workers = static_cast<double>(p_.workers);
    const Seconds compute = p_.chunk / p_.cpu * std::max(1.0, workers / cores);
    while (!over()) {
      const Seconds began = context().now();
      co_await read({.bytes = p_.chunk, .files = 1.0, .members = workers * hosts()});
      co_await context().sleep(compute);
      wait(compute, workers * hosts(),
           plant().resources().index("host." + common().hosts + ".cpu"));
      computed_ += p_.chunk / p_.cpu * (workers * hosts());
      if (p_.ratio > 0.0)
        co_await write({.bytes = p_.chunk * p_.ratio, .files = 1.0, .members = workers * hosts()});
      chunks_.add((context().now() - began).in(unit::s));
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
