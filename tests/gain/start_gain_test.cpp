#include <catch2/catch.hpp>
#include <string>

#include "stallcast/breakdown.hpp"
#include "tests/gain/ranked.hpp"

/// What a start counts in gains. docs/models/blame.md, equation 1.
namespace start_gain_test {

using namespace stallcast;
using testing::ranked;

namespace {

// A batch of 100 MB is read in 0.2 s by each of 4 workers, a step of one GPU takes 100 ms. `job`
// says how long it goes on, `run` how much of that is simulated.
ScenarioFile starting(const std::string& job, const std::string& run) {
  return {.file = "starting.json",
          .text = R"({
  "id": "starting",
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "gpus": 1 } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 8, "read": "10 GB/s", "service": "0 s" },
                 "client": { "stream": "0.5 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", )" +
                  job + R"(
              "barrier": { "base": "0 s", "per_doubling": "0 s" },
              "step": { "compute": "100 ms", "jitter": "0 %" },
              "dataset": { "on": "scratch", "format": "raw", "sample": "100 MB", "samples": 1000000 },
              "loader": { "batch": 1, "workers": 4, "prefetch": 2, "start": "0 s" } } ],
  "run": { )" + run +
                  R"( "replicas": 1 }
})"};
}

/// What the stream of a client twice as fast saves: half of what it takes to read a batch.
double gained(const Prediction& p) {
  for (const Bottleneck& b : p.bottlenecks)
    if (b.resource == "storage.scratch.client.stream" && b.gain) return b.gain->time;
  return 0.0;
}

}  // namespace

TEST_CASE("a start counts as often as it comes, not as often as it is simulated") {
  // Of 3 s a fifteenth waits for the first batch; of an epoch of a million steps nothing does.
  for (const char* job : {R"("epochs": 1,)", R"("run": { "steps": 1000000 },)", ""})
    CHECK(gained(ranked(starting(job, R"("duration": "3 s",)"))) == Approx(0.0).margin(1e-4));
  // All of it is simulated: half of the 0.2 s.
  const Prediction all = ranked(starting(R"("epochs": 1, "steps": 20,)", ""));
  const double wall = figure_or_zero(all, "job.train.time.wall");
  CHECK(gained(all) == Approx(0.1 / wall).epsilon(0.05));
}

}  // namespace start_gain_test
