#include <catch2/catch.hpp>
#include <string>

#include "models/plant/plant.hpp"
#include "tests/support/course.hpp"
#include "tests/support/designs.hpp"

namespace shards_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

/// Equations: docs/models/folding.md, dataloader.md, equation 3, formats.md, equations 12 and 13.
namespace {

/// `hosts` hosts of 2 GPUs whose loaders of 2 workers own `shards` files of 40 samples of 10 MB
/// each, batches of 4 samples, two epochs.
Design sharded(const char* hosts, const char* shards, const char* compute) {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", hosts);
  set(design.hosts[0], Role::host, "gpus", "2");
  set(design.storage[0], Role::storage, "mdt.service", "1 ns");
  set(design.storage[0], Role::storage, "mdt.open", "1000000 Mops/s");
  set(design.jobs[0].step, Role::step, "compute", compute);
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "webdataset", "dataset",
                          {{"on", "scratch"}, {"sample", "10 MB"}, {"shard", "400 MB"}});
  const double samples = 40.0 * std::stod(shards);
  set(*job.dataset, Role::dataset, "samples", std::to_string(samples).c_str());
  job.loader = component(Role::loader, "pytorch", "loader",
                         {{"batch", "4"}, {"workers", "2"}, {"style", "iterable"}});
  set(job.job, Role::job, "epochs", "2");
  design.run.values.erase("duration");
  return design;
}

/// Largest difference of a step's end between `design` folded and every rank by itself.
double folding_error(Design design) {
  const Course folded = course_of(design, false);
  set(design.run, Role::run, "fold", "false");
  return difference(folded, course_of(design, false));
}

}  // namespace

TEST_CASE("ranks with one shard more are a class of their own") {
  // 16 ranks. 48 shards: 3 each; 52: the first 4 ranks, those of 2 hosts, have a fourth; 53: one
  // rank of the third host, too.
  CHECK(models::Plant(sharded("8", "48", "100 ms")).layout("train").classes() == 1);
  const models::Plant even(sharded("8", "52", "100 ms"));
  REQUIRE(even.layout("train").classes() == 2);
  CHECK(even.layout("train").places[0].members == 4.0);
  CHECK(even.layout("train").places[0].more_files);
  const models::Plant odd(sharded("8", "53", "100 ms"));
  REQUIRE(odd.layout("train").classes() == 4);
  double ranks = 0.0, more = 0.0;
  for (const models::RankPlace& place : odd.layout("train").places) {
    ranks += place.members;
    if (place.more_files) more += place.members;
  }
  CHECK(ranks == 16.0);
  CHECK(more == 5.0);
}

TEST_CASE("an epoch ends for all with the rank that has the fewest shards") {
  // 3 shards of 40 samples for the poorest: 2 workers drop what is left of 80 and of 40 by 4: 30
  // steps, two epochs of them.
  for (const char* shards : {"48", "53", "63"})
    CHECK(metric(run(sharded("8", shards, "100 ms")), "job.train.steps") == 60.0);
  CHECK(metric(run(sharded("8", "64", "100 ms")), "job.train.steps") == 80.0);
}

TEST_CASE("folded ranks with uneven shards are those of every rank by itself") {
  const char* const hosts = GENERATE("4", "8", "32");
  const char* const shards = GENERATE("200", "213", "255");
  INFO(hosts << " hosts, " << shards << " shards");
  SECTION("bound by compute") { CHECK(folding_error(sharded(hosts, shards, "100 ms")) <= 1e-9); }
  SECTION("bound by the workers") { CHECK(folding_error(sharded(hosts, shards, "1 ms")) <= 1e-9); }
  SECTION("alongside stragglers") {
    Design design = sharded(hosts, shards, "20 ms");
    set(design.hosts[0], Role::host, "slow.count", "1");
    set(design.hosts[0], Role::host, "slow.nic", "2 %");
    set(design.hosts[0], Role::host, "slow.compute", "80 %");
    CHECK(folding_error(design) <= 1e-9);
  }
}

