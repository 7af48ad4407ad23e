#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// Storage that is fast while credits last: docs/models/burst-credits.md.
namespace credits_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 32 ranks of 8 workers read samples of 1 MB for a minute from a filer of 2 GB/s.
Design reading(const Settings& credits) {
  Design design = small_design();
  design.storage = {component(Role::storage, "nfs", "store",
                              {{"head.count", "1"},
                               {"head.read", "2 GB/s"},
                               {"head.write", "2 GB/s"},
                               {"head.ops", "1000 kops/s"},
                               {"head.service", "10 us"},
                               {"client.connection", "10 GB/s"},
                               {"client.read_ahead", "1 GiB"},
                               {"client.stream", "10 GB/s"},
                               {"client.nconnect", "16"}})};
  for (const auto& [key, text] : credits) set(design.storage[0], Role::storage, key, text);
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "compute", "1 ms");
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "store"}, {"sample", "1 MB"}, {"samples", "100000000"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "8"}});
  set(design.run, Role::run, "duration", "60 s");
  return design;
}

double rate(const RunResult& result) { return metric(result, "job.train.throughput.bytes"); }
double lasts(const RunResult& result) { return metric(result, "storage.store.credits.lasts"); }

}  // namespace

TEST_CASE("credits of devices that hosts share are of all of them, those inside hosts of each") {
  // No credits at the start: 500 MB/s, of four hosts 2 GB/s where each has its own
  const auto held = [](const char* scope) {
    Design design = reading({});
    design.storage = {component(Role::storage, "measured", "store",
                                {{"scope", scope},
                                 {"servers", "16"},
                                 {"read.latency", "1 us"},
                                 {"read.rate", "5 GB/s"},
                                 {"open.latency", "1 us"},
                                 {"credits.base", "500 MB/s"},
                                 {"credits.size", "1 GB"},
                                 {"credits.start", "0 %"}})};
    return rate(run(design));
  };
  CHECK(held("shared") == Approx(5e8).epsilon(0.03));
  CHECK(held("host") == Approx(2e9).epsilon(0.03));
}

TEST_CASE("bytes are as fast as the system until their credits are gone, and then its base") {
  // 30 GB of credits go at 2 - 0.5 GB/s: 20 s at 2 GB/s and 40 s at 0.5 GB/s.
  const RunResult half = run(reading({{"credits.base", "500 MB/s"}, {"credits.size", "30 GB"}}));
  CHECK(rate(half) == Approx(1e9).epsilon(0.02));
  CHECK(lasts(half) == Approx(20.0).epsilon(0.02));
  // None at the start: the base from the beginning.
  const RunResult none = run(
      reading({{"credits.base", "500 MB/s"}, {"credits.size", "30 GB"}, {"credits.start", "0 %"}}));
  CHECK(rate(none) == Approx(5e8).epsilon(0.02));
  // More than a minute takes: nothing is slower, and it says how long they would last.
  const RunResult enough = run(reading({{"credits.base", "500 MB/s"}, {"credits.size", "1 TB"}}));
  CHECK(rate(enough) == Approx(rate(run(reading({})))));
  CHECK(lasts(enough) == Approx(1e12 / (rate(enough) - 5e8)).epsilon(0.02));
  // Less is used than comes back.
  const RunResult saving = run(reading({{"credits.base", "4 GB/s"}, {"credits.size", "1 GB"}}));
  CHECK_FALSE(saving.metrics.contains("storage.store.credits.lasts"));
  CHECK(metric(saving, "storage.store.credits.use") == Approx(rate(saving) / 4e9).epsilon(0.02));
  CHECK(metric(enough, "storage.store.credits.use") == Approx(rate(enough) / 5e8).epsilon(0.02));
}

