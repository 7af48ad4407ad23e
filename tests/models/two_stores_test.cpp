#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"

namespace two_stores_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// A filer that answers at once; only its rate limits.
Component filer(const char* id, const char* rate) {
  return component(Role::storage, "nfs", id,
                   {{"head.count", "1"},
                    {"head.read", rate},
                    {"head.write", rate},
                    {"head.ops", "1000 kops/s"},
                    {"head.service", "10 us"},
                    {"client.connection", "10 GB/s"},
                    {"client.read_ahead", "1 GiB"},
                    {"client.stream", "10 GB/s"},
                    {"client.nconnect", "16"}});
}

// 32 ranks of 8 workers that compute next to nothing: samples of 1 MB, on "near" at 2 GB/s and
// "far" at 1 GB/s.
Design two(const char* share, const char* format = "raw") {
  Design design = small_design();
  design.storage = {filer("near", "2 GB/s"), filer("far", "1 GB/s")};
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "compute", "1 ms");
  job.dataset = component(Role::dataset, format, "dataset",
                          {{"on", "near"}, {"sample", "1 MB"}, {"samples", "100000000"}});
  if (share != nullptr) {
    set(*job.dataset, Role::dataset, "also.on", "far");
    set(*job.dataset, Role::dataset, "also.share", share);
  }
  job.loader = component(Role::loader, "pytorch", "loader",
                         {{"batch", "8"}, {"workers", "8"}, {"prefetch", "1"}, {"start", "0 s"}});
  set(design.run, Role::run, "duration", "120 s");  // what was read ahead at its end is 1 %
  return design;
}

double bound_of(const Design& design) {
  for (const models::Derivation& d : models::bounds(design).derivations)
    if (d.name == "job.train.gpu.utilization.bound") return d.value;
  return 0.0;
}

/// Samples of 50 MB over one stream: 100 ms at 0.5 GB/s, 200 ms at 0.25 GB/s for three in ten, so
/// 130 ms on average.
Design three_in_ten_far() {
  Design design = one_reader("raw", {{"sample", "50 MB"}}, "1 us");
  design.storage.push_back(design.storage[0]);
  design.storage[1].id = "far";
  set(design.storage[1], Role::storage, "client.stream", "0.25 GB/s");
  set(*design.jobs[0].dataset, Role::dataset, "also.on", "far");
  set(*design.jobs[0].dataset, Role::dataset, "also.share", "30 %");
  return design;
}

}  // namespace

TEST_CASE("many readers of two storage systems read as fast as the first of them is full") {
  // A share p of what is read comes from "far": r p <= 1 GB/s and r (1 - p) <= 2 GB/s, so
  // r = min(2 / (1 - p), 1 / p). Bounds say the same: r over the demand of 32 x 8 MB / 1 ms.
  for (const auto& [share, p] :
       {std::pair{"10 %", 0.1}, {"20 %", 0.2}, {"50 %", 0.5}, {"80 %", 0.8}}) {
    const double rate = std::min(2e9 / (1.0 - p), 1e9 / p);
    const Design design = two(share);
    const RunResult result = run(design);
    INFO("share " << share);
    CHECK(metric(result, "job.train.throughput.bytes") == Approx(rate).epsilon(0.03));
    CHECK(metric(result, "resource.storage.far.head.throughput") == Approx(rate * p).epsilon(0.05));
    CHECK(bound_of(design) == Approx(rate / (32 * 8e6 / 1e-3)).epsilon(1e-6));
    CHECK(metric(result, "job.train.gpu.utilization") <= bound_of(design) * 1.001);
    CHECK(result.limited_by.at("job.train").starts_with(p > 0.34 ? "storage.far" : "storage.near"));
  }
}

TEST_CASE("beside another job the system that is full first sets the pace, whichever it is") {
  // Half of 256 GB/s from "far", which has 1 GB/s of the 128 that it takes.
  for (const char* first : {"near", "far"}) {
    Design design = two("50 %");
    set(*design.jobs[0].dataset, Role::dataset, "on", first);
    set(*design.jobs[0].dataset, Role::dataset, "also.on",
        std::string_view(first) == "near" ? "far" : "near");
    design.hosts.push_back(component(Role::host, "host", "other", {{"count", "1"}, {"gpus", "1"}}));
    JobDesign modest = two(nullptr).jobs[0];  // 1 MB a second
    modest.job.id = "modest";
    set(modest.job, Role::job, "hosts", "other");
    set(modest.step, Role::step, "compute", "8 s");
    design.jobs.push_back(modest);
    double train = 0.0, other = 0.0;
    for (const models::Derivation& d : models::bounds(design).derivations) {
      if (d.name == "job.train.gpu.utilization.estimate") train = d.value;
      if (d.name == "job.modest.gpu.utilization.estimate") other = d.value;
    }
    CHECK(train == Approx(1.0 / 128).epsilon(1e-6));
    CHECK(other == Approx(1.0));
  }
}

