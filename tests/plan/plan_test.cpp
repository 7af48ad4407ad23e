#include "engine/plan/plan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

using namespace stallcast;
using plan::solve;

namespace {

Prediction outcome(double utilization, Verdict verdict) {
  Prediction p;
  p.scenario_id = "fake";
  p.metrics["job.train.gpu.utilization"] = {utilization, "ratio", {}};
  p.verdict = verdict;
  p.assertions.push_back({"au", "job.train.gpu.utilization >= 90 %", utilization, "ratio",
                          verdict == Verdict::pass   ? "pass"
                          : verdict == Verdict::fail ? "fail"
                                                     : "inconclusive",
                          "error", "", ""});
  p.bottlenecks.push_back({"storage.a.ost", 0.99, 1.0, ""});
  return p;
}

/// Counts what is asked for; passes where `passes` says so.
struct Fake {
  std::function<bool(std::int64_t)> passes;
  std::set<std::int64_t> asked;

  plan::Evaluate evaluate() {
    return [this](std::span<const std::int64_t> counts) {
      std::vector<Result<Prediction>> out;
      out.reserve(counts.size());
      for (const std::int64_t n : counts) {
        CHECK(asked.insert(n).second);  // nothing is simulated twice
        const bool pass = passes(n);
        out.emplace_back(outcome(pass ? 0.95 : 0.5, pass ? Verdict::pass : Verdict::fail));
      }
      return out;
    };
  }
};

plan::Problem problem(std::int64_t bound) {
  return {bound, 0, "storage.a.osts.required", "OSTs", "storage a"};
}

}  // namespace

TEST_CASE("the search finds the smallest count that passes") {
  for (const std::int64_t answer : {1, 2, 3, 7, 50, 51, 52, 63, 64, 65, 100, 1000, 3000}) {
    for (const std::int64_t bound : {1, 50, 51, 200}) {
      Fake fake{[answer](std::int64_t n) { return n >= answer; }, {}};
      const auto result = solve(problem(bound), fake.evaluate());
      REQUIRE(result.ok());
      INFO("answer " << answer << " bound " << bound);
      CHECK(result->status == PlanStatus::found);
      CHECK(result->required == answer);
      CHECK_FALSE(result->non_monotone);
    }
  }
}

TEST_CASE("the neighbours of the answer are shown with their margins") {
  Fake fake{[](std::int64_t n) { return n >= 51; }, {}};
  const auto result = solve(problem(40), fake.evaluate());
  REQUIRE(result.ok());
  for (const std::int64_t n : {50, 51, 52}) {
    const PlanPoint* point = find_point(*result, n);
    REQUIRE(point != nullptr);
    CHECK(point->meets == (n >= 51));
    // (value - limit) / limit with values 0.95 and 0.5 against 0.90
    CHECK(point->targets.at(0).margin == Approx(n >= 51 ? 0.05 / 0.9 : -0.4 / 0.9));
    CHECK(point->binding == "storage.a.ost");
  }
}

TEST_CASE("a bound that is already the answer needs few simulations") {
  Fake fake{[](std::int64_t n) { return n >= 51; }, {}};
  REQUIRE(solve(problem(51), fake.evaluate()).ok());
  CHECK(fake.asked.size() <= 5);  // infinity, 51, 50, and two neighbours above
}

TEST_CASE("targets that fail at a very large count are infeasible, with what binds") {
  Fake fake{[](std::int64_t) { return false; }, {}};
  const auto result = solve(problem(8), fake.evaluate());
  REQUIRE(result.ok());
  CHECK(result->status == PlanStatus::infeasible);
  CHECK(result->required == 0);
  CHECK(result->infinity >= 4096);
  CHECK(find_point(*result, result->infinity)->binding == "storage.a.ost");
}

TEST_CASE("a larger count that fails moves the answer above it") {
  // 10 and 11 pass, 12 fails, from 13 all pass: "at least 13" is the only safe answer.
  Fake fake{[](std::int64_t n) { return n >= 10 && n != 12; }, {}};
  const auto result = solve(problem(10), fake.evaluate());
  REQUIRE(result.ok());
  CHECK(result->required == 13);
  CHECK(result->non_monotone);
  CHECK_FALSE(result->notes.empty());
}

TEST_CASE("an outcome that never settles ends the search with a warning") {
  Fake fake{[](std::int64_t n) { return n >= 4000 || n % 2 == 0; }, {}};
  const auto result = solve(problem(10), fake.evaluate());
  REQUIRE(result.ok());
  CHECK(result->status == PlanStatus::found);
  CHECK(result->non_monotone);
}

TEST_CASE("inconclusive at the largest count is inconclusive") {
  const plan::Evaluate unsure = [](std::span<const std::int64_t> counts) {
    return std::vector<Result<Prediction>>(counts.size(), outcome(0.9, Verdict::inconclusive));
  };
  CHECK(solve(problem(3), unsure)->status == PlanStatus::inconclusive);
}

TEST_CASE("the first failure of a simulation is the failure of the search") {
  const plan::Evaluate broken = [](std::span<const std::int64_t> counts) {
    return std::vector<Result<Prediction>>(counts.size(),
                                           Failure{ExitCode::internal, "worker crashed", ""});
  };
  const auto result = solve(problem(3), broken);
  REQUIRE_FALSE(result.ok());
  CHECK(result.failure().message == "worker crashed");
}

TEST_CASE("when time runs out the candidates so far are kept") {
  int calls = 0;
  const plan::Evaluate slow = [&](std::span<const std::int64_t> counts) {
    std::vector<Result<Prediction>> out;
    for (const std::int64_t n : counts)
      if (++calls > 4)
        out.push_back(Failure{ExitCode::inconclusive, "the time limit was reached", ""});
      else
        out.push_back(outcome(0.5, n > 1000 ? Verdict::pass : Verdict::fail));
    return out;
  };
  const auto result = solve(problem(3), slow);
  REQUIRE(result.ok());
  CHECK(result->status == PlanStatus::inconclusive);
  CHECK(result->points.size() >= 2);
  CHECK(result->notes.at(0) == "the search ended early: the time limit was reached");
}
