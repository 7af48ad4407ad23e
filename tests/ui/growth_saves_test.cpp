#include <catch2/catch.hpp>
#include <string>

#include "stallcast/client.hpp"

/// What saves do to the months of a design: docs/models/growth.md, equation 5.
namespace growth_saves_test {

using namespace stallcast;

TEST_CASE("saves that are never deleted are named, and GPUs are as busy as in a long run") {
  // 100 GB every 36 s are 7.3 PB a month. 200 s hold five or six saves, by chance.
  const ScenarioFile file{.file = "saves.json", .text = R"({ "id": "saves",
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ],
                 "fabric": { "use": "fabric/ndr400-rail-optimized" } },
    "storage": [ { "id": "scratch", "type": "lustre",
      "ost": { "count": 16, "read": "1 GB/s", "write": "1 GB/s", "capacity": "100 TB" },
      "oss": { "count": 4, "nic": "400 Gb/s" }, "mdt": { "count": 2 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
      "checkpoint": { "to": "scratch", "every_steps": 300, "size": "100 GB" } } ],
    "run": { "duration": "200 s", "replicas": 1 },
    "growth": { "months": 3, "of": { "jobs.train.checkpoint.size": "20 %/month" } } })"};
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  const client::Reading reading = session.read(file);
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  const auto found = session.grow(*reading.scenario, {});
  REQUIRE(found.ok());
  const GrowthCeiling* full = nullptr;
  for (const GrowthCeiling& c : found->ceilings)
    if (c.name == "space on scratch") full = &c;
  REQUIRE(full != nullptr);
  CHECK(full->message.find("most of it saves of job \"train\" that are never deleted,") !=
        std::string::npos);
  CHECK(
      full->remedy.starts_with("\"keep\": { \"last\": 3 } of job \"train\" deletes older saves; "));
  // Saves that are larger cost more, in whichever step the window ends.
  REQUIRE_FALSE(found->figures.empty());
  CHECK(found->figures[0].name == "job.train.lasting.utilization");
  const auto& values = found->figures[0].values;
  for (std::size_t i = 1; i < values.size(); ++i) CHECK(*values[i] < *values[i - 1]);
}

}  // namespace growth_saves_test