TEST_CASE("shards lie on one of both, and are opened there") {
  const RunResult result = run(two("25 %", "webdataset"));
  const double far = metric(result, "resource.storage.far.head.throughput");
  const double near = metric(result, "resource.storage.near.head.throughput");
  CHECK(far / (far + near) == Approx(0.25).epsilon(0.15));
}

TEST_CASE("ranks that are simulated as a class read of both as each by itself") {
  // 64 ranks, shards of 1 GB on two filers that have 4 % more than they ask for.
  const auto use = [](const char* fold, const char* detail) {
    Design design = two("50 %", "webdataset");
    for (Component& storage : design.storage)
      for (const char* way : {"head.read", "head.write"})
        set(storage, Role::storage, way, "1.33 GB/s");
    set(design.hosts[0], Role::host, "count", "8");
    set(design.jobs[0].step, Role::step, "compute", "200 ms");
    for (const auto& [key, value] : Settings{{"shard", "1 GB"}, {"samples", "100000000"}})
      set(*design.jobs[0].dataset, Role::dataset, key, value);
    set(*design.jobs[0].loader, Role::loader, "workers", "4");
    set(design.run, Role::run, "fold", fold);
    set(design.run, Role::run, "detail", detail);
    set(design.run, Role::run, "duration", "600 s");
    return metric(run(design), "job.train.gpu.utilization");
  };
  const double each = use("false", "16");
  CHECK(each < 0.99);
  for (const char* detail : {"8", "16", "32"})
    CHECK(use("true", detail) == Approx(each).margin(0.02));
}

TEST_CASE("all of a data set on one of two is all on one, and nothing changes by a bit") {
  const auto same = [](const RunResult& a, const RunResult& b) {
    CHECK(a.events == b.events);
    CHECK(a.metrics.size() == b.metrics.size());
    for (const auto& [name, metric] : a.metrics) {
      INFO(name);
      REQUIRE(b.metrics.contains(name));
      CHECK(metric.value == b.metrics.at(name).value);
    }
  };
  Design near = two(nullptr), far = two(nullptr);
  set(*far.jobs[0].dataset, Role::dataset, "on", "far");
  same(run(near), run(two("0 %")));
  same(run(far), run(two("100 %")));
  CHECK(bound_of(far) == bound_of(two("100 %")));
}

TEST_CASE("one reader waits for each file where it lies") {
  // 4,600 draws in 600 s leave 0.5 % of error.
  Design design = three_in_ten_far();
  set(design.run, Role::run, "duration", "600 s");
  CHECK(metric(run(design), "job.train.step.time") == Approx(0.130).epsilon(0.02));
}

TEST_CASE("files that are read together lie each where it does") {
  // As before, but eight elements of two files each, one after the other, make a batch.
  Design design = three_in_ten_far();
  design.jobs[0].loader =
      component(Role::loader, "dali", "loader",
                {{"mmap", "false"}, {"batch", "16"}, {"workers", "1"}, {"copy", "none"}});
  set(design.run, Role::run, "duration", "2400 s");
  CHECK(metric(run(design), "job.train.step.time") == Approx(16 * 0.130).epsilon(0.02));
}

TEST_CASE("opens on the slower of two systems are waited for there") {
  // Elements of 8 samples of 1 kB: half of their files lie on the system that takes 10 ms to open
  // one, and but one of 128 elements has files of both.
  for (const auto& [slow, fast] : {std::pair{"near", "far"}, {"far", "near"}}) {
    Design design = two("50 %");
    for (Component& storage : design.storage)
      set(storage, Role::storage, "head.service", storage.id == slow ? "10 ms" : "10 us");
    set(*design.jobs[0].dataset, Role::dataset, "sample", "1 kB");
    design.jobs[0].loader =
        component(Role::loader, "dali", "loader",
                  {{"mmap", "false"}, {"batch", "64"}, {"workers", "1"}, {"copy", "none"}});
    set(design.run, Role::run, "duration", "20 s");
    const RunResult result = run(design);
    const auto waited = [&](const char* id) {
      double sum = 0.0;
      for (const auto& [name, figure] : result.metrics)
        if (name.starts_with("job.train.waited.storage." + std::string(id))) sum += figure.value;
      return sum;
    };
    INFO(slow);
    CHECK(waited(slow) > 100.0 * waited(fast));
  }
}

TEST_CASE("a cache of the hosts holds files of both") {
  // It was filled before: nothing is read from either.
  Design design = two("40 %");
  set(*design.jobs[0].dataset, Role::dataset, "samples", "10000");
  set(*design.jobs[0].dataset, Role::dataset, "cache.policy", "lru");
  set(*design.jobs[0].dataset, Role::dataset, "cache.warm", "true");
  set(design.run, Role::run, "duration", "10 s");  // reads of memory are quick, and many
  const RunResult result = run(design);
  CHECK(metric(result, "resource.storage.far.head.throughput") == 0.0);
  CHECK(metric(result, "resource.storage.near.head.throughput") == 0.0);
}

}  // namespace two_stores_test
