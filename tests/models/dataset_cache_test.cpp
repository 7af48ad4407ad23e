#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "models/bounds/bounds.hpp"
#include "models/bounds/cost.hpp"
#include "models/bounds/whole_run.hpp"
#include "tests/support/designs.hpp"

namespace dataset_cache_test {

/// What hosts keep of a data set, in whole simulations.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

// One host of 8 GPUs reads 8000 samples of 1 MB an epoch, 80 a step of 100 ms (800 MB/s wanted),
// from a Lustre that gives 200 MB/s.
Design reading(const Pairs& settings, const char* epochs = "2", const char* hosts = "1") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", hosts);
  for (const auto& [key, text] : Pairs{{"ost.count", "1"}, {"ost.read", "200 MB/s"}})
    set(design.storage[0], Role::storage, key, text);
  JobDesign& job = design.jobs[0];
  set(job.job, Role::job, "epochs", epochs);
  design.run.values.erase("duration");
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "1 MB"}, {"samples", "8000"}});
  for (const auto& [key, text] : settings) set(*job.dataset, Role::dataset, key, text);
  job.loader = component(
      Role::loader, "pytorch", "loader",
      {{"batch", "10"}, {"workers", "4"}, {"start", "0 s"}, {"handover", "0 s"}, {"copy", "none"}});
  return design;
}

/// Two epochs of a run of 50 whose processes fail at a date, and load again 4 s later.
Design failing(const Pairs& settings, const char* at) {
  Design design = reading(settings);
  set(design.jobs[0].job, Role::job, "run.epochs", "50");
  design.jobs[0].recovery =
      component(Role::recovery, "restart", "recovery",
                {{"detect", "1 s"}, {"replace", "0 s"}, {"start", "3 s"}, {"init", "0 s"}});
  design.failures.push_back(
      component(Role::failure, "process", "crash", {{"at", at}, {"hosts", "gpu"}}));
  return design;
}

/// What a run says of the whole run, too.
RunResult run_with_whole(const Design& design) {
  RunResult result = run(design);
  models::add_whole_runs(design, models::costs(design), result.metrics);
  return result;
}

double hit(const RunResult& result, const std::string& job = "train") {
  return metric(result, "job." + job + ".cache.hit");
}

}  // namespace

TEST_CASE("dataset cache: none is used, and nothing of one reported, unless asked for") {
  const RunResult result = run(reading({}));
  CHECK_FALSE(result.metrics.contains("job.train.cache.hit"));
}

TEST_CASE("dataset cache: the first epoch misses, the second finds what the law says") {
  const Pairs lru = {{"cache.policy", "lru"}, {"cache.size", "4 GB"}};
  CHECK(hit(run(reading(lru, "1"))) == 0.0);
  CHECK(hit(run(reading(lru, "2"))) == Approx(0.5 + 0.5 * std::log(0.5)).epsilon(1e-6));
  CHECK(hit(run(reading({{"cache.policy", "pinned"}, {"cache.size", "4 GB"}}))) ==
        Approx(0.5).epsilon(1e-6));
  CHECK(hit(run(reading({{"cache.policy", "lru"}, {"cache.size", "8 GB"}}))) ==
        Approx(1.0).epsilon(1e-6));
  // warm from the start; in one order LRU finds nothing of a set that does not fit
  Pairs warm = lru;
  warm.push_back({"cache.warm", "true"});
  CHECK(hit(run(reading(warm, "1"))) == Approx(0.5 + 0.5 * std::log(0.5)).epsilon(1e-6));
  Pairs scan = lru;
  scan.push_back({"shuffle", "none"});
  CHECK(hit(run(reading(scan, "3"))) == 0.0);
}