TEST_CASE("requests cost credits, large ones several") {
  // 2,000 requests a second; 18,000 credits go at 1,800 a second: 10 s, and 50 s at 200 a second.
  const RunResult one = run(reading(
      {{"credits.ops", "200 ops/s"}, {"credits.ops_size", "18000"}, {"credits.request", "1 MB"}}));
  CHECK(rate(one) == Approx((10 * 2e9 + 50 * 2e8) / 60.0).epsilon(0.02));
  CHECK(lasts(one) == Approx(10.0).epsilon(0.03));
  // Four requests of 256 kB each.
  const RunResult four = run(reading(
      {{"credits.ops", "200 ops/s"}, {"credits.ops_size", "0"}, {"credits.request", "250 kB"}}));
  CHECK(rate(four) == Approx(5e7).epsilon(0.02));
  // Requests are whole: 2 of 700 kB for a sample.
  const RunResult whole = run(reading(
      {{"credits.ops", "200 ops/s"}, {"credits.ops_size", "0"}, {"credits.request", "700 kB"}}));
  CHECK(rate(whole) == Approx(1e8).epsilon(0.02));
}

// 16 readers on 32 OSTs beside an idle job: what the store gives them is uneven, with credits, too.
TEST_CASE("credits take no limit from what they are of") {
  Design design = reading({});
  design.storage = {
      component(Role::storage, "lustre", "store",
                {{"ost.count", "32"}, {"ost.read", "1 GB/s"}, {"mdt.open", "1e9 ops/s"}})};
  set(*design.jobs[0].loader, Role::loader, "workers", "1");
  set(design.hosts[0], Role::host, "count", "2");
  JobDesign idle = design.jobs[0];
  idle.job.id = "idle";
  idle.dataset.reset();
  idle.loader.reset();
  design.jobs.push_back(idle);
  const double plain = rate(run(design));
  CHECK(plain < 14e9);
  set(design.storage[0], Role::storage, "credits.base", "1000 GB/s");
  CHECK(rate(run(design)) == Approx(plain).epsilon(1e-3));
}

TEST_CASE("of credits for bytes and for requests those that run out first count") {
  // 500 requests of 1 MB a second, or 250 MB/s, are paid for.
  const auto both = [](const char* base, const char* ops) {
    return run(reading({{"credits.base", base},
                        {"credits.size", "0 B"},
                        {"credits.ops", ops},
                        {"credits.ops_size", "0"},
                        {"credits.request", "1 MB"}}));
  };
  const auto capacity = [](const RunResult& result) {
    for (const ResourceUse& use : result.resources)
      if (use.name == "storage.store.credits") return use.capacity;
    return 0.0;
  };
  const RunResult bytes = both("250 MB/s", "500 ops/s"), requests = both("1 GB/s", "500 ops/s");
  CHECK(rate(bytes) == Approx(2.5e8).epsilon(0.02));
  CHECK(capacity(bytes) == Approx(2.5e8));
  CHECK(rate(requests) == Approx(5e8).epsilon(0.02));
  CHECK(capacity(requests) == Approx(500.0));
}

TEST_CASE("drives inside hosts have credits of their own in each") {
  // Four hosts of 100 MB/s each.
  Design design = reading({});
  design.storage = {
      component(Role::storage, "local", "store",
                {{"drive.count", "1"}, {"drive.read", "2 GB/s"}, {"credits.base", "100 MB/s"}})};
  CHECK(rate(run(design)) == Approx(4e8).epsilon(0.02));
}

TEST_CASE("what is waited for is the credits") {
  const Design design = reading({{"credits.base", "100 MB/s"}, {"credits.size", "0 B"}});
  const RunResult result = run(design);
  CHECK(result.limited_by.at("job.train") == "storage.store.credits");
}

namespace {

// Steps of 100 ms read 96 MB of a filer of 2 GB/s whose base is 500 MB/s: 460 MB of credits a
// second while there are some, then 192 ms a step.
Design whole(const char* credits, const char* steps) {
  Design design = reading({{"credits.base", "500 MB/s"}, {"credits.size", credits}});
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "compute", "100 ms");
  set(*job.loader, Role::loader, "batch", "3");
  for (const char* key : {"start", "handover"}) set(*job.loader, Role::loader, key, "0 s");
  set(*job.dataset, Role::dataset, "samples", "192000");
  set(job.job, Role::job, "run.steps", steps);
  set(job.job, Role::job, "epochs", "1");  // 2,000 steps
  design.run.values.erase("duration");
  return design;
}

}  // namespace

