#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "stallcast/breakdown.hpp"
#include "tests/gain/ranked.hpp"

// Gains where histories of failures have heavy tails. docs/models/blame.md, equation 2.
namespace histories_gain_test {

using namespace stallcast;
using testing::ranked;

namespace {

// A month; of 100 saves 30 cannot be loaded, and with the third of these in a row all is lost.
Prediction silently_bad(int seed) {
  return ranked({.file = "bad.json",
                 .text = R"({
  "id": "bad",
  "cluster": { "hosts": [ { "id": "gpu", "count": 32, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 32, "read": "4 GB/s", "write": "3 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "run": { "steps": 600000 },
              "step": { "compute": "4 s" },
              "checkpoint": { "to": "scratch", "size": "500 GB", "every": "20 min", "mode": "async",
                              "corrupt": "30 %", "keep": { "last": 3 }, "checksum": "10 GB/s" },
              "recovery": { "detect": "1 min", "replace": "3 min", "start": "1 min", "init": "30 s",
                            "search": 0 } } ],
  "failures": [ { "id": "gpu", "type": "host", "per": "host", "mtbf": "3000 h" } ],
  "run": { "duration": "2 h", "replicas": 1, "seed": )" +
                         std::to_string(seed) + " } }"});
}

}  // namespace

TEST_CASE("luck of failures is no gain") {
  for (const int seed : {1, 2, 3}) {
    const Prediction p = silently_bad(seed);
    REQUIRE_FALSE(p.bottlenecks.empty());
    // Failures cost a tenth of the time, which 200 histories know to a third of it.
    const Bottleneck& first = p.bottlenecks.front();
    CHECK(first.resource == "job.train.failures");
    REQUIRE(first.gain.has_value());
    CHECK(first.gain->time == Approx(0.11).margin(0.03));
    CHECK(first.gain->noise > 0.01);
    // A nudge of all by a millionth changes no history: it was 3 % where luck was drawn anew.
    CHECK(p.gains->noise < 1e-3);
    for (const Bottleneck& b : p.bottlenecks) {
      if (!b.gain || b.resource == first.resource) continue;
      // Steps wait for the slowest of 256 ranks: the closed form of half of that. All else is less
      // than luck may be.
      const bool barrier = b.resource == "job.train.barrier";
      CHECK(std::abs(b.gain->time - (barrier ? 0.0125 : 0.0)) < 0.002);
      CHECK(b.gain->noise < 0.002);
      CHECK(is_gain(*b.gain, p.gains->noise) == barrier);
    }
  }
}

}  // namespace histories_gain_test
