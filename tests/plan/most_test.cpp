#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/plan/fakes.hpp"

/// The most of something that is asked for: more of it is harder, but for placement.
namespace search_test {

namespace {

/// Of 256 hosts down to 1; the scenario has so many.
plan::Problem most(std::int64_t present, std::int64_t checks = 8) {
  plan::Problem p;
  p.axes = {axis(1, 256)};
  std::reverse(p.axes[0].values.begin(), p.axes[0].values.end());
  std::reverse(p.axes[0].numbers.begin(), p.axes[0].numbers.end());
  p.axes[0].about.falls = true;
  p.axes[0].start = static_cast<std::size_t>(256 - present);
  p.cost = [numbers = p.axes[0].numbers](const Cell& cell) { return -numbers[cell.front()]; };
  p.checks = checks;
  p.most = true;
  p.present = Cell{p.axes[0].start};
  return p;
}

}  // namespace

TEST_CASE("fewer that miss do not hide the most that meets") {
  // From 50 on bounds know that a budget is exceeded; placement makes 17 and those below 16 miss.
  Fake fake{[](const auto& n) { return n[0] >= 16 && n[0] < 48 && n[0] != 17; }};
  for (const std::int64_t present : {16, 15, 30, 47, 200}) {
    plan::Problem problem = most(present);
    problem.bound = [&](const Cell& cell) {
      return problem.axes[0].numbers[cell.front()] >= 50 ? plan::Standing::too_much
                                                         : plan::Standing::meets;
    };
    Fake each{fake.passes};
    const auto found = search(problem, each.evaluate(problem));
    REQUIRE(found.ok());
    INFO("present " << present);
    CHECK(answer_of(problem, *found) == 47);
    CHECK(found->non_monotone == (present <= 16 || present == 200));
    CHECK(each.asked.size() <= 24);
    CHECK(found->proven > 200);
    CHECK(found->implied == 0);
  }
}

TEST_CASE("where all is in order the most takes few simulations") {
  for (const std::int64_t present : {1, 40, 47, 48, 200}) {
    Fake fake{[](const auto& n) { return n[0] < 48; }};
    const plan::Problem problem = most(present);
    const auto found = search(problem, fake.evaluate(problem));
    REQUIRE(found.ok());
    CHECK(answer_of(problem, *found) == 47);
    CHECK_FALSE(found->non_monotone);
    CHECK(fake.asked.size() <= 28);
  }
}

TEST_CASE("the scenario's own design is looked at before nothing is said to meet") {
  // The largest design misses, and nothing is checked.
  Fake fake{[](const auto& n) { return n[0] == 100 || n[0] == 101; }};
  for (const bool hosts : {true, false}) {
    plan::Problem problem = hosts ? most(100, 0) : one(8);
    if (!hosts) problem.present = Cell{100};  // of 101
    Fake each{fake.passes};
    const auto found = search(problem, each.evaluate(problem));
    REQUIRE(found.ok());
    CHECK(answer_of(problem, *found) == (hosts ? 101 : 100));
    CHECK(found->non_monotone);
    CHECK(each.asked.size() <= 20);
    problem.present.reset();
    problem.axes[0].start = 0;
    Fake without{fake.passes};
    CHECK(search(problem, without.evaluate(problem))->status == PlanStatus::infeasible);
  }
}

}  // namespace search_test