TEST_CASE("a whole run goes on at the base once its credits are gone") {
  // 1.656 TB go in an hour: 36,000 steps, and 64,000 of 192 ms. The window is 200 s.
  const RunResult result = run(whole("1656 GB", "100000"));
  CHECK(metric(result, "job.train.time.wall") < 210.0);
  CHECK(lasts(result) == Approx(3600.0).epsilon(0.015));
  CHECK(metric(result, "job.train.run.time") == Approx(3600.0 + 64000 * 0.192).epsilon(5e-3));
  CHECK(metric(result, "job.train.run.slowed") == Approx(64000 * 0.092).epsilon(0.015));
  for (const std::string& warning : result.warnings)
    CHECK(warning.find("credits") == std::string::npos);
  // Gone within the window: 46 GB in 100 s, less the 1.5 GB with which loaders begin.
  const RunResult soon = run(whole("46 GB", "100000"));
  CHECK(lasts(soon) == Approx(100.0 - 1.5 / 0.46).epsilon(0.03));
  CHECK(metric(soon, "job.train.run.time") == Approx(100.0 + 99000 * 0.192).epsilon(5e-3));
  // Longer than the run takes, and never: it is as fast as without.
  for (const char* credits : {"5 TB", "100 TB"}) {
    const RunResult fast = run(whole(credits, "100000"));
    CHECK(metric(fast, "job.train.run.time") == Approx(10000.0).epsilon(0.01));
    CHECK_FALSE(fast.metrics.contains("job.train.run.slowed"));
  }
  // None from the start: the window has it all.
  Design none = whole("1656 GB", "100000");
  set(none.storage[0], Role::storage, "credits.start", "0 %");
  CHECK(metric(run(none), "job.train.run.time") == Approx(100000 * 0.192).epsilon(5e-3));
}

TEST_CASE("a useful GPU-hour of a run whose credits end costs what the run does") {
  Design design = whole("1656 GB", "100000");
  set(design.hosts[0], Role::host, "rent", "8 USD/h");
  const RunResult result = run(design);
  const double gpu_hours = 32.0 * 100000 * 0.1 / 3600.0;
  CHECK(metric(result, "cost.per_useful_gpu_hour") ==
        Approx(metric(result, "job.train.run.cost") / gpu_hours).epsilon(1e-6));
}

TEST_CASE("what follows a run whose credits end begins when it has ended") {
  Design design = whole("1656 GB", "100000");
  design.stages.push_back(component(Role::stage, "scan", "look",
                                    {{"from", "store"}, {"hosts", "gpu"}, {"size", "1 GB"}}));
  set(design.stages[0], Role::stage, "after", "train");
  const RunResult result = run(design);
  CHECK(metric(result, "stage.look.start") ==
        Approx(metric(result, "job.train.run.time")).epsilon(1e-6));
  CHECK(metric(result, "job.train.run.time") == Approx(15888.0).epsilon(5e-3));
  // 960 MB/s of 500, not of all the hours that are waited for.
  CHECK(metric(result, "storage.store.credits.use") == Approx(1.92).epsilon(0.05));
}

TEST_CASE("credits of two systems end one after the other") {
  // Half of the files on each: of "store" 1.656 TB at 480 - 250 MB/s, 2 h, "other" has a quarter of
  // it.
  Design design = whole("1656 GB", "100000");
  for (Component* each : {&design.storage[0]})
    set(*each, Role::storage, "credits.base", "250 MB/s");
  design.storage.push_back(design.storage[0]);
  design.storage[1].id = "other";
  set(design.storage[1], Role::storage, "credits.size", "414 GB");
  set(*design.jobs[0].dataset, Role::dataset, "also.on", "other");
  set(*design.jobs[0].dataset, Role::dataset, "also.share", "50 %");
  const RunResult result = run(design);
  // 1,800 s at 100 ms; then 48 MB of "other" take 192 ms, in which "store" gives 48 of 48 MB: it
  // gains none and loses none.
  CHECK(metric(result, "storage.other.credits.lasts") == Approx(1800.0).epsilon(2e-2));
  CHECK(metric(result, "job.train.run.time") == Approx(1800.0 + 82000 * 0.192).epsilon(1e-2));
}

}  // namespace credits_test
