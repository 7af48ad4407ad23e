#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"

/// Saves that nobody flushes, against equation 15 of docs/models/checkpoint.md.
namespace cached_saves_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 32 ranks on 4 hosts save 320 GB every 300 steps of 100 ms: 80 GB a host at 300 GB/s of DRAM, 10
// GB a rank at 2.5 GB/s into the page cache, all of it to 32 GB/s.
constexpr double kSnapshot = 80e9 / 300e9, kCopy = 10.0 / 2.5, kWrite = 320.0 / 32.0;

Design saver(const char* dirty = "20 %", const Settings& more = {}) {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  set(design.hosts[0], Role::host, "memory.dirty", dirty);
  set(design.hosts[0], Role::host, "memory.process", "1 GB");
  set(design.hosts[0], Role::host, "memory.reserved", "92 GB");
  set(design.hosts[0], Role::host, "memory.size", "900 GB");  // 800 GB of page cache
  set(design.run, Role::run, "duration", "120 s");
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"},
                                         {"every_steps", "300"},
                                         {"size", "320 GB"},
                                         {"serializer", "none"},
                                         {"commit", "cache"}});
  for (const auto& [key, text] : more)
    set(design.jobs[0].checkpoint.value(), Role::checkpoint, key, text);
  return design;
}

double save(const RunResult& result, const char* what) {
  return metric(result, std::string("job.train.checkpoint.") + what);
}

}  // namespace

TEST_CASE("training waits for the copy into the page cache, the save for the storage") {
  const RunResult result = run(saver());
  CHECK(save(result, "stall") == Approx(kSnapshot + kCopy).epsilon(1e-3));
  CHECK(save(result, "duration") == Approx(kSnapshot + kWrite).epsilon(1e-3));
  CHECK(result.limited_by.at("job.train.checkpoint.stall") == "job.train.checkpoint.copy");
  // flushed it waits for all of it
  CHECK(save(run(saver("20 %", {{"commit", "fsync"}})), "stall") ==
        Approx(kSnapshot + kWrite).epsilon(1e-3));
}

TEST_CASE("the copy is safe no sooner than it is made, where the storage is faster") {
  Design design = saver();
  set(design.hosts[0], Role::host, "cpu.copy", "0.5 GB/s");
  const RunResult result = run(design);
  CHECK(save(result, "stall") == Approx(kSnapshot + 20.0).epsilon(1e-3));
  CHECK(save(result, "duration") == Approx(kSnapshot + 20.0).epsilon(1e-3));
}

TEST_CASE("what does not fit into the dirty share waits for the storage") {
  // D = 4 % of 800 GB = 32 GB of the 80 GB of a host: 60 % of the state before training goes on
  const RunResult result = run(saver("4 %"));
  CHECK(save(result, "stall") == Approx(kSnapshot + 0.6 * kWrite).epsilon(1e-3));
  CHECK(save(result, "duration") == Approx(kSnapshot + kWrite).epsilon(1e-3));
  CHECK(result.limited_by.at("job.train.checkpoint.stall") != "job.train.checkpoint.copy");
}

TEST_CASE("files whose beginning waits for the storage are created once") {
  // 1000 files a rank that take 20 ms each; of the first 60 % training waits for, as of the bytes
  const auto saved = [](const char* dirty) {
    Design design = saver(dirty, {{"files", "1000"}});
    set(design.storage[0], Role::storage, "commit", "20 ms");
    return run(design);
  };
  const double whole = save(saved("20 %"), "duration");
  CHECK(whole == Approx(kSnapshot + kWrite + 20.0).epsilon(0.05));
  const RunResult parts = saved("4 %");
  CHECK(save(parts, "duration") == Approx(whole).epsilon(1e-3));
  CHECK(save(parts, "stall") == Approx(kSnapshot + 0.6 * (whole - kSnapshot)).epsilon(1e-3));
}

TEST_CASE("saves that come sooner than they are stored wait for those before") {
  // Every 2 s of work one of 10 s: where one fits (12 % of 800 GB) each waits for the one before it
  const RunResult one = run(saver("12 %", {{"every_steps", "20"}}));
  CHECK(save(one, "stall.max") == Approx(kSnapshot + kWrite - 2.0).epsilon(0.02));
  // Where two fit the second does not wait; in the long run the storage takes one every 10 s.
  Design two = saver("20 %", {{"every_steps", "20"}});
  CHECK(save(run(two), "stall") < save(one, "stall"));
  set(two.run, Role::run, "duration", "1 h");
  CHECK(save(run(two), "backpressure") == Approx(kWrite - 2.0 - kSnapshot - kCopy).epsilon(0.02));
}

