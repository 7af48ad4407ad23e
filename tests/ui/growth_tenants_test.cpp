#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "stallcast/client.hpp"

/// What tenants ask for whose requests come by themselves: docs/models/growth.md, equation 4.
namespace growth_tenants_test {

using namespace stallcast;

namespace {

/// An NFS of one controller of 3 GB/s, and 1 MiB reads that come at 3 kops/s.
constexpr double kAsked = 3000.0 * 1024.0 * 1024.0, kHead = 3e9;

Result<GrowthResult> asked(const std::string& tenant, const std::string& growth) {
  const ScenarioFile file{.file = "tenants.json",
                          .text = R"({ "id": "tenants",
    "cluster": { "hosts": [ { "id": "h", "count": 2, "gpus": 0,
                              "nic": { "rate": "100 Gb/s", "efficiency": "100 %" } } ] },
    "storage": [ { "id": "s", "type": "nfs", "commit": "1 ms",
      "head": { "count": 1, "read": "3 GB/s", "write": "2 GB/s", "ops": "20 kops/s",
                "creates": "1500 ops/s", "service": "0.2 ms" },
      "directory": { "creates": "100 kops/s" },
      "client": { "transport": "rdma", "connection": "10 GB/s", "stream": "5 GB/s",
                  "read_ahead": "15 MiB" } } ],
    "tenants": [ { "id": "t0", "on": "s", "hosts": "h", )" +
                                  tenant + R"( } ],
    "run": { "duration": "10 s", "replicas": 1 }, "growth": )" +
                                  growth + " }"};
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  const client::Reading reading = session.read(file);
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  return session.grow(*reading.scenario, {});
}

GrowthResult grown(const std::string& tenant, const std::string& growth) {
  auto found = asked(tenant, growth);
  REQUIRE(found.ok());
  return *std::move(found);
}

const GrowthSeries* head(const GrowthResult& growth) {
  for (const GrowthSeries& s : growth.loads)
    if (s.name == "storage.s.head" || s.name == "storage.s.head.read") return &s;
  return nullptr;
}

}  // namespace

TEST_CASE("what open tenants ask for counts where storage does not keep up") {
  // From 79 % of what the controller reads to 157 %.
  const GrowthResult growth =
      grown(R"("type": "inference", "rate": "2250 ops/s", "request": "1 MiB", "burst": 1)",
            R"({ "months": 12, "of": { "tenants.t0.rate": "x2/year" } })");
  const GrowthSeries* load = head(growth);
  REQUIRE(load != nullptr);
  REQUIRE(load->values.size() == growth.months.size());
  for (std::size_t i = 0; i < growth.months.size(); ++i)
    CHECK(*load->values[i] ==
          Approx(0.75 * kAsked / kHead * std::pow(2.0, growth.months[i] / 12.0)).epsilon(0.03));
  const auto limit =
      std::find_if(growth.ceilings.begin(), growth.ceilings.end(),
                   [&](const GrowthCeiling& c) { return c.kind == GrowthCeiling::Kind::load; });
  REQUIRE(limit != growth.ceilings.end());
  const double month = 12.0 * std::log2(kHead / (0.75 * kAsked));
  CHECK(std::abs(limit->month - month) <= 1.0);
}

TEST_CASE("what is left out and may grow says where it belongs") {
  const auto said = [](const std::string& path) {
    const auto found = asked(R"("type": "inference", "rate": "250 ops/s", "request": "1 MiB")",
                             R"({ "months": 1, "of": { ")" + path + R"(": "1 %/month" } })");
    REQUIRE_FALSE(found.ok());
    return found.failure().message + " | " + found.failure().hint;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(said("storage.s.capacity.other"),
             Contains("\"storage.s.capacity.other\" is left out of the scenario | "
                      "say first how much \"s\" holds, as in \"shelf.capacity\""));
  CHECK_THAT(said("storage.head.nic"), Contains("give it to storage \"s\" first"));
  CHECK_THAT(said("storage.s.heads"), Contains("is no value of the scenario"));
}

TEST_CASE("a tenant that waits for each answer asks for no more than it is given") {
  const GrowthResult growth =
      grown(R"("type": "fio", "rw": "randread", "bs": "64 MiB", "iodepth": 8, "numjobs": 8)",
            R"({ "months": 1, "of": { "storage.s.head.ops": "1 %/month" } })");
  const GrowthSeries* load = head(growth);
  REQUIRE(load != nullptr);
  for (const auto& value : load->values) CHECK(*value <= 1.0);
}

}  // namespace growth_tenants_test