namespace {

double metric(const Design& design, const std::string& name) {
  return testing::metric(run(design), "job.train." + name);
}

// One process that reads `samples` of 1 MB once, 2 ms each, from files that take 10 ms of an idle
// MDS to open.
Design opener(const char* format, Settings settings, const char* samples, const char* compute) {
  Design design =
      one_reader(format, {{"sample", "1 MB"}, {"samples", samples}, {"round_trips", "0"}}, compute);
  for (const auto& [key, text] : settings) set(*design.jobs[0].dataset, Role::dataset, key, text);
  set(design.storage[0], Role::storage, "mdt.service", "10 ms");
  set(*design.jobs[0].loader, Role::loader, "workers", "0");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  design.run.values.erase("duration");
  return design;
}
// What such an open takes: the first sample of a file is there 2 ms later.
double open_time() { return metric(opener("raw", {}, "10", "1 us"), "first_batch") - 0.002; }

}  // namespace

TEST_CASE("shards are opened once each, when the first of them is read") {
  const auto read = [](const char* format, Settings settings) {
    const Design design = opener(format, settings, "1000", "1 us");
    return metric(design, "step.time") * metric(design, "steps");
  };
  REQUIRE(open_time() > 0.004);
  const double expected = 10 * open_time() + 1000 * 0.002;  // 10 files of 100 samples
  CHECK(read("webdataset", {{"shard", "100 MB"}}) == Approx(expected).epsilon(1e-3));
  CHECK(read("tfrecord", {{"samples_per_file", "100"}}) == Approx(expected).epsilon(1e-3));
}

TEST_CASE("a shard is read ahead alongside the loading up to its end") {
  // 10 shards of 100 samples and 10 ms of compute: when needed, every sample is waited for; read
  // ahead by 4 of them only the first of each shard, with the open.
  const Design plain = opener("webdataset", {{"shard", "100 MB"}}, "1000", "10 ms");
  CHECK(metric(plain, "steady.wait") ==
        Approx((999 * 0.002 + 9 * open_time()) / 999).epsilon(1e-3));
  const Design ahead =
      opener("webdataset", {{"shard", "100 MB"}, {"read_ahead", "4 MB"}}, "1000", "10 ms");
  CHECK(metric(ahead, "first_batch") == Approx(open_time() + 0.002).epsilon(1e-3));
  CHECK(metric(ahead, "steady.wait") == Approx(9 * (open_time() + 0.002) / 999).epsilon(1e-3));
}

TEST_CASE("workers that read ahead alongside the parsing are not kept apart") {
  // As above, four workers of a rank: steps that are drawn take no longer than steps that are not.
  const auto rate = [](const char* jitter) {
    Design design =
        opener("webdataset", {{"shard", "1 GB"}, {"read_ahead", "2 MB"}, {"decode", "2 ms"}},
               "16000", "1 us");
    set(*design.jobs[0].loader, Role::loader, "workers", "4");
    set(*design.jobs[0].loader, Role::loader, "batch", "64");
    set(design.jobs[0].step, Role::step, "jitter", jitter);
    return metric(design, "throughput.samples");
  };
  CHECK(rate("1 %") == Approx(rate("0 %")).epsilon(0.02));
}

TEST_CASE("a shard is read ahead alongside the parsing, however many samples a batch has") {
  // 2 ms to fetch and 2 ms to decode a sample, two of them ahead: one after the other would be 4
  // ms. The first of each of 4 shards waits for its open, too.
  for (const char* batch : {"1", "8", "32"}) {
    Design design =
        opener("webdataset", {{"shard", "1 GB"}, {"read_ahead", "2 MB"}, {"decode", "2 ms"}},
               "4000", "1 us");
    set(*design.jobs[0].loader, Role::loader, "batch", batch);
    CAPTURE(batch);
    CHECK(metric(design, "step.time") * metric(design, "steps") ==
          Approx(4000 * 0.002 + 4 * (open_time() + 0.002)).epsilon(0.01));
  }
}

}  // namespace shards_test
