#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "calibration/observe/tally.hpp"
#include "calibration/observed_job/observed_job.hpp"
#include "engine/base/jsonc.hpp"

/// Observations of ranks, or of hosts, of one job.
namespace merged_test {

using namespace stallcast;
using calibration::merged;

namespace {

Distribution<Seconds> times(double seconds) {
  calibration::SecondsTally tally;
  for (int i = 0; i < 100; ++i) tally.add(Seconds::from(seconds, unit::s));
  return *tally.distribution();
}

/// One of `ranks` that read all of 400 samples together in each of ten epochs, a file each.
Observation part(std::int64_t rank, std::int64_t ranks, const std::string& host) {
  const auto samples = static_cast<std::uint64_t>(4000 / ranks);
  Observation out;
  out.ranks = ranks;
  ObservedProcess& process = out.processes.emplace_back();
  process.rank = rank;
  process.host = host;
  process.steps = samples / 4;
  out.host.emplace().hosts = 1;
  out.steps.emplace();
  out.steps->count = process.steps;
  out.steps->epochs = 10;
  out.steps->duration = times(0.1);
  out.steps->wait = times(0.01);
  out.steps->compute = times(0.09);
  out.loader.emplace();
  out.loader->batch = 4;
  out.loader->workers = 2;
  const Bytes size = Bytes::from(1e5, unit::B);
  out.samples.emplace();
  out.samples->count = samples;
  out.samples->bytes = Distribution<Bytes>{samples, size, size, size, {}, {size}};
  out.reading.emplace();
  out.reading->operations = samples;
  out.reading->bytes = size * static_cast<double>(samples);
  out.reading->files = 400;
  return out;
}

base::Json scenario_of(const std::vector<Observation>& parts) {
  const auto made = calibration::import_job(merged(parts), {});
  REQUIRE(made.ok());
  Diagnostics faults;
  return base::parse_jsonc(made->scenario, "made", faults).root;
}

}  // namespace

TEST_CASE("ranks that read one data set in turn do not make it larger") {
  const std::vector<Observation> parts{part(0, 2, "h1"), part(1, 2, "h1")};
  CHECK(merged(parts).reading->files == 400);
  CHECK(scenario_of(parts)["jobs"][0]["dataset"]["samples"] == 400);
}

TEST_CASE("shards that each rank has of its own add up") {
  std::vector<Observation> parts{part(0, 2, "h1"), part(1, 2, "h1")};
  for (Observation& one : parts) one.reading->files = 20;
  CHECK(merged(parts).reading->files == 40);
}

TEST_CASE("hosts that were observed each by itself are counted") {
  const base::Json made =
      scenario_of({part(0, 4, "h1"), part(1, 4, "h1"), part(2, 4, "h2"), part(3, 4, "h2")});
  CHECK(made["cluster"]["hosts"][0]["count"] == 2);
  CHECK(made["cluster"]["hosts"][0]["gpus"] == 2);
}

TEST_CASE("ranks that were not seen on the host that was watched are on hosts like it") {
  std::vector<Observation> seen{part(0, 4, "h1"), part(1, 4, "h1")};
  for (Observation& one : seen) one.source.format = "observe";
  const base::Json made = scenario_of(seen);
  CHECK(made["cluster"]["hosts"][0]["count"] == 2);
  CHECK(made["cluster"]["hosts"][0]["gpus"] == 2);
}

TEST_CASE("ranks that nothing names are the processes that train at one time, on their hosts") {
  // Four at once, 10 steps in each of ten epochs, on two hosts: in one observation, and each in one
  // of its own. One process that was traced four times, one after the other, is one rank.
  const auto seen = [](double later) {
    std::vector<Observation> out;
    for (int i = 0; i < 4; ++i) {
      Observation& one = out.emplace_back(part(0, 10, i < 2 ? "h1" : "h2"));
      one.ranks.reset();
      one.host.reset();
      one.processes.front().rank.reset();
      one.processes.front().end = Seconds::from(10, unit::s);
      one.began = Seconds::from(1e9 + i * later, unit::s);
    }
    return out;
  };
  const std::vector<Observation> parts = seen(0.1);
  Observation together = merged(parts);
  CHECK_FALSE(together.ranks);
  for (const base::Json& made : {scenario_of(parts), scenario_of({together})}) {
    CHECK(made["cluster"]["hosts"][0]["count"] == 2);
    CHECK(made["cluster"]["hosts"][0]["gpus"] == 2);
    CHECK(made["jobs"][0]["steps"] == 10);
  }
  const base::Json later = scenario_of(seen(10));
  CHECK(later["cluster"]["hosts"][0]["gpus"] == 1);
  CHECK(later["jobs"][0]["steps"] == 40);
}

TEST_CASE("a sample is the bytes of the ranks that were seen over theirs") {
  Observation one = part(0, 2, "h1");
  one.samples.reset();
  CHECK(scenario_of({one})["jobs"][0]["dataset"]["sample"] == "100 kB");
}

}  // namespace merged_test
