#include <catch2/catch.hpp>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"

namespace bounds_test {

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
  CHECK(value(bounds, "storage.scratch.osts.bound") == 51.0);  // there is no part of an OST
  CHECK(bounds.storage == "scratch");
}

TEST_CASE("saves that training waits for take no OSTs: nobody computes meanwhile") {
  // Reads of 40 GB/s, 10 OSTs; 200 GB every 10 s of compute, 5 OSTs if it goes on. A save takes
  // 200 GB / (50 x 4 GB/s) = 1 s besides what comes before it.
  for (const char* mode : {"async", "sync"}) {
    Design design = exercise(mode);
    set(design.jobs[0].dataset.value(), Role::dataset, "sample", "3.90625 MB");
    set(*design.jobs[0].checkpoint, Role::checkpoint, "size", "200 GB");
    set(*design.jobs[0].checkpoint, Role::checkpoint, "serializer", "none");
    set(*design.jobs[0].checkpoint, Role::checkpoint, "snapshot", "none");
    const bool waits = mode == std::string("sync");
    const models::Bounds bounds = models::bounds(design);
    CHECK(value(bounds, "job.train.checkpoint.save.bound") == Approx(1.0));
    CHECK(value(bounds, "job.train.checkpoint.write.demand") == Approx(200e9 / (waits ? 11 : 10)));
    CHECK(bounds.osts_required == Approx(waits ? 10.0 : 15.0));
  }
}

TEST_CASE("a whole save leaves less of its interval than the increments behind it") {
  // Of saves every 60 s a whole one of 300 s leaves one step of 1 s, nine increments of 15 s leave
  // 45 s: 406 of 841 s are computed, where ten of their mean of 43.5 s would leave 17 of 60.
  Design design = small_design();
  design.jobs[0].dataset.reset();
  design.jobs[0].loader.reset();
  set(design.jobs[0].step, Role::step, "compute", "1 s");
  set(design.storage[0], Role::storage, "ost.count", "1");
  set(design.storage[0], Role::storage, "ost.write", "1 GB/s");
  set(design.run, Role::run, "duration", "8410 s");
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"},
                                         {"every", "60 s"},
                                         {"size", "300 GB"},
                                         {"serializer", "none"},
                                         {"snapshot", "none"},
                                         {"incremental.fraction", "5 %"},
                                         {"incremental.full_every", "10"}});
  const double most = models::bounds(design).utilization;
  CHECK(most == Approx(406.0 / 841.0).epsilon(0.02));
  CHECK(metric(run(design), "job.train.gpu.utilization") <= most);
}

TEST_CASE("the storage is asked only for the saves that are drained to it") {
  // Of 200 GB every 10 s each fourth one, 5 GB/s: of increments of 10 % each whole one.
  Design design = exercise("async");
  Component& save = *design.jobs[0].checkpoint;
  set(save, Role::checkpoint, "size", "200 GB");
  set(save, Role::checkpoint, "tiers", "host-memory,scratch");
  set(save, Role::checkpoint, "durable", "host-memory");
  set(save, Role::checkpoint, "drain_every", "4");
  CHECK(value(models::bounds(design), "job.train.checkpoint.write.demand") == Approx(5e9));
  set(save, Role::checkpoint, "incremental.fraction", "10 %");
  set(save, Role::checkpoint, "incremental.full_every", "4");
  CHECK(value(models::bounds(design), "job.train.checkpoint.write.demand") == Approx(5e9));
}

