#include <catch2/catch.hpp>

#include "stallcast/limit.hpp"
#include "tests/gain/ranked.hpp"

/// All parts of one thing, where none of them gains by itself.
namespace whole_owner_test {

using namespace stallcast;
using testing::ranked;

TEST_CASE("where all of a host class gains what none of its parts does, these name the limit") {
  // bus = min(0.85 x NVLink, 0.92 x 8 x 50 GB/s): 432.9 GB/s of NVLink are as much as the NICs, and
  // one of both twice as fast is nothing. Communication has little of its own: a hop of 1 us.
  const Prediction p = ranked({.file = "bus.json", .text = R"({
  "id": "bus",
  "cluster": { "hosts": [ { "id": "g", "count": 4, "gpus": 8, "nvlink": { "rate": "432.9 GB/s" },
                            "compute_nic": { "rate": "400 Gb/s" } } ] },
  "storage": [ { "id": "s", "type": "lustre", "ost": { "count": 64 } } ],
  "jobs": [ { "id": "j", "hosts": "g", "steps": 20, "step": { "compute": "20 ms", "jitter": "0 %" },
              "model": { "parameters": "7B" }, "communication": { "type": "ddp", "hop": "1 us" } } ]
})"});
  REQUIRE(p.bottlenecks.front().resource == "host.g");
  REQUIRE(p.bottlenecks.front().gain);
  CHECK(p.bottlenecks.front().gain->parts ==
        std::vector<std::string>{"host.g.compute_nic", "host.g.nvlink"});
  CHECK(limit_of(p).label == "compute NICs and NVLink of g hosts");
}

}  // namespace whole_owner_test
