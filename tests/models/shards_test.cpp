#include <catch2/catch.hpp>
#include <string>

#include "models/plant/plant.hpp"
#include "tests/support/course.hpp"
#include "tests/support/designs.hpp"

namespace shards_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

/// Equations: docs/models/folding.md and dataloader.md, equation 3.
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

}  // namespace shards_test
