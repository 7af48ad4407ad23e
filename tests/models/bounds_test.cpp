#include <catch2/catch.hpp>

#include "models/bounds.hpp"
#include "tests/support/designs.hpp"

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 512 GPUs, 10 kB a GPU and step of 50 ms, 2 TB every 200 steps, OSTs of 4 GB/s.
Design exercise(const char* mode) {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", "64");
  set(design.hosts[0], Role::host, "nic.count", "4");
  set(design.storage[0], Role::storage, "ost.count", "50");
  set(design.jobs[0].step, Role::step, "compute", "50 ms");
  design.jobs[0].dataset = component(Role::dataset, "tfrecord", "dataset",
                                     {{"on", "scratch"}, {"sample", "10 kB"}, {"size", "20 TB"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {});
  design.jobs[0].checkpoint =
      component(Role::checkpoint, mode, "checkpoint",
                {{"to", "scratch"}, {"every_steps", "200"}, {"size", "2 TB"}});
  return design;
}

double value(const models::Bounds& bounds, const std::string& name) {
  for (const models::Derivation& d : bounds.derivations)
    if (d.name == name) return d.value;
  FAIL("no derivation " << name);
  return 0.0;
}

}  // namespace

TEST_CASE("the exercise reads 102.4 MB/s, writes 200 GB/s and needs 50 OSTs for the writes") {
  const models::Bounds bounds = models::bounds(exercise("async"));
  // 512 x 10 kB / 50 ms; 2 TB / (200 x 50 ms)
  CHECK(value(bounds, "job.train.read.demand") == Approx(102.4e6));
  CHECK(value(bounds, "job.train.checkpoint.write.demand") == Approx(200e9));
  CHECK(value(bounds, "storage.scratch.osts.writes") == Approx(50.0));
  CHECK(bounds.osts_required == Approx(50.0256));
  CHECK(bounds.storage == "scratch");
}

TEST_CASE("synchronous saves over 50 OSTs halve the utilization") {
  // 2 TB / 200 GB/s = 10 s for every 10 s of compute
  const models::Bounds bounds = models::bounds(exercise("sync"));
  CHECK(bounds.utilization == Approx(0.5).epsilon(1e-6));
  CHECK(bounds.binding == "storage.scratch.ost");
}

TEST_CASE("a job that demands more than its NICs is bound by them") {
  Design design = exercise("async");
  set(design.hosts[0], Role::host, "nic.rate", "1 Gb/s");
  set(design.hosts[0], Role::host, "nic.count", "1");
  set(design.jobs[0].dataset.value(), Role::dataset, "sample", "10 MB");
  // 64 x 1 Gb/s x 95 % = 7.6 GB/s against 102.4 GB/s
  const models::Bounds bounds = models::bounds(design);
  CHECK(bounds.binding == "host.gpu.nic.read");
  CHECK(bounds.utilization == Approx(7.6 / 102.4).epsilon(1e-6));
}
