#include <catch2/catch.hpp>
#include <string>

#include "engine/decide/gain/neighbours.hpp"
#include "stallcast/client.hpp"

/// What sharers lose to each other, against equation 13 of docs/models/tenants.md.
namespace neighbours_test {

using namespace stallcast;

namespace {

// `first` and `second` read samples of 1 MB all the time, on a filer of 2 GB/s that gives one of
// them alone all it has.
Prediction shared(const std::string& first, const std::string& second) {
  const auto job = [](const std::string& id, const std::string& more) {
    return R"({ "id": ")" + id + R"(", "hosts": ")" + id + R"(", )" + more + R"(
      "step": { "compute": "1 ms", "jitter": "0 %" }, "barrier": { "base": "0 s", "per_doubling": "0 s" },
      "dataset": { "on": "filer", "format": "raw", "sample": "1 MB", "samples": 100000000 },
      "loader": { "batch": 1, "workers": 8, "prefetch": 2 } })";
  };
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  client::Reading reading = session.read({.file = "shared.json",
                                          .text = R"({
    "id": "shared",
    "cluster": { "hosts": [ { "id": "a", "count": 2 }, { "id": "b", "count": 2 } ] },
    "storage": [ { "id": "filer", "type": "nfs",
                   "head": { "count": 1, "read": "2 GB/s", "write": "2 GB/s", "ops": "1000 kops/s", "service": "10 us" },
                   "client": { "connection": "10 GB/s", "stream": "10 GB/s", "read_ahead": "1 GiB", "nconnect": 16 } } ],
    "jobs": [ )" + job("a", first) + (second.empty() ? "" : ", " + job("b", second)) +
                                                  R"( ],
    "run": { "duration": "30 s", "replicas": 1 } })"});
  REQUIRE(reading.scenario);
  Result<Prediction> prediction = session.predict(reading.scenario->design());
  REQUIRE(prediction.ok());
  session.add_neighbours(reading.scenario->design(), *prediction);
  return *prediction;
}

double value(const Prediction& prediction, const std::string& name) {
  const auto found = prediction.metrics.find(name);
  REQUIRE(found != prediction.metrics.end());
  return found->second.value;
}

}  // namespace

TEST_CASE("Jain's index is 1 among equals, and one over their number where one has all") {
  CHECK(gain::jain({0.5, 0.5, 0.5}) == Approx(1.0));
  CHECK(gain::jain({1.0, 0.0, 0.0, 0.0}) == Approx(0.25));
  CHECK(gain::jain({1.0, 0.5}) == Approx(0.9));
}

TEST_CASE("two equal jobs that could each take all lose half, evenly") {
  const Prediction p = shared(R"("share": 1,)", R"("share": 1,)");
  CHECK(value(p, "job.a.neighbours.loss") == Approx(0.5).epsilon(0.02));
  CHECK(value(p, "job.b.neighbours.loss") == Approx(0.5).epsilon(0.02));
  CHECK(value(p, "storage.filer.fairness") == Approx(1.0).epsilon(1e-3));
}

TEST_CASE("a job of three times the weight loses a quarter, the other three") {
  // a and b keep 3 / 4 and 1 / 4: 1 / (2 x 10 / 16)
  const Prediction with = shared(R"("share": 3,)", R"("share": 1,)");
  CHECK(value(with, "job.a.neighbours.loss") == Approx(0.25).epsilon(0.05));
  CHECK(value(with, "job.b.neighbours.loss") == Approx(0.75).epsilon(0.05));
  CHECK(value(with, "storage.filer.fairness") == Approx(0.8).epsilon(0.02));
}

TEST_CASE("a job alone has no neighbours") {
  const Prediction p = shared(R"("share": 3,)", "");
  CHECK_FALSE(p.metrics.contains("job.a.neighbours.loss"));
  CHECK_FALSE(p.metrics.contains("storage.filer.fairness"));
}

TEST_CASE("a job that is held back by its own limit loses nothing to others") {
  const Prediction p = shared(R"("limit": "200 MB/s",)", R"("share": 1,)");
  CHECK(value(p, "job.a.neighbours.loss") == Approx(0.0).margin(0.01));
  CHECK(value(p, "job.b.neighbours.loss") == Approx(0.1).epsilon(0.05));
}

}  // namespace neighbours_test
