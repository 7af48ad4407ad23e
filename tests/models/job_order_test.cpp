#include "models/stage/job_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "models/bounds/bounds.hpp"
#include "models/bounds/job_dates.hpp"
#include "models/loading/cache_plan.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/stages.hpp"

/// Who runs at one time, and what that makes of bounds and caches. docs/models/stages.md, eq. 6, 7.
namespace job_order_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::testing::staged;
using models::Role;

namespace {

/// Jobs alike but for their batches, each after the one that is named.
struct Row {
  const char *id, *batch, *after;
};
Design jobs(std::initializer_list<Row> rows, const char* head = "5 GB/s") {
  Design design = with_job({});
  design.hosts.resize(1);
  design.storage[1] = filer("near", {{"head.read", head}});
  const JobDesign one = design.jobs[0];
  design.jobs.clear();
  for (const Row& row : rows) {
    design.jobs.push_back(one);
    design.jobs.back().job.id = row.id;
    set(*design.jobs.back().loader, Role::loader, "batch", row.batch);
    if (*row.after != '\0') set(design.jobs.back().job, Role::job, "after", row.after);
  }
  return design;
}

double units(std::initializer_list<Row> rows) { return models::bounds(jobs(rows)).osts_required; }

double estimate(const models::Bounds& bounds, const std::string& job) {
  for (const models::Derivation& line : bounds.derivations)
    if (line.name == "job." + job + ".gpu.utilization.estimate") return line.value;
  return -1.0;
}

}  // namespace

TEST_CASE("what is there at one time and weighs most is found among all that could be") {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 1 + random() % 8;
    std::vector<std::vector<bool>> gone(n, std::vector<bool>(n, false));
    std::vector<double> weights;
    for (std::size_t i = 0; i < n; ++i) {
      weights.push_back(static_cast<double>(random() % 5) * 1e9);
      for (std::size_t j = i + 1; j < n; ++j)
        if (random() % 3 == 0) {
          gone[i][j] = true;
          for (std::size_t k = 0; k < i; ++k) gone[k][j] = gone[k][j] || gone[k][i];
        }
    }
    for (std::size_t j = 0; j < n; ++j)  // all ways round
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
          if (gone[i][j] && gone[j][k]) gone[i][k] = true;
    double most = 0.0;
    for (std::uint32_t set = 0; set < (1U << n); ++set) {
      double sum = 0.0;
      bool together = true;
      for (std::size_t i = 0; i < n; ++i) {
        if ((set >> i & 1U) == 0) continue;
        sum += weights[i];
        for (std::size_t j = 0; j < n; ++j)
          together = together && !((set >> j & 1U) != 0 && gone[i][j]);
      }
      if (together) most = std::max(most, sum);
    }
    const auto found = models::heaviest_at_one_time(
        weights, [&](std::size_t i, std::size_t j) { return gone[i][j]; });
    double sum = 0.0;
    for (const std::size_t i : found) {
      sum += weights[i];
      for (const std::size_t j : found) CHECK_FALSE(gone[i][j]);
    }
    CHECK(sum == Approx(most));
  }
}

TEST_CASE("a job beside a row of jobs counts with the one of them that asks for most") {
  const double alone = units({{"a", "1", ""}});
  CHECK(alone > 0.0);
  // The second of the row asks for four times as much as the first, the one beside for twice.
  const std::initializer_list<Row> row = {{"a", "1", ""}, {"b", "4", "a"}, {"c", "2", ""}};
  CHECK(units(row) == Approx((4.0 + 2.0) * alone));
  CHECK(units({{"a", "1", ""}, {"b", "4", "a"}, {"c", "2", "b"}}) == Approx(4.0 * alone));
  // Two after one, and one after both.
  CHECK(units({{"a", "4", ""}, {"b", "3", "a"}, {"c", "2", "a"}, {"d", "4", "b,c"}}) ==
        Approx(5.0 * alone));
  // Of 1 GB/s 64 ranks have 15.6 MB/s each: c asks for 20, b for 40, a for 10, and leaves c 21.
  const models::Bounds bounds = models::bounds(jobs(row, "1 GB/s"));
  CHECK(estimate(bounds, "a") == Approx(1.0));
  CHECK(estimate(bounds, "b") == Approx(1000.0 / 64.0 / 40.0));
  CHECK(estimate(bounds, "c") == Approx(1000.0 / 64.0 / 20.0));
}