TEST_CASE("drives are counted in the hosts that a job uses") {
  // 16 GPUs on 16 of 64 hosts with a drive of 4 GB/s each: 16 x 25 MB / 50 ms = 8 GB/s are 500
  // MB/s of each, an eighth of its drive.
  Design design = exercise("async");
  design.storage[0] = component(Role::storage, "local", "scratch",
                                {{"drive.count", "1"}, {"drive.read", "4 GB/s"}});
  design.jobs[0].checkpoint.reset();
  set(design.jobs[0].job, Role::job, "accelerators", "16");
  set(design.jobs[0].dataset.value(), Role::dataset, "sample", "25 MB");
  CHECK(models::bounds(design).osts_required == Approx(0.125));
  // Saves of 32 GB every 10 s, of 16 ranks on 16 hosts: 200 MB/s of each, of 2 GB/s.
  design.jobs[0].dataset.reset();
  design.jobs[0].loader.reset();
  design.jobs[0].checkpoint =
      component(Role::checkpoint, "async", "checkpoint",
                {{"to", "scratch"}, {"every_steps", "200"}, {"size", "32 GB"}});
  set(design.storage[0], Role::storage, "drive.write", "2 GB/s");
  CHECK(models::bounds(design).osts_required == Approx(0.1));
}

TEST_CASE("a job has the cores and the opens of the hosts that it is on") {
  // 16 ranks on 16 of 64 hosts: 16 x 64 files each 50 ms are 20,480 a second, of 1,000 on each.
  Design design = exercise("async");
  design.jobs[0].checkpoint.reset();
  set(design.jobs[0].job, Role::job, "accelerators", "16");
  set(*design.jobs[0].loader, Role::loader, "batch", "64");
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "scratch"}, {"sample", "10 kB"}, {"size", "20 TB"}});
  set(design.storage[0], Role::storage, "mdt.count", "16");
  set(design.storage[0], Role::storage, "mdt.open", "10 kops/s");
  set(design.hosts[0], Role::host, "opens", "1 kops/s");
  CHECK(models::bounds(design).utilization == Approx(16000.0 / 20480.0));
}

TEST_CASE("saves whose snapshots do not fit in host memory are waited for") {
  // 2 TB of 64 hosts are 31 GB on each, of which 16 GB may be held: 10 s of 50 OSTs in 10 s.
  Design design = exercise("async");
  set(design.hosts[0], Role::host, "memory.size", "32 GB");
  const models::Bounds bounds = models::bounds(design);
  CHECK(bounds.utilization == Approx(0.5 + 0.05 / 60.0).epsilon(1e-6));
  CHECK(bounds.osts_required < 1.0);
}

TEST_CASE("one writer saves through one host, in one stream") {
  // 200 GB: 1 s of 50 OSTs; one host has 4 ports of 50 GB/s x 95 %, its client 20 GB/s, a process
  // 2.5 GB/s. Four threads do as many.
  Design design = exercise("sync");
  Component& save = *design.jobs[0].checkpoint;
  set(save, Role::checkpoint, "size", "200 GB");
  const auto least = [&] {
    return value(models::bounds(design), "job.train.checkpoint.save.bound");
  };
  CHECK(least() == Approx(1.0));  // of 512 writers
  set(save, Role::checkpoint, "layout", "rank0");
  CHECK(least() == Approx(80.0));
  set(save, Role::checkpoint, "threads", "4");
  CHECK(least() == Approx(20.0));
  CHECK(models::bounds(design).binding == "storage.scratch.client.stream");
  set(design.storage[0], Role::storage, "client.write", "8 GB/s");
  CHECK(least() == Approx(25.0));
  CHECK(models::bounds(design).binding == "host.gpu.client.scratch.write");
  set(save, Role::checkpoint, "direct", "true");
  CHECK(least() == Approx(25.0));
}

TEST_CASE("synchronous saves over 50 OSTs halve the utilization") {
  // 2 TB / 200 GB/s = 10 s for every 10 s of compute
  const models::Bounds bounds = models::bounds(exercise("sync"));
  // of the 60 s of the run, and of the step that may go on when they are over
  CHECK(bounds.utilization == Approx(0.5 + 0.05 / 60.0).epsilon(1e-6));
  CHECK(bounds.binding == "storage.scratch.ost");
}