TEST_CASE("dataset cache: what a host comes back to are the columns and row groups it reads") {
  // 80 steps of 10 rows of 1 MB; of all 8 GB an epoch reads 800 MB.
  const auto found = [](const Pairs& some, const char* size) {
    Design design = reading({});
    JobDesign& job = design.jobs[0];
    job.dataset = component(Role::dataset, "parquet", "dataset",
                            {{"on", "scratch"},
                             {"sample", "1 MB"},
                             {"samples", "8000"},
                             {"row_group", "10 MB"},
                             {"cache.policy", "pinned"}});
    for (const auto& [key, text] : some) set(*job.dataset, Role::dataset, key, text);
    set(*job.dataset, Role::dataset, "cache.size", size);
    return hit(run(design));
  };
  const Pairs columns = {{"columns", "10 %"}};
  const Pairs sorted = {{"filter.rows", "10 %"}, {"filter.run", "1e6"}};
  for (const Pairs& some : {columns, sorted}) {
    CHECK(found(some, "400 MB") == Approx(0.5).epsilon(1e-4));
    CHECK(found(some, "801 MB") == 1.0);
  }
  // Rows that match lie anywhere: 1 - 0.9^10 = 65 % of the groups are read.
  CHECK(found({{"filter.rows", "10 %"}}, "800 MB") ==
        Approx(0.1 / (1.0 - std::pow(0.9, 10.0))).epsilon(1e-6));
}

