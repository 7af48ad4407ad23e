#include <catch2/catch.hpp>
#include <string>

#include "stallcast/label.hpp"
#include "stallcast/limit.hpp"
#include "tests/gain/ranked.hpp"

/// Parts that gain little alone and much together, or where all that is faster hides one.
namespace together_gain_test {

using namespace stallcast;
using testing::ranked;

namespace {

constexpr double kWall = 1200.0, kSaves = 19.0;

// Every minute 96 GB are saved over 12 OSTs of 1 GB/s, which is what the ports of 4 hosts carry,
// too; a rank is late by 20 ms in each second.
const char* const kBoth = R"({
  "id": "both",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8, "nic": { "rate": "25.263 Gb/s", "count": 1 } } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 12, "read": "1 GB/s", "write": "1 GB/s", "service": "0 s" },
                 "oss": { "count": 1, "nic": "800 Gb/s" },
                 "stripe": { "count": 0 }, "commit": "0 s", "lock": "0 s", "raid": { "parity": 0 },
                 "client": { "stream": "100 GB/s", "stream_direct": "100 GB/s", "checksums": false } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "barrier": { "base": "20 ms", "per_doubling": "0 s" },
              "step": { "compute": "1 s", "jitter": "0 %" },
              "checkpoint": { "to": "scratch", "size": "96 GB", "every": "60 s", "serializer": "none" } } ],
  "run": { "duration": "20 min", "replicas": 1 }
})";

// The same of DAOS, one stream of which is as fast as one thread that serializes.
const char* const kThreads = R"({
  "id": "threads",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8 } ] },
  "storage": [ { "id": "s", "type": "daos", "server": { "count": 24 }, "client": { "stream": "1.5 GB/s", "write": "100 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "barrier": { "base": "0 s", "per_doubling": "0 s" },
              "step": { "compute": "1 s", "jitter": "0 %" },
              "checkpoint": { "to": "s", "size": "384 GB", "every": "60 s", "serializer": "dcp",
                              "serialize": "1.5 GB/s" } } ],
  "run": { "duration": "20 min", "replicas": 1 }
})";

double gain_of_row(const Prediction& p, const std::string& resource) {
  for (const Bottleneck& b : p.bottlenecks)
    if (b.resource == resource && b.gain) return b.gain->time;
  return 0.0;
}

}  // namespace

TEST_CASE("two that gain more together than one alone are the first row, and what limits") {
  // Twice both: saves of 4 s in place of 8. Half the barrier: 1 % of the time that is left.
  const Prediction p = ranked({.file = "both.json", .text = kBoth});
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource == "host.gpu.nic and storage.scratch.ost");
  REQUIRE(first.gain);
  const double was = kWall - kSaves * 8.0, is = kWall - kSaves * 4.0;
  CHECK(first.gain->time == Approx(1.0 - was / is).epsilon(0.05));
  const double barrier = gain_of_row(p, "job.train.barrier");
  CHECK(barrier == Approx(0.01).epsilon(0.1));
  CHECK(first.gain->time > 2.0 * barrier);
  const Limit limit = limit_of(p);
  CHECK(limit.kind == Limit::Kind::together);
  CHECK(limit.label == "NICs of gpu hosts and OSTs of scratch");
  CHECK(limit.share == first.gain->time);
}

TEST_CASE("threads of saves gain what is hidden where each thread is twice as fast, too") {
  // 12 GB a rank at 1.5 GB/s: 8 s, and 4 s with two threads, each with a stream of its own.
  const Prediction p = ranked({.file = "threads.json", .text = kThreads});
  const Bottleneck& first = p.bottlenecks.front();
  CHECK(first.resource == "job.train.checkpoint.threads");
  REQUIRE(first.gain);
  const double was = kWall - kSaves * 8.0, is = kWall - kSaves * 4.0;
  CHECK(first.gain->time == Approx(1.0 - was / is).epsilon(0.05));
  CHECK(gain_of_row(p, "job.train.checkpoint.serialize") < 0.2 * first.gain->time);
}

}  // namespace together_gain_test
