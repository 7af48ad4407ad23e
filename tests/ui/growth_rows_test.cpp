#include <algorithm>
#include <catch2/catch.hpp>

#include "stallcast/client.hpp"

/// What jobs in a row ask for, against a closed form: docs/models/growth.md, equation 4.
namespace growth_rows_test {

using namespace stallcast;

TEST_CASE("what jobs in a row ask for is a mean over the time of each") {
  // 100 steps of 100 ms of 32 GPUs each: 1 sample of 8 MiB a step, then 4; of 4 OSTs of 1 GB/s.
  const auto job = [](const std::string& id, const char* batch, const std::string& more) {
    return R"({ "id": ")" + id + R"(", "hosts": "gpu", "step": { "compute": "100 ms" },
      "steps": 100, )" +
           more + R"("dataset": { "on": "scratch", "format": "raw", "sample": "8 MiB",
      "size": "1 TB" }, "loader": { "type": "pytorch", "workers": 8, "prefetch": 4, "batch": )" +
           batch + " } }";
  };
  const ScenarioFile file{.file = "rows.json",
                          .text = R"({ "id": "rows",
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ],
                 "fabric": { "use": "fabric/ndr400-rail-optimized" } },
    "storage": [ { "id": "scratch", "type": "lustre",
      "ost": { "count": 4, "read": "1 GB/s", "write": "1 GB/s", "capacity": "100 TB" },
      "oss": { "count": 4, "nic": "400 Gb/s" }, "mdt": { "count": 2 } } ],
    "jobs": [ )" + job("train", "1", "") +
                                  ", " + job("tune", "4", R"("after": ["train"], )") +
                                  R"( ],
    "growth": { "months": 1, "of": { "storage.ost.capacity": "x2/month" } } })"};
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  const client::Reading reading = session.read(file);
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  const auto found = session.grow(*reading.scenario, {});
  REQUIRE(found.ok());
  const auto series = std::find_if(found->loads.begin(), found->loads.end(), [](const auto& s) {
    return s.name == "storage.scratch.ost.read";
  });
  REQUIRE(series != found->loads.end());
  const double asked = 32 * (1 + 4) / 2.0 * 8.0 * 1024 * 1024 / 0.1;
  CHECK(*series->values.front() >= asked / 4e9 * 0.97);
  CHECK(*series->values.front() <= asked / 4e9 * 1.06);
}

}  // namespace growth_rows_test