TEST_CASE("dataset cache: one that is empty after a lost host is no fuller after a crash") {
  // Two hosts, each with its half of the data, all there. One is lost: what it reads in that epoch
  // is missed, and half of all is found.
  const auto crashed = [](bool host) {
    Design design = reading({{"cache.policy", "pinned"},
                             {"cache.size", "80 GB"},
                             {"cache.warm", "true"},
                             {"shuffle", "node"}},
                            "1", "2");
    JobDesign& job = design.jobs[0];
    set(*job.dataset, Role::dataset, "samples", "80000");
    job.recovery =
        component(Role::recovery, "restart", "recovery",
                  {{"detect", "1 s"}, {"replace", "0 s"}, {"start", "1 s"}, {"init", "0 s"}});
    job.checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                               {{"to", "scratch"}, {"every_steps", "10"}, {"size", "1 MB"}});
    if (host) design.failures.push_back(component(Role::failure, "host", "lost", {{"at", "5 s"}}));
    design.failures.push_back(component(Role::failure, "process", "crash", {{"at", "30 s"}}));
    return hit(run(design));
  };
  CHECK(crashed(false) == 1.0);
  CHECK(crashed(true) == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("dataset cache: an epoch takes the longest of fetching, preparing and computing") {
  // T = max(F, P, G) as Mohan et al. predict within 4 %, where one of them leads: a worker that
  // fetches does not decode. 100 steps of 100 ms: G = 10 s. F = m 8 GB / 200 MB/s = m 40 s; P =
  // 8000 x decode / 32 workers.
  const auto check = [](double cached, double decode) {
    INFO(cached << " cached, decode " << decode);
    const std::string size = std::to_string(cached * 8.0) + " GB";
    const std::string cpu = std::to_string(decode) + " s";
    const RunResult result = run(reading({{"cache.policy", "pinned"},
                                          {"cache.size", size.c_str()},
                                          {"cache.warm", "true"},
                                          {"decode", cpu.c_str()}},
                                         "1"));
    const double fetch = (1.0 - cached) * 40.0, prepare = 8000.0 * decode / 32.0;
    CHECK(metric(result, "job.train.gpu.utilization") ==
          Approx(10.0 / std::max({10.0, fetch, prepare})).epsilon(0.04));
  };
  for (const double cached : {0.1, 0.35, 0.5, 0.9}) check(cached, 0.001);
  for (const double cached : {0.98, 1.0}) check(cached, 0.16);
}

TEST_CASE("dataset cache: what is found costs memory bandwidth and no storage") {
  // all found: 800 MB/s from DRAM at compute speed, and nothing from the OST
  const RunResult result =
      run(reading({{"cache.policy", "lru"}, {"cache.size", "8 GB"}, {"cache.warm", "true"}}, "1"));
  CHECK(metric(result, "job.train.gpu.utilization") > 0.98);
  CHECK(metric(result, "resource.storage.scratch.ost.throughput") == 0.0);
  CHECK(metric(result, "resource.host.gpu.memory.read.throughput") ==
        Approx(metric(result, "job.train.throughput.bytes")).epsilon(1e-6));
  CHECK(metric(result, "job.train.cache.missed") == 0.0);
  // 32 workers that take 10 MB/s each out of the cache: 320 of the 800 MB/s wanted
  const RunResult slow = run(reading({{"cache.policy", "lru"},
                                      {"cache.size", "8 GB"},
                                      {"cache.warm", "true"},
                                      {"cache.copy", "10 MB/s"}},
                                     "1"));
  CHECK(metric(slow, "job.train.gpu.utilization") == Approx(0.4).epsilon(0.04));
}

TEST_CASE(
    "dataset cache: files found are opened at the storage system unless attributes are kept") {
  Pairs all = {{"cache.policy", "lru"}, {"cache.size", "8 GB"}, {"cache.warm", "true"}};
  CHECK(metric(run(reading(all, "1")), "resource.storage.scratch.mdt.throughput") > 0.0);
  all.push_back({"cache.opens", "false"});
  CHECK(metric(run(reading(all, "1")), "resource.storage.scratch.mdt.throughput") == 0.0);
}

TEST_CASE("dataset cache: reshuffled over nodes a cache finds its share of the data set") {
  // 4 hosts with room for a quarter each, "enough per node": 25 % found, not all
  Pairs global = {{"cache.policy", "pinned"}, {"cache.size", "2 GB"}, {"cache.warm", "true"}};
  CHECK(hit(run(reading(global, "1", "4"))) == Approx(0.25).epsilon(1e-6));
  Pairs fixed = global;
  fixed.push_back({"shuffle", "node"});
  CHECK(hit(run(reading(fixed, "1", "4"))) == Approx(1.0));
  // together they hold it all: three quarters come over the network of the hosts
  Pairs together = global;
  together.push_back({"cache.scope", "cooperative"});
  const RunResult result = run(reading(together, "1", "4"));
  CHECK(hit(result) == Approx(1.0));
  CHECK(metric(result, "resource.host.gpu.nic.read.throughput") ==
        Approx(0.75 * metric(result, "job.train.throughput.bytes")).epsilon(1e-6));
  CHECK(metric(result, "resource.host.gpu.nic.write.throughput") ==
        Approx(0.75 * metric(result, "job.train.throughput.bytes")).epsilon(1e-6));
  // unlimited caches see a quarter of the rest each epoch: after 2 epochs 1 - 0.75^2
  const Pairs whole = {{"cache.policy", "lru"}, {"cache.size", "8 GB"}};
  CHECK(hit(run(reading(whole, "3", "4"))) == Approx(1.0 - 0.75 * 0.75).epsilon(1e-6));
}

TEST_CASE("dataset cache: local drives are filled as data come in and read as they are found") {
  Pairs drives = {{"cache.policy", "pinned"}, {"cache.size", "8 GB"}, {"cache.medium", "nvme"}};
  Design design = reading(drives, "2");
  set(design.hosts[0], Role::host, "nvme.read", "400 MB/s");
  set(design.hosts[0], Role::host, "nvme.write", "1 GB/s");
  // 8 GB in at 200 MB/s, then out at 400 MB/s: 40 + 20 s for 20 s of computing
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.gpu.utilization") == Approx(20.0 / 60.0).epsilon(0.04));
  const double wall = 20.0 / metric(result, "job.train.gpu.utilization");
  CHECK(metric(result, "resource.host.gpu.nvme.drives.throughput") * wall ==
        Approx(16e9).epsilon(0.01));
  CHECK(metric(result, "resource.host.gpu.nvme.drives.read.throughput") * wall ==
        Approx(8e9).epsilon(0.01));
}

TEST_CASE("dataset cache: drives that are behind keep what they can write, and hold nobody up") {
  const auto filled = [](const char* policy, const char* write, const char* epochs) {
    Design design = reading(
        {{"cache.policy", policy}, {"cache.size", "8 GB"}, {"cache.medium", "nvme"}}, epochs);
    set(design.hosts[0], Role::host, "nvme.read", "7 GB/s");
    set(design.hosts[0], Role::host, "nvme.write", write);
    return run(design);
  };
  const double without = metric(run(reading({}, "2")), "job.train.time.wall");
  for (const char* policy : {"pinned", "lru", "random"}) {
    // 200 MB/s come in for 40 s; what is 5 s old and not written yet may be there, too
    for (const auto& [write, share] : {std::pair{"100 MB/s", 0.5}, {"20 MB/s", 0.1}}) {
      const RunResult result = filled(policy, write, "2");
      CHECK(hit(result) > share * 0.99);
      CHECK(hit(result) < share + 0.15);
      CHECK(metric(result, "job.train.time.wall") < without * 1.001);
    }
    // The rest comes in later.
    CHECK(hit(filled(policy, "100 MB/s", "5")) > 0.95);
  }
}

TEST_CASE("dataset cache: what waits for the drives is found once it is written") {
  // 1.6 GB in 8 s at 200 MB/s, of which drives of 100 MB/s have written half; none is given up. In
  // the second epoch h = 1/2 + t / 16 s of what is read is there, at no time against 200 MB/s:
  // dx/dt = 200 MB/s / (1 - h), so that 1.6 GB take 16 (1 - 1/sqrt(e)) / 2 s and find 1/sqrt(e).
  for (const char* policy : {"pinned", "lru"}) {
    Design design =
        reading({{"cache.policy", policy}, {"cache.size", "8 GB"}, {"cache.medium", "nvme"}}, "2");
    set(*design.jobs[0].dataset, Role::dataset, "samples", "1600");
    set(design.jobs[0].step, Role::step, "compute", "1 ms");
    set(design.hosts[0], Role::host, "nvme.read", "100 GB/s");
    set(design.hosts[0], Role::host, "nvme.write", "100 MB/s");
    const RunResult result = run(design);
    CHECK(hit(result) == Approx(std::exp(-0.5)).margin(0.02));  // pieces count once all is written
    CHECK(metric(result, "resource.host.gpu.nvme.drives.write.throughput") *
              metric(result, "job.train.time.wall") <
          1.6e9);  // nothing twice
  }
}

TEST_CASE("dataset cache: a run of many epochs has its cold ones once") {
  // 8 GB at 200 MB/s, then 10 s of computing an epoch: 40 + 10 (n - 1)
  const Pairs kept = {{"cache.policy", "lru"}, {"cache.size", "8 GB"}};
  const auto whole = [&](Pairs settings, const char* epochs, const char* hosts = "1") {
    Design design = reading(settings, epochs, hosts);
    set(design.jobs[0].job, Role::job, "run.epochs", "50");
    return run_with_whole(design);
  };
  for (const char* epochs : {"2", "3", "6"}) {
    CAPTURE(epochs);
    const RunResult result = whole(kept, epochs);
    CHECK(metric(result, "job.train.epoch.cold") == Approx(30.0).epsilon(0.03));
    CHECK(metric(result, "job.train.run.time") == Approx(30.0 + 50 * 10.0).epsilon(0.02));
    CHECK(result.warnings.empty());
  }
  // A failure in the cold epoch costs its own time: 4 s until processes load again, and what was
  // lost, from the start as nothing is saved.
  const RunResult failed = run_with_whole(failing(kept, "20 s"));
  const double lost = metric(failed, "job.train.time.restart");
  CHECK(lost > 20.0);
  CHECK(failed.warnings.empty());
  CHECK(metric(failed, "job.train.run.time") ==
        Approx(lost + 50 * 10.0 + metric(failed, "job.train.epoch.cold")).epsilon(0.02));
  const RunResult first = whole(kept, "1");
  REQUIRE(first.warnings.size() == 1);
  CHECK(first.warnings[0].find("\"epochs\": 2") != std::string::npos);
  CHECK(metric(first, "job.train.run.time") == Approx(50 * 40.0).epsilon(0.02));
  // What is warm, or never kept, has none.
  CHECK_FALSE(whole({}, "3").metrics.contains("job.train.epoch.cold"));
  Pairs warm = kept;
  warm.emplace_back("cache.warm", "true");
  CHECK_FALSE(whole(warm, "3").metrics.contains("job.train.epoch.cold"));
}

TEST_CASE("dataset cache: a cold epoch that a failure undid is lost, and not a second time") {
  // 40 s of the first epoch and 5 of the second are gone; caches are not, so that two epochs take
  // 10 s each from then on.
  const RunResult result =
      run_with_whole(failing({{"cache.policy", "pinned"}, {"cache.size", "8 GB"}}, "45 s"));
  CHECK(metric(result, "job.train.epoch.cold") == Approx(0.0).margin(0.3));
  CHECK(metric(result, "job.train.run.time") == Approx(45.0 + 4.0 + 50 * 10.0).epsilon(0.01));
}

TEST_CASE("dataset cache: two epochs tell how long twenty take with their saves") {
  const auto time_of = [](const char* field, const char* often, const char* epochs) {
    Design design = reading({{"cache.policy", "pinned"}, {"cache.size", "8 GB"}}, epochs);
    set(design.jobs[0].job, Role::job, "run.epochs", "20");
    set(design.storage[0], Role::storage, "ost.write", "2 GB/s");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"}, {"size", "8 GB"}, {field, often}});
    return metric(run_with_whole(design), "job.train.run.time");
  };
  // Saves of some 4 s; those that fall into the 30 s that the first epoch takes longer are of it.
  // (While a save is under way loaders read ahead, in the first epoch only.)
  CHECK(time_of("every", "10 s", "2") == Approx(time_of("every", "10 s", "20")).epsilon(0.03));
  CHECK(time_of("every_steps", "20", "2") ==
        Approx(time_of("every_steps", "20", "20")).epsilon(0.015));
}

TEST_CASE("dataset cache: O_DIRECT goes past the page cache and not past local drives") {
  CHECK_FALSE(run(reading({{"cache.policy", "lru"}, {"cache.size", "4 GB"}, {"direct", "true"}}))
                  .metrics.contains("job.train.cache.hit"));
}

TEST_CASE("dataset cache: jobs that name one data set find what others read") {
  Design design = reading(
      {{"cache.policy", "lru"}, {"cache.size", "4 GB"}, {"cache.warm", "true"}, {"name", "images"}},
      "1");
  set(design.jobs[0].job, Role::job, "accelerators", "4");
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "other";
  // k = 2, c = 0.5: r* = 1 - 0.5^0.5; h = r* + 0.5 ln(1 - r*) + (1 - r*)(1 - 0.5^0.5)
  const double r = 1.0 - std::sqrt(0.5);
  const double law = r + 0.5 * std::log(1.0 - r) + (1.0 - r) * (1.0 - std::sqrt(0.5));
  CHECK(hit(run(design)) == Approx(law).epsilon(1e-6));
  // other data: each has a quarter of the room it needs
  set(*design.jobs[1].dataset, Role::dataset, "name", "other images");
  CHECK(hit(run(design)) == Approx(0.25 + 0.75 * std::log(0.75)).epsilon(1e-6));
  // In one order LRU has dropped what comes next: each fetches half of it, and finds the other's.
  for (JobDesign& job : design.jobs) {
    set(*job.dataset, Role::dataset, "name", "images");
    set(*job.dataset, Role::dataset, "shuffle", "none");
  }
  CHECK(hit(run(design)) == Approx(0.5).epsilon(1e-6));
  set(*design.jobs[1].dataset, Role::dataset, "shuffle", "global");
  CHECK(hit(run(design)) == 0.0);
}

TEST_CASE("dataset cache: the estimate leaves out what can be found at most") {
  // 800 MB/s wanted, 400 of them missed at least, 200 there
  const models::Bounds bounds = models::bounds(
      reading({{"cache.policy", "pinned"}, {"cache.size", "4 GB"}, {"cache.warm", "true"}}));
  CHECK(bounds.utilization == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("dataset cache: buffered saves push out what epochs come back to, direct ones do not") {
  // 100 steps an epoch; 4 saves of 1 GB in it, half of the 8 GB data set: w = 0.5, c = 0.5. LRU:
  // 1 - (1 - r)(1 - v) + (r + v) / 2 = 1 / 2, so (1 - r)(1 - v) = (1 + r + v) / 2 and
  // 1 - r = (2 + v) / (3 - 2 v); found is r while r > 0: v < 1/3
  //   h = int_0^(1/3) (1 - 3 v) / (3 - 2 v) dv = 1/2 - 7/4 ln(9/7)
  const auto found = [](const char* direct, const char* policy) {
    Design design = reading({{"cache.policy", policy}, {"cache.size", "4 GB"}}, "4");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "25"},
                                           {"size", "1 GB"},
                                           {"serializer", "none"},
                                           {"direct", direct}});
    return hit(run(design));
  };
  CHECK(found("true", "lru") == Approx(0.5 + 0.5 * std::log(0.5)).epsilon(1e-6));
  CHECK(found("false", "lru") == Approx(0.5 - 1.75 * std::log(9.0 / 7.0)).epsilon(1e-3));
  CHECK(found("false", "random") < found("true", "random") - 0.05);
  CHECK(found("false", "pinned") == Approx(0.5).epsilon(1e-6));
}

}  // namespace dataset_cache_test
