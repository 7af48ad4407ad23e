#include "models/failure/under_way.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/failure/renewal.hpp"
#include "models/saving/save_series.hpp"
#include "tests/support/designs.hpp"

/// Saves under way in months: docs/models/failures.md, equation 20.
namespace under_way_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::literals;
using models::JobProcess;
using models::Role;
using models::Scope;

namespace {

// Steps of 1 s; saves stall 1 s, and have their buffer until `staged`; 100 days.
JobProcess saver(std::vector<Seconds> staged, std::int64_t buffers, Seconds mtbf = 1e9_h) {
  JobProcess job;
  job.id = "train";
  job.step = 1_s;
  job.stalls.assign(staged.size(), 1_s);
  job.tiers = {{.lost_with = Scope::beyond, .restore = {}, .after = job.stalls}};
  job.buffers = buffers;
  job.staged = std::move(staged);
  job.failures = {{.id = "host", .mtbf = mtbf, .scope = Scope::host, .repair = 1_h}};
  job.recovery.start = 1_min;
  job.recovery.horizon = 2400_h;
  return job;
}

double kept(const JobProcess& job, std::int64_t steps, std::int64_t runs = 1) {
  return models::outlook(job, steps, 1, runs).kept.mean();
}

}  // namespace

TEST_CASE("a wait that only some saves have is no wait for the mean flush") {
  // Every second one is flushed for 46 s, and the next is due 31 s after it: 15 s in two turns.
  JobProcess job = saver({46_s, 1_s}, 1);
  job.drains = 2;
  CHECK(kept(job, 30) == Approx(60.0 / (62.0 + 15.0)).epsilon(1e-3));
  job.buffers = 2;
  CHECK(kept(job, 30) == Approx(60.0 / 62.0).epsilon(1e-3));
  // One in five is whole, and flushed for 46 s; increments take 10 s.
  job = saver({46_s, 10_s, 10_s, 10_s, 10_s}, 1);
  job.whole = 5;
  CHECK(kept(job, 30) == Approx(150.0 / (155.0 + 15.0)).epsilon(1e-3));
  // One after the other
  CHECK(kept(job, 8) == Approx(40.0 / (46.0 + 4 * 10.0)).epsilon(1e-3));
  // What was measured need not be whole turns, nor have all sorts.
  job = saver({46_s, 1_s, 46_s}, 1);
  job.drains = 2;
  CHECK(kept(job, 30) == Approx(60.0 / 77.0).epsilon(1e-3));
  job = saver({46_s}, 1);
  job.drains = 1'000'000;
  job.whole = 999'999;
  CHECK(kept(job, 30) == Approx(30.0 / 46.0).epsilon(1e-3));
}

TEST_CASE("what comes before a save needs its buffer overlaps the flush that has it") {
  // Snapshots of 20 s, flushed in 46: the next is due 50 s after the start, and needs a buffer
  // then, 16 s before there is one, or after its own snapshot, when there is one.
  JobProcess job = saver({66_s}, 1);
  job.stalls = {20_s};
  CHECK(kept(job, 30) == Approx(30.0 / 66.0).epsilon(1e-3));
  job.ahead = job.stalls;
  CHECK(kept(job, 30) == Approx(30.0 / 50.0).epsilon(1e-3));
  job.ahead = {5_s};
  CHECK(kept(job, 30) == Approx(30.0 / 61.0).epsilon(1e-3));
  // Each waits 4 s after its snapshot, and 24 s before one.
  job.ahead = job.stalls;
  CHECK(kept(job, 22) == Approx(22.0 / 46.0).epsilon(1e-3));
}

TEST_CASE("long flushes of saves in turn do not meet by chance") {
  // One in three is flushed for 500 s of 513: the second buffer is always free for the others.
  for (const Seconds mtbf : {1e9_h, 2_h}) {
    JobProcess job = saver({500_s, 1_s, 1_s}, 2, mtbf);
    job.drains = 3;
    const double two = kept(job, 170, 20);
    job.buffers = 3;
    CHECK(two == Approx(kept(job, 170, 20)).epsilon(1e-12));
  }
  JobProcess job = saver({500_s, 1_s, 1_s}, 2);
  job.drains = 3;
  CHECK(kept(job, 170) == Approx(170.0 / 171.0).epsilon(1e-3));
}

TEST_CASE("saves that end out of their order are known by it") {
  models::SaveSeries series;
  series.add(1, 2.0);
  series.add(2, 3.0);
  series.add(0, 1.0);
  series.add(3, 4.0);
  CHECK(series.in_order() == std::vector<double>{1.0, 2.0, 3.0, 4.0});
  CHECK(series.mean() == 2.5);
}

TEST_CASE("months in which nothing fails are what was simulated, however saves are flushed") {
  using Fields = std::vector<std::pair<const char*, const char*>>;
  // 32 GB every 6 s in a snapshot of 0.03 s, flushed at 3.2 GB/s in 10 s
  for (const auto& [save, keeps] : std::vector<std::pair<Fields, double>>{
           {{{"flush_rate", "3.2 GB/s"}}, 6.0 / 10.05},
           {{{"snapshot", "pageable"}, {"snapshot_first", "true"}, {"flush_rate", "4.8 GB/s"}},
            6.0 / 7.0},
           {{{"drain_every", "2"}, {"flush_rate", "3.2 GB/s"}}, 12.0 / 16.05},
           {{{"drain_every", "3"}, {"flush_rate", "2 GB/s"}, {"buffers", "2"}}, 18.0 / 18.1},
           {{{"incremental.fraction", "20 %"},
             {"incremental.full_every", "5"},
             {"flush_rate", "3.2 GB/s"}},
            30.0 / 34.1},
       }) {
    Design design = small_design();
    set(design.fabric, Role::fabric, "rtt", "0 s");
    set(design.hosts[0], Role::host, "gpu.copy_pageable", "1 GB/s");
    design.jobs[0].checkpoint = component(Role::checkpoint, "async", "checkpoint",
                                          {{"to", "scratch"},
                                           {"tiers", "host-memory,scratch"},
                                           {"durable", "host-memory"},
                                           {"every_steps", "60"},
                                           {"size", "32 GB"},
                                           {"serializer", "none"}});
    for (const auto& [key, text] : save)
      set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
    set(design.run, Role::run, "duration", "30 min");
    const double simulated = metric(run(design), "job.train.goodput");
    CHECK(simulated == Approx(keeps).epsilon(0.01));
    design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {{"runs", "20"}});
    design.failures.push_back(component(Role::failure, "host", "gpu", {{"mtbf", "1e9 h"}}));
    CHECK(metric(run(design), "job.train.goodput") == Approx(simulated).epsilon(0.003));
  }
}

}  // namespace under_way_test
