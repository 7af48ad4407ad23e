#include <catch2/catch.hpp>
#include <string>

#include "tests/gain/ranked.hpp"

namespace at_a_time_test {

using namespace stallcast;
using testing::ranked;

TEST_CASE(
    "twice as fast is no more than that where a count and the speed of each are of one part") {
  // 320 MiB a step over one connection of 1 GB/s for each of two hosts, and little else.
  const auto reading = [](const std::string& client) {
    return ranked({.file = "filer.json",
                   .text = R"({
  "id": "filer",
  "cluster": { "hosts": [ { "id": "gpu", "count": 2, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "filer", "type": "nfs", "head": { "count": 8, "read": "20 GB/s" }, )" +
                           client + R"( } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "steps": 60, "epochs": 1, "step": { "compute": "1 ms", "jitter": "0 %" },
    "barrier": { "base": "0 s", "per_doubling": "0 s" },
    "dataset": { "on": "filer", "format": "raw", "sample": "20 MiB", "size": "1 TB" },
    "loader": { "type": "ideal", "batch": 1, "workers": 2 } } ],
  "run": { "replicas": 1 } })"});
  };
  for (const char* client : {R"("client": { "nconnect": 1, "connection": "1 GB/s" })",
                             R"("client": { "nconnect": 4, "connection": "0.25 GB/s" })"}) {
    const Prediction p = reading(client);
    REQUIRE_FALSE(p.bottlenecks.empty());
    REQUIRE(p.bottlenecks.front().gain.has_value());
    CHECK(p.bottlenecks.front().gain->part == "storage[filer].client");
    CHECK(p.bottlenecks.front().gain->time == Approx(0.5).margin(0.01));
    CHECK(p.gains->all.time == Approx(0.5).margin(0.01));
  }
}

}  // namespace at_a_time_test