TEST_CASE("a run of any length computes no more than its saves leave") {
  // 2 TB / 200 GB/s = 10 s, by steps and by time, in runs that end anywhere between two saves
  for (const auto& [key, every] :
       {std::pair("every_steps", "200"), {"every", "25 s"}, {"every", "4 s"}})
    for (const char* duration : {"19 s", "31 s", "47 s", "58 s", "95 s", "300 s"}) {
      INFO(key << " " << every << ", " << duration);
      Design design = exercise("sync");
      design.jobs[0].dataset.reset();
      design.jobs[0].loader.reset();
      design.jobs[0].checkpoint->values.erase("every_steps");
      set(*design.jobs[0].checkpoint, Role::checkpoint, key, every);
      set(*design.jobs[0].checkpoint, Role::checkpoint, "serializer", "none");
      set(design.jobs[0].step, Role::step, "jitter", "0 %");
      set(design.run, Role::run, "duration", duration);
      const double most = models::bounds(design).utilization;
      const double there = metric(run(design), "job.train.gpu.utilization");
      CHECK(there <= most + 1e-9);
      CHECK(there > most - 0.2);  // a save that has begun is waited for
    }
}

TEST_CASE("a job that ends with its steps waits for the saves before the last") {
  Design design = exercise("sync");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  for (const auto& [steps, saves] :
       {std::pair("200", 0.0), {"201", 1.0}, {"400", 1.0}, {"1000", 4.0}}) {
    INFO(steps);
    set(design.jobs[0].job, Role::job, "steps", steps);
    design.run.values.erase("duration");
    // 10 s of compute before the first and after each
    CHECK(models::bounds(design).utilization ==
          Approx((10.0 + 10.0 * saves) / (10.0 + 20.0 * saves)));
  }
}

TEST_CASE("saves cross the network with the parity their clients compute") {
  Design design = exercise("sync");
  design.storage[0] = component(Role::storage, "daos", "scratch", {{"server.count", "8"}});
  // 16+3: 2 TB x 19 / 16 over 8 x 29.3 GB/s = 10.1 s for every 10 s of compute
  const double save = 2e12 * 19.0 / 16.0 / (8 * 29.3e9);
  set(design.run, Role::run, "duration", "1000 d");
  CHECK(models::bounds(design).utilization == Approx(10.0 / (10.0 + save)).epsilon(1e-6));
}

TEST_CASE("two jobs on one storage share it max-min, each at most at its demand") {
  // 32 GB/s of OSTs: one job demands 8 GB/s and gets it, the other demands 80 GB/s and gets 24
  Design design = small_design();
  set(design.storage[0], Role::storage, "stripe.count", "0");
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "4"}}));
  JobDesign& modest = design.jobs[0];
  modest.dataset = component(Role::dataset, "raw", "dataset",
                             {{"on", "scratch"}, {"sample", "25 MB"}, {"size", "20 TB"}});
  modest.loader = component(Role::loader, "pytorch", "loader", {});
  JobDesign greedy = modest;  // 32 GPUs x 25 MB / 100 ms = 8 GB/s, and ten times that
  greedy.job.id = "greedy";
  set(greedy.job, Role::job, "hosts", "other");
  set(greedy.dataset.value(), Role::dataset, "sample", "250 MB");
  design.jobs.push_back(greedy);
  const models::Bounds bounds = models::bounds(design);
  CHECK(value(bounds, "job.train.gpu.utilization.estimate") == Approx(1.0));
  CHECK(value(bounds, "job.greedy.gpu.utilization.estimate") == Approx(24.0 / 80.0));
}

