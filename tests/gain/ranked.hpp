#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "stallcast/client.hpp"

namespace stallcast::testing {

/// The prediction of a scenario, with what gains most first.
inline Prediction ranked(const ScenarioFile& file) {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  client::Reading reading = session.read(file);
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  Result<Prediction> found = session.predict(reading.scenario->design());
  REQUIRE(found.ok());
  session.rank_by_gain(reading.scenario->design(), *found);
  REQUIRE(found->gains.has_value());
  return *std::move(found);
}

/// 10 TB by 4 hosts x 10 workers x 50 MB/s = 2 GB/s take 5,000 s, then 10 TB of copies at 10 GB/s
/// take 1,000 s. `also`: more of the scenario.
inline ScenarioFile two_stages(const std::string& also = "") {
  return {.file = "stages.json", .text = R"({
  "id": "stages",
  "cluster": { "hosts": [ { "id": "prep", "count": 4, "gpus": 0 } ] },
  "storage": [ { "id": "near", "type": "lustre", "ost": { "count": 40, "read": "10 GB/s", "write": "10 GB/s" } } ],
  "stages": [
    { "id": "clean", "type": "transform", "from": "near", "to": "near", "hosts": "prep", "workers": 10,
      "size": "10 TB", "cpu": "50 MB/s", "ratio": 1 },
    { "id": "load", "type": "copy", "from": "near", "to": "near", "hosts": "prep", "rate": "10 GB/s",
      "after": ["clean"] } ],
  "run": { "replicas": 1 })" + also + "}"};
}

}  // namespace stallcast::testing
