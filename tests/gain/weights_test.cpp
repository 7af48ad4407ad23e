#include <catch2/catch.hpp>
#include <string>

#include "stallcast/breakdown.hpp"
#include "tests/gain/ranked.hpp"

namespace gain_test {

using namespace stallcast;
using testing::ranked;

namespace {

// Each job saves 96 GB every minute, while all of its ranks wait: `few`, 8 GPUs, to 4 OSTs of 1
// GB/s (24 s), `most`, 64 GPUs, to 12 of them (8 s).
Prediction two_sizes() {
  const auto job = [](const std::string& id, const std::string& to) {
    return R"({ "id": ")" + id + R"(", "hosts": ")" + id + R"(",
      "barrier": { "base": "0 s", "per_doubling": "0 s" }, "step": { "compute": "1 s", "jitter": "0 %" },
      "checkpoint": { "to": ")" +
           to + R"(", "size": "96 GB", "every": "60 s", "serializer": "none" } })";
  };
  const auto store = [](const std::string& id, const std::string& osts) {
    return R"({ "id": ")" + id + R"(", "type": "lustre",
      "ost": { "count": )" +
           osts + R"(, "read": "1 GB/s", "write": "1 GB/s", "service": "0 s" },
      "oss": { "count": 1, "nic": "800 Gb/s" },
      "stripe": { "count": 0 }, "commit": "0 s", "lock": "0 s", "raid": { "parity": 0 },
      "client": { "stream": "100 GB/s", "stream_direct": "100 GB/s", "checksums": false } })";
  };
  return ranked({.file = "sizes.json",
                 .text = R"({
    "id": "sizes",
    "cluster": { "hosts": [ { "id": "few", "count": 1, "use": "host/dgx-h100" },
                            { "id": "most", "count": 8, "use": "host/dgx-h100" } ] },
    "storage": [ )" + store("small", "4") +
                         ", " + store("large", "12") + R"( ],
    "jobs": [ )" + job("few", "small") +
                         ", " + job("most", "large") + R"( ],
    "run": { "duration": "20 min", "replicas": 1 } })"});
}

}  // namespace

// 10 requests of 1 s a second are always under way; one of 1 ms each two seconds is for 0.05 % of
// the time.
TEST_CASE("means over tenants are by the time that each waits") {
  const auto of = [](double busy, double idle) {
    Prediction p;
    p.method = "simulation";
    p.metrics["tenant.busy.latency"].value = busy;
    p.metrics["tenant.busy.operations"].value = 10.0;
    p.metrics["tenant.idle.latency"].value = idle;
    p.metrics["tenant.idle.operations"].value = 0.5;
    return p;
  };
  const Prediction base = of(1.0, 1e-3);
  CHECK(time_saved(base, of(1.0, 0.5e-3)) == Approx(0.5 * 0.0005 / 1.0005));
  CHECK(time_saved(base, of(0.5, 1e-3)) == Approx(0.5 / 1.0005));
  // Of one alone, and of those that nothing is known of, all counts.
  CHECK(tenant_weight(base.metrics, "busy") == 1.0);
  CHECK(tenant_weight({}, "unknown") == 1.0);
}

TEST_CASE("means over jobs are means over GPUs: what limits most of them comes first") {
  // By job the small storage saves 25 and 0 %, the large one 0 and 7 %; by GPU 2.8 and 6.3 %.
  const Prediction p = two_sizes();
  CHECK(p.gpus == std::map<std::string, double>{{"few", 8.0}, {"most", 64.0}});
  const double few = figure_or_zero(p, "job.few.gpu.utilization"),
               most = figure_or_zero(p, "job.most.gpu.utilization");
  CHECK(few == Approx(1.0 - 19 * 24.0 / 1200.0).epsilon(0.02));
  CHECK(most == Approx(1.0 - 19 * 8.0 / 1200.0).epsilon(0.02));
  CHECK(mean_utilization(p) == Approx((8.0 * few + 64.0 * most) / 72.0));
  CHECK(waiting_share(p) == Approx((8.0 * p.breakdown.at("few").at("checkpoint") +
                                    64.0 * p.breakdown.at("most").at("checkpoint")) /
                                   72.0)
                                .epsilon(1e-6));

  REQUIRE(p.bottlenecks.size() >= 2);
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource.starts_with("storage.large.ost"));
  // Of all waiting it has the share of 64 GPUs that lose a third of what 8 lose.
  CHECK(first.blamed_share == Approx(64.0 * 8.0 / (64.0 * 8.0 + 8.0 * 24.0)).epsilon(0.05));
  REQUIRE(first.gain.has_value());
  CHECK(first.gain->each.at("few") == Approx(0.0).margin(1e-3));
  CHECK(first.gain->time == Approx(64.0 / 72.0 * first.gain->each.at("most")).margin(1e-3));
}

}  // namespace gain_test
