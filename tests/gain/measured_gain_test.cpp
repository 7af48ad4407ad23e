#include <catch2/catch.hpp>

#include "tests/gain/ranked.hpp"

namespace measured_gain_test {

using namespace stallcast;
using testing::ranked;

TEST_CASE("writes to measured storage gain what its device gives, and their bandwidth nothing") {
  // 1000 pieces of 1 MiB in 2 ms + 2.1 ms each, four times: half of it when both are halved.
  const Prediction p = ranked({.file = "measured.json", .text = R"({
  "id": "measured",
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "gpus": 1, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "v", "type": "measured", "scope": "shared",
                 "read": { "latency": "1 ms", "rate": "1 GB/s" },
                 "write": { "latency": "2 ms", "rate": "500 MiB/s" }, "create": { "latency": "0 s" },
                 "sync": "0 s" } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "steps": 20, "step": { "compute": "1 s", "jitter": "0 %" },
              "barrier": { "base": "0 s", "per_doubling": "0 s" },
              "checkpoint": { "to": "v", "size": "1000 MiB", "every_steps": 5, "serializer": "none",
                              "snapshot": "none", "quiesce": "0 s", "coordinate": "0 s" } } ],
  "run": { "replicas": 1 }
})"});
  const double saving = 4.0 * 1000 * (2e-3 + 1.0 / 500);
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource == "storage.v.device");
  REQUIRE(first.gain.has_value());
  CHECK(first.gain->part == "storage[v].device");
  CHECK(first.gain->time == Approx(0.5 * saving / (20.0 + saving)).epsilon(0.02));
  for (const Bottleneck& b : p.bottlenecks)
    if (b.resource == "storage.v.write") CHECK_FALSE(b.gain.has_value());
}

TEST_CASE("what a whole system writes at most is called so wherever it limits") {
  // 130 GB at 13 GB/s: 10 s each, 5 s with twice as much. 40 OSTs of 7 GB/s write 280 GB/s.
  const Prediction p = ranked({.file = "ceiling.json", .text = R"({
  "id": "ceiling",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "fs", "type": "lustre", "ost": { "count": 40, "read": "7 GB/s", "write": "7 GB/s" },
                 "write": "13 GB/s", "commit": "0 s" } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "steps": 20, "step": { "compute": "1 s", "jitter": "0 %" },
              "barrier": { "base": "0 s", "per_doubling": "0 s" },
              "checkpoint": { "to": "fs", "size": "130 GB", "every_steps": 5, "serializer": "none",
                              "snapshot": "none", "quiesce": "0 s", "coordinate": "0 s" } } ],
  "run": { "replicas": 1 }
})"});
  CHECK(p.limited_by.at("job.train.checkpoint.duration") == "storage.fs.write");
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource == "storage.fs.write");
  REQUIRE(first.gain.has_value());
  CHECK(first.gain->part == "storage[fs].write");
  CHECK(first.gain->time == Approx(0.5 * 40.0 / 60.0).epsilon(0.02));
}

// A batch of 32 MB takes 40 ms to copy at 800 MB/s, a step 20 ms: with 1.6 GB/s both take 20.
TEST_CASE("copies to pinned memory are a part of their own, which no more cores make faster") {
  const std::string text = R"({
  "id": "pinned",
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "gpus": 1, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "v", "type": "measured", "scope": "host",
                 "read": { "latency": "10 us", "rate": "50 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "epochs": 1, "step": { "compute": "20 ms", "jitter": "0 %" },
              "dataset": { "on": "v", "format": "raw", "sample": "1 MB", "samples": 6400 },
              "loader": { "type": "pytorch", "batch": 32, "workers": 8, "prefetch": 2, "copy": "none",
                          "handover": "0 s", "pin_memory": true,
                          "pin": { "rate": "800 MB/s", "takes": "0 %" } } } ],
  "run": { "replicas": 1 }
})";
  const Prediction p = ranked({.file = "pinned.json", .text = text});
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource == "job.train.loader.pin");
  REQUIRE(first.gain.has_value());
  CHECK(first.gain->part == "jobs[train].loader.pin");
  CHECK(first.gain->time == Approx(0.5).epsilon(0.05));
  for (const Bottleneck& b : p.bottlenecks)
    if (b.resource == "host.gpu.cpu" && b.gain) CHECK(b.gain->time < 0.02);
  // Without the thread its rate is no part of anything.
  std::string without = text;
  without.replace(without.find("\"pin_memory\": true"), 18, "\"pin_memory\": false");
  for (const Bottleneck& b : ranked({.file = "pinned.json", .text = without}).bottlenecks)
    CHECK(b.resource != "job.train.loader.pin");
}

}  // namespace measured_gain_test