TEST_CASE("a limited job takes its limit at most, and leaves the rest to the others") {
  // 32 GB/s of OSTs: of 80 GB/s that one job demands it may have 8; the other gets its 20 GB/s.
  Design design = small_design();
  set(design.storage[0], Role::storage, "stripe.count", "0");
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "4"}}));
  JobDesign& first = design.jobs[0];
  first.dataset = component(Role::dataset, "raw", "dataset",
                            {{"on", "scratch"}, {"sample", "62.5 MB"}, {"size", "20 TB"}});
  first.loader = component(Role::loader, "pytorch", "loader", {});
  JobDesign held = first;
  held.job.id = "held";
  set(held.job, Role::job, "hosts", "other");
  set(held.dataset.value(), Role::dataset, "sample", "250 MB");
  design.jobs.push_back(held);
  CHECK(value(models::bounds(design), "job.train.gpu.utilization.estimate") == Approx(16.0 / 20.0));
  set(design.jobs[1].job, Role::job, "limit", "8 GB/s");
  const models::Bounds bounds = models::bounds(design);
  CHECK(value(bounds, "job.train.gpu.utilization.estimate") == Approx(1.0));
  CHECK(value(bounds, "job.held.gpu.utilization.estimate") == Approx(8.0 / 80.0));
  CHECK(value(bounds, "job.held.gpu.utilization.bound") == Approx(8.0 / 80.0));
  CHECK(value(bounds, "job.train.gpu.utilization.bound") == Approx(1.0));
  CHECK(bounds.utilization == Approx(8.0 / 80.0));
  CHECK(bounds.job == "held");
  CHECK(bounds.binding == "job.held.limit");
}

TEST_CASE("what a job may begin a second bounds what it reads") {
  // 32 readers of one sample of 20 MB a second: an open and 4.77 requests of 4 MiB each, or of
  // 1 MB an open and a request.
  Design design = small_design();
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "20 MB"}, {"size", "20 TB"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}});
  set(job.step, Role::step, "compute", "1 s");
  set(job.job, Role::job, "limit_operations", "100 ops/s");
  const double pieces = 20e6 / 4194304.0;
  models::Bounds bounds = models::bounds(design);
  CHECK(value(bounds, "job.train.operations.demand") == Approx(32.0 * (1.0 + pieces)));
  CHECK(bounds.utilization == Approx(100.0 / (32.0 * (1.0 + pieces))));
  CHECK(bounds.binding == "job.train.limit_operations");
  set(*job.dataset, Role::dataset, "sample", "1 MB");
  set(job.job, Role::job, "limit_operations", "32 ops/s");
  CHECK(models::bounds(design).utilization == Approx(0.5));
}

TEST_CASE("a job opens files no faster than metadata servers do, and hosts") {
  // 32 readers of 64 files each 100 ms: 20,480 opens a second, of 10,000 on each of one MDT.
  Design design = small_design();
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "10 kB"}, {"size", "20 TB"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "64"}});
  set(design.storage[0], Role::storage, "mdt.open", "10 kops/s");
  models::Bounds bounds = models::bounds(design);
  CHECK(bounds.utilization == Approx(10000.0 / 20480.0));
  CHECK(bounds.binding == "storage.scratch.mdt");
  CHECK(value(bounds, "job.train.gpu.utilization.opens") == Approx(10000.0 / 20480.0));
  // A quarter of them on a filer, where each is so many requests and one for its data. Lustre opens
  // the others: 10,000 / 15,360.
  design.storage.push_back(
      component(Role::storage, "nfs", "home",
                {{"head.count", "1"}, {"head.ops", "6 kops/s"}, {"client.open_requests", "2"}}));
  set(*job.dataset, Role::dataset, "also.on", "home");
  set(*job.dataset, Role::dataset, "also.share", "25 %");
  bounds = models::bounds(design);
  CHECK(bounds.utilization == Approx(2000.0 / 5120.0));
  CHECK(bounds.binding == "storage.home.head.ops");
  CHECK(value(bounds, "job.train.gpu.utilization.opens") == Approx(10000.0 / 15360.0));
  // 4 hosts of 1,000 files a second each.
  set(design.hosts[0], Role::host, "opens", "1 kops/s");
  bounds = models::bounds(design);
  CHECK(bounds.utilization == Approx(4000.0 / 20480.0));
  CHECK(bounds.binding == "host.gpu.opens");
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

}  // namespace bounds_test