TEST_CASE("jobs in a row leave each other the memory of their hosts") {
  const auto budget = [](std::initializer_list<Row> rows, std::size_t job) {
    Design design = jobs(rows);
    set(design.hosts[0], Role::host, "memory.size", "2 TB");
    return models::cache::page_cache_budget(design, design.jobs[job], models::Plant(design))
        .in(unit::GB);
  };
  const double a = budget({{"a", "1", ""}}, 0), b = budget({{"b", "400", ""}}, 0);
  const std::initializer_list<Row> row = {{"a", "1", ""}, {"b", "400", "a"}};
  CHECK(b < a - 1.0);
  CHECK(budget(row, 0) == Approx(a));
  CHECK(budget(row, 1) == Approx(b));
  // One beside both shares with the one that takes more.
  const std::initializer_list<Row> beside = {{"a", "1", ""}, {"b", "400", "a"}, {"c", "1", ""}};
  CHECK(budget(beside, 2) == Approx(budget({{"b", "400", ""}, {"c", "1", ""}}, 1)));
  CHECK(budget(beside, 0) == Approx(budget({{"a", "1", ""}, {"c", "1", ""}}, 0)));
}

TEST_CASE("jobs in a row each have all of the cache of their hosts, and bring their data anew") {
  // Of 800 MB of each host half fits: LRU finds c + (1 - c) ln (1 - c) in a second epoch.
  const auto cached = [](std::initializer_list<Row> rows) {
    Design design = jobs(rows);
    for (JobDesign& job : design.jobs) {
      set(job.job, Role::job, "epochs", "2");
      set(*job.dataset, Role::dataset, "cache.policy", "lru");
      set(*job.dataset, Role::dataset, "cache.size", "400 MB");
      set(*job.dataset, Role::dataset, "shuffle", "node");
    }
    return design;
  };
  const auto hit = [&](std::initializer_list<Row> rows, const std::string& job) {
    return metric(run(cached(rows)), "job." + job + ".cache.hit");
  };
  const double alone = hit({{"a", "1", ""}}, "a");
  CHECK(alone == Approx(0.5 + 0.5 * std::log(0.5)).epsilon(1e-3));
  CHECK(hit({{"a", "1", ""}, {"b", "1", "a"}}, "a") == Approx(alone).epsilon(1e-6));
  CHECK(hit({{"a", "1", ""}, {"b", "1", "a"}}, "b") == Approx(alone).epsilon(1e-6));
  CHECK(hit({{"a", "1", ""}, {"b", "1", ""}}, "b") ==
        Approx(0.25 + 0.75 * std::log(0.75)).epsilon(1e-3));
  // Who follows is no reader beside, also of the same data.
  Design named = cached({{"a", "1", ""}, {"b", "1", "a"}});
  for (JobDesign& job : named.jobs) set(*job.dataset, Role::dataset, "name", "images");
  CHECK(metric(run(named), "job.b.cache.hit") == Approx(alone).epsilon(1e-6));
}

TEST_CASE("a job in a row is as it is alone") {
  // Small files in batches of 16 and of 2: who shares a line of requests with finer ones goes in
  // finer turns.
  const auto busy = [](std::initializer_list<Row> rows, const std::string& job) {
    Design design = jobs(rows);
    set(design.storage[1], Role::storage, "head.read", "2 GB/s");
    for (JobDesign& each : design.jobs) {
      set(*each.dataset, Role::dataset, "sample", "100 kB");
      set(*each.dataset, Role::dataset, "samples", "6400");
    }
    return metric(run(design), "job." + job + ".gpu.utilization");
  };
  const std::initializer_list<Row> row = {{"a", "16", ""}, {"b", "2", "a"}};
  CHECK(busy(row, "a") == Approx(busy({{"a", "16", ""}}, "a")).epsilon(1e-9));
  CHECK(busy(row, "b") == Approx(busy({{"b", "2", ""}}, "b")).epsilon(1e-6));
}

TEST_CASE("jobs in a row begin when those before them have ended, at the earliest") {
  Design design = jobs({{"a", "1", ""}, {"b", "1", "a"}, {"c", "1", "a"}, {"d", "1", ""}});
  set(design.jobs[1].job, Role::job, "run.steps", "1000");
  set(design.jobs[2].job, Role::job, "epochs", "3");
  const auto dates = models::job_dates(design);
  // 100 steps of 100 ms, 1000, 3 x 100
  CHECK(dates[0].end.in(unit::s) == Approx(10.0));
  CHECK(dates[1].begin.in(unit::s) == Approx(10.0));
  CHECK(dates[1].end.in(unit::s) == Approx(110.0));
  CHECK(dates[2].end.in(unit::s) == Approx(40.0));
  CHECK(dates[2].row.in(unit::s) == Approx(110.0));
  CHECK(dates[0].share() == Approx(10.0 / 110.0));
  CHECK(dates[3].share() == 1.0);
}

}  // namespace job_order_test