TEST_CASE("a host that fails takes the pages along, a process does not") {
  // Saves at 30 and 64 s; the failure comes 6 s after the second began, which is copied by then and
  // not stored.
  const auto lost = [](const char* kind, const char* commit) {
    Design design = saver("20 %", {{"commit", commit}});
    design.jobs[0].recovery =
        component(Role::recovery, "restart", "recovery",
                  {{"detect", "1 s"}, {"replace", "2 s"}, {"start", "3 s"}, {"init", "4 s"}});
    design.failures.push_back(component(Role::failure, kind, "loss", {{"at", "70.3 s"}}));
    return metric(run(design), "job.train.restart.lost_work");
  };
  CHECK(lost("process", "cache") == Approx(70.3 - 64.27 - kSnapshot - kCopy).margin(0.2));
  CHECK(lost("host", "cache") == Approx(30.0 + 70.3 - 64.27 - kSnapshot - kCopy).margin(0.2));
}

TEST_CASE("over months a failed host goes back to what was stored") {
  // A save every 30 s of work is safe 10.3 s after it began, training goes on after 4.3 s: a
  // failure in the 6 s between goes back one save more. Processes find the pages.
  const auto lost = [](const char* kind) {
    Design design = saver();
    design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {{"runs", "400"}});
    const char* mtbf = std::string(kind) == "host" ? "400 h" : "3200 h";
    design.failures.push_back(component(Role::failure, kind, "loss", {{"mtbf", mtbf}}));
    return metric(run(design), "job.train.failures.lost_work");
  };
  const double period = 30.0 + kSnapshot + kCopy;
  CHECK(lost("host") - lost("process") == Approx(30.0 * 6.0 / period).epsilon(0.25));
}

TEST_CASE("written in place a save that a failure hits takes the one before along") {
  // Saves of 10.3 s at 30 and 70.3 s; a failure after 75 s finds the second under way.
  const auto lost = [](const char* commit, const char* at) {
    Design design = saver("20 %", {{"commit", commit}});
    design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {});
    design.failures.push_back(component(Role::failure, "process", "loss", {{"at", at}}));
    return metric(run(design), "job.train.restart.lost_work");
  };
  CHECK(lost("fsync", "75 s") == Approx(30.0).epsilon(0.01));
  CHECK(lost("in-place", "75 s") == Approx(60.0).epsilon(0.01));
  CHECK(lost("in-place", "85 s") == Approx(lost("fsync", "85 s")));
  const RunResult result = run(saver("20 %", {{"commit", "in-place"}}));
  CHECK(save(result, "count") > 1.0);
  CHECK(save(result, "held") == Approx(320e9));
}

TEST_CASE("over months a failure during a save in place loses all work") {
  // Of the time 10.3 of 40.3 s are saves, and then all since the start or the last such failure is
  // lost; a hundred hours of 100 s between failures, so that on average four failures' work is.
  const auto lost = [](const char* commit) {
    Design design = saver("20 %", {{"commit", commit}});
    design.jobs[0].recovery = component(Role::recovery, "restart", "recovery",
                                        {{"runs", "400"},
                                         {"detect", "0 s"},
                                         {"replace", "0 s"},
                                         {"start", "0 s"},
                                         {"init", "0 s"},
                                         {"horizon", "100 h"}});
    design.failures.push_back(
        component(Role::failure, "process", "loss", {{"per", "job"}, {"mtbf", "10 h"}}));
    return metric(run(design), "job.train.failures.lost_work");
  };
  // Every 10 h a failure; with q = 10.3 / 40.3 it takes all. In the long run each failure loses
  // q x (work since the last that did), which is all of the work: 10 h x 30 / 40.3, less what is
  // left at the end of 100 h, 1 / q failures' worth of ten.
  const double q = (kSnapshot + kWrite) / (30.0 + kSnapshot + kWrite);
  CHECK(lost("fsync") < 60.0);
  const double each = 36000.0 * (1.0 - q), n = 10.0;
  // sum over failures i of what it loses on average: each (1 - (1 - q)^i), of n
  double all = 0.0;
  for (int i = 1; i <= static_cast<int>(n); ++i) all += each * (1.0 - std::pow(1.0 - q, i));
  CHECK(lost("in-place") == Approx(all / n).epsilon(0.15));
}

TEST_CASE("clients that keep no pages flush, and say so") {
  Design design = saver();
  design.storage[0] = component(Role::storage, "s3", "scratch", {});
  const RunResult result = run(design);
  CHECK(std::any_of(result.warnings.begin(), result.warnings.end(), [](const std::string& warning) {
    return warning.find("keep no pages") != std::string::npos;
  }));
  CHECK(save(result, "stall") == Approx(save(result, "duration")).epsilon(1e-6));
  const double bound = models::bounds(design).utilization;
  set(*design.jobs[0].checkpoint, Role::checkpoint, "commit", "fsync");
  CHECK(bound == Approx(models::bounds(design).utilization).epsilon(1e-9));
}

TEST_CASE("bounds hold for saves into the page cache") {
  const Design design = saver();
  CHECK(metric(run(design), "job.train.gpu.utilization") <= models::bounds(design).utilization);
}

}  // namespace cached_saves_test
