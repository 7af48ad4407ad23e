#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "engine/base/counted.hpp"
#include "tests/plan/fakes.hpp"

namespace search_test {

namespace {

/// The cheapest that passes together with all that are at least as large on every ordered axis;
/// where there is none, the cheapest that passes.
std::optional<double> brute_force(const plan::Problem& problem, const Fake& fake) {
  std::optional<double> best, any;
  const std::vector<Cell> cells = grid(problem.axes, {});
  for (const Cell& cell : cells) {
    if (!fake.passes(Fake::numbers(problem, cell))) continue;
    const double cost = problem.cost(cell);
    if (!any || cost < *any) any = cost;
    const bool solid = std::all_of(cells.begin(), cells.end(), [&](const Cell& other) {
      for (std::size_t a = 0; a < cell.size(); ++a)
        if (problem.axes[a].about.ordered ? other[a] < cell[a] : other[a] != cell[a]) return true;
      return fake.passes(Fake::numbers(problem, other));
    });
    if (solid && (!best || cost < *best)) best = cost;
  }
  return best ? best : any;
}

}  // namespace

TEST_CASE("the search finds the smallest count that passes") {
  for (const std::int64_t answer : {1, 2, 3, 7, 50, 51, 52, 63, 64, 65, 100, 1000, 3000})
    for (const std::int64_t bound : {1, 50, 51, 200}) {
      Fake fake{[answer](const auto& n) { return n[0] >= static_cast<double>(answer); }};
      const plan::Problem problem = one(bound);
      const auto found = search(problem, fake.evaluate(problem));
      REQUIRE(found.ok());
      INFO("answer " << answer << " bound " << bound);
      CHECK(found->status == PlanStatus::found);
      CHECK(answer_of(problem, *found) == static_cast<double>(answer));
      CHECK_FALSE(found->non_monotone);
      CHECK(fake.asked.size() <= 30);                        // of 4096 or more
      for (const std::int64_t n : {answer - 1, answer + 1})  // the neighbours are simulated
        if (n >= 1) CHECK(found->seen.contains({static_cast<std::size_t>(n - 1)}));
    }
}

TEST_CASE("a bound that is already the answer needs few simulations") {
  Fake fake{[](const auto& n) { return n[0] >= 51; }};
  const plan::Problem problem = one(51);
  REQUIRE(search(problem, fake.evaluate(problem)).ok());
  CHECK(fake.asked.size() <= 6);  // the end, 51, 50, and neighbours above
}

TEST_CASE("targets that fail at the largest count are infeasible, and that is shown") {
  Fake fake{[](const auto&) { return false; }};
  const plan::Problem problem = one(8, 4);
  const auto found = search(problem, fake.evaluate(problem));
  REQUIRE(found.ok());
  CHECK(found->status == PlanStatus::infeasible);
  CHECK_FALSE(found->answer.has_value());
  CHECK(found->end == Cell{4095});
  CHECK(fake.asked.size() >= 5);  // the largest, and the checks
  CHECK(found->implied == 4096 - static_cast<std::int64_t>(fake.asked.size()));
}

TEST_CASE("a larger count that fails moves the answer above it") {
  // 10 and 11 pass, 12 fails, from 13 all pass: "at least 13" is the only safe answer.
  Fake fake{[](const auto& n) { return n[0] >= 10 && n[0] != 12; }};
  const plan::Problem problem = one(10);
  const auto found = search(problem, fake.evaluate(problem));
  REQUIRE(found.ok());
  CHECK(answer_of(problem, *found) == 13);
  CHECK(found->non_monotone);
  CHECK_FALSE(found->contradiction.has_value());  // 12 lies before the answer
}

TEST_CASE("a larger count that misses is known where nothing lies above it") {
  // Of 1 to 9 only 8 passes: nothing smaller does, and 9 contradicts it.
  Fake fake{[](const auto& n) { return n[0] == 8; }};
  plan::Problem problem = one(8);
  problem.axes = {axis(1, 9, 8)};
  const auto found = search(problem, fake.evaluate(problem));
  REQUIRE(found.ok());
  CHECK(answer_of(problem, *found) == 8);
  CHECK(found->non_monotone);
  CHECK(found->contradiction == Cell{8});
  // Of several the nearest: 9 of 9 to 12.
  problem.axes = {axis(1, 12, 8)};
  Fake again{fake.passes};
  CHECK(search(problem, again.evaluate(problem))->contradiction == Cell{8});
}

TEST_CASE("more than a target allows contradicts nothing") {
  // 8 passes, 9 and more exceed a budget.
  Fake fake{[](const auto& n) { return n[0] == 8; }};
  plan::Problem problem = one(8);
  problem.axes = {axis(1, 12, 8)};
  const auto evaluate = [&](std::span<const Cell> cells) {
    auto out = fake.evaluate(problem)(cells);
    for (std::size_t i = 0; i < cells.size(); ++i)
      out[i]->scenario_id = cells[i].front() > 7 ? "dear" : "fake";
    return out;
  };
  problem.standing = [](const Prediction& p) {
    return p.verdict == Verdict::pass ? plan::Standing::meets
           : p.scenario_id == "dear"  ? plan::Standing::too_much
                                      : plan::Standing::misses;
  };
  const auto found = search(problem, evaluate);
  REQUIRE(found.ok());
  CHECK(answer_of(problem, *found) == 8);
  CHECK_FALSE(found->non_monotone);
  CHECK_FALSE(found->contradiction.has_value());
}

TEST_CASE("where the largest misses, checks find what passes nevertheless") {
  // More is worse from 40 on: no count is safe, and 8 checks of 60 find one that passes.
  Fake fake{[](const auto& n) { return n[0] >= 10 && n[0] < 40; }};
  plan::Problem problem = one(5, 8);
  problem.axes = {axis(1, 60, 5)};
  const auto found = search(problem, fake.evaluate(problem));
  REQUIRE(found.ok());
  CHECK(found->status == PlanStatus::found);
  CHECK(answer_of(problem, *found) >= 10);
  CHECK(found->non_monotone);
  // With as many checks as designs it is the smallest.
  Fake all{fake.passes};
  problem.checks = 60;
  CHECK(answer_of(problem, *search(problem, all.evaluate(problem))) == 10);
}

TEST_CASE("an outcome that never settles ends the search with a warning") {
  Fake fake{[](const auto& n) { return n[0] >= 4000 || static_cast<int>(n[0]) % 2 == 0; }};
  const plan::Problem problem = one(10);
  const auto found = search(problem, fake.evaluate(problem));
  REQUIRE(found.ok());
  CHECK(found->status == PlanStatus::found);
  CHECK(found->non_monotone);
}

TEST_CASE("searches of two counts agree with brute force") {
  // A rate that both limit, min(3 a, 2 b) >= need, and a part that a alone has to carry.
  for (const double need : {1.0, 17.0, 30.0, 47.0, 59.0, 100.0})
    for (const double price : {0.1, 1.0, 2.5, 40.0}) {
      Fake fake{[=](const auto& n) { return std::min(3 * n[0], 2 * n[1]) >= need && n[0] > 2; }};
      plan::Problem problem;
      problem.axes = {axis(1, 20, 5), axis(1, 30, 1)};
      problem.cost = [=](const Cell& c) {
        return static_cast<double>(c[0]) + price * static_cast<double>(c[1]);
      };
      problem.checks = 4;
      const auto found = search(problem, fake.evaluate(problem));
      REQUIRE(found.ok());
      INFO("need " << need << " price " << price);
      const auto best = brute_force(problem, fake);
      REQUIRE(found->answer.has_value() == best.has_value());
      if (best) CHECK(problem.cost(*found->answer) == *best);
      CHECK(fake.asked.size() < 150);  // of 600
    }
}

TEST_CASE("searches of three values, of which one helps nobody in particular, agree, too") {
  // Workers are best in the middle; a count and a cache help.
  for (const double need : {3.0, 6.5, 8.0, 11.0}) {
    Fake fake{[=](const auto& n) {
      const double workers = 5.0 - std::abs(n[1] - 4.0);
      return std::min({n[0], 1.5 * workers, 0.5 * n[2] + 2.0 * workers}) >= need;
    }};
    plan::Problem problem;
    problem.axes = {axis(1, 12), axis(1, 9, 1, false), axis(1, 10)};
    problem.cost = [](const Cell& c) {
      return 10.0 * static_cast<double>(c[0]) + static_cast<double>(c[1]) +
             3.0 * static_cast<double>(c[2]);
    };
    const auto found = search(problem, fake.evaluate(problem));
    REQUIRE(found.ok());
    const auto best = brute_force(problem, fake);
    INFO("need " << need);
    REQUIRE(found->answer.has_value() == best.has_value());
    if (best) CHECK(problem.cost(*found->answer) == *best);
  }
}

TEST_CASE("holes next to the answer do not fool the search") {
  // Placement makes 7 of a miss although smaller counts pass.
  Fake fake{[](const auto& n) { return n[0] * n[1] >= 20 && static_cast<int>(n[0]) != 7; }};
  plan::Problem problem;
  problem.axes = {axis(1, 13, 4), axis(1, 6)};
  problem.cost = [](const Cell& c) {
    return static_cast<double>(c[0]) + 4.0 * static_cast<double>(c[1]);
  };
  problem.checks = 100;
  const auto found = search(problem, fake.evaluate(problem));
  REQUIRE(found.ok());
  const auto best = brute_force(problem, fake);
  REQUIRE(best.has_value());
  CHECK(problem.cost(*found->answer) == *best);
  CHECK(problem.axes[0].numbers[(*found->answer)[0]] > 7);
}

TEST_CASE("what only a simulation can say is minimized over all designs") {
  plan::Problem problem;
  problem.axes = {axis(1, 9), axis(1, 9, 1, false)};
  // Cost per useful hour has its least inside: more of both costs more, less wastes time.
  const auto cost = [&](const Cell& c) {
    const double a = problem.axes[0].numbers[c[0]], b = problem.axes[1].numbers[c[1]];
    return a + b + 40.0 / (a * b);
  };
  problem.value = [](const Prediction& p) { return p.metrics.at("cost").value; };
  const auto found = search(problem, [&](std::span<const Cell> cells) {
    std::vector<Result<Prediction>> out;
    for (const Cell& cell : cells) {
      out.emplace_back(outcome(cell[0] + cell[1] >= 4 ? Verdict::pass : Verdict::fail));
      out.back()->metrics["cost"] = {cost(cell), "USD", {}};
    }
    return out;
  });
  REQUIRE(found.ok());
  double best = 1e9;
  for (const Cell& cell : grid(problem.axes, {}))
    if (cell[0] + cell[1] >= 4) best = std::min(best, cost(cell));
  REQUIRE(found->answer.has_value());
  CHECK(cost(*found->answer) == best);
}

TEST_CASE("designs that bounds exclude are not simulated, but for the answer's neighbours") {
  Fake fake{[](const auto& n) { return n[0] >= 51; }};
  plan::Problem problem = one(20, 1000);
  problem.bound = [](const Cell& cell) {
    return cell.front() + 1 < 48 ? plan::Standing::misses : plan::Standing::meets;
  };
  const auto found = search(problem, fake.evaluate(problem));
  REQUIRE(found.ok());
  CHECK(answer_of(problem, *found) == 51);
  for (const Cell& cell : fake.asked) CHECK(cell.front() + 1 >= 48);
  CHECK(found->proven > 0);
}

TEST_CASE("values that make no valid design are passed over") {
  Fake fake{[](const auto& n) { return n[0] >= 10; }};
  plan::Problem problem = one(5);
  problem.axes = {axis(1, 64, 5)};
  problem.invalid = [](const Cell& cell) -> std::optional<Failure> {
    if (cell.front() + 1 > 40 || (cell.front() + 1) % 4 == 2)
      return Failure{ExitCode::bad_input, "no such thing", ""};
    return std::nullopt;
  };
  const auto found = search(problem, fake.evaluate(problem));
  REQUIRE(found.ok());
  CHECK(answer_of(problem, *found) == 11);  // 10 is none
  problem.invalid = [](const Cell&) { return Failure{ExitCode::bad_input, "no such thing", ""}; };
  Fake none{fake.passes};
  const auto nothing = search(problem, none.evaluate(problem));
  REQUIRE_FALSE(nothing.ok());
  CHECK(nothing.failure().message == "no such thing");
}

TEST_CASE("a budget that the largest designs exceed hides none that keep it") {
  // Passes from 30 on; the budget ends at 200 of 4096. What costs too much fails without meaning
  // that less would fail as well.
  for (const double budget : {30.0, 31.0, 200.0, 29.0}) {
    Fake fake{[=](const auto& n) { return n[0] >= 30 && n[0] <= budget; }};
    plan::Problem problem = one(5);
    problem.bound = [=](const Cell& cell) {
      return static_cast<double>(cell.front() + 1) > budget ? plan::Standing::too_much
                                                            : plan::Standing::meets;
    };
    problem.standing = [](const Prediction& p) {
      return p.verdict == Verdict::pass ? plan::Standing::meets : plan::Standing::misses;
    };
    const auto found = search(problem, fake.evaluate(problem));
    REQUIRE(found.ok());
    INFO("budget " << budget);
    if (budget < 30.0) {
      CHECK(found->status == PlanStatus::infeasible);
    } else {
      CHECK(answer_of(problem, *found) == 30);
      CHECK_FALSE(found->non_monotone);
    }
    CHECK(fake.asked.size() < 40);
  }
}

TEST_CASE("inconclusive at the largest count is inconclusive") {
  const plan::Problem problem = one(3);
  const auto found = search(problem, [](std::span<const Cell> cells) {
    return std::vector<Result<Prediction>>(cells.size(), outcome(Verdict::inconclusive));
  });
  CHECK(found->status == PlanStatus::inconclusive);
}

TEST_CASE("the first failure of a simulation is the failure of the search") {
  const plan::Problem problem = one(3);
  const auto found = search(problem, [](std::span<const Cell> cells) {
    return std::vector<Result<Prediction>>(cells.size(),
                                           Failure{ExitCode::internal, "worker crashed", ""});
  });
  REQUIRE_FALSE(found.ok());
  CHECK(found.failure().message == "worker crashed");
}

TEST_CASE("when time runs out the candidates so far are kept") {
  int calls = 0;
  const plan::Problem problem = one(3);
  const auto found = search(problem, [&](std::span<const Cell> cells) {
    std::vector<Result<Prediction>> out;
    for (const Cell& cell : cells)
      if (++calls > 4)
        out.emplace_back(Failure{ExitCode::inconclusive, "the time limit was reached", ""});
      else
        out.emplace_back(outcome(cell.front() >= 1000 ? Verdict::pass : Verdict::fail));
    return out;
  });
  REQUIRE(found.ok());
  CHECK(found->status == PlanStatus::inconclusive);
  CHECK(found->seen.size() >= 2);
  CHECK(found->notes.at(0) == "the search ended early: the time limit was reached");
}

TEST_CASE("what fails at a date leaves no design out where nothing else meets the targets") {
  // The teeth of a saw: larger designs miss, and so do smaller ones.
  const auto met = [](const std::vector<double>& n) { return n[0] + n[1] == 8.0; };
  plan::Problem problem;
  problem.axes = {axis(1, 8), axis(1, 7)};
  problem.cost = [](const Cell& cell) {
    return static_cast<double>(cell[0]) + 1.5 * static_cast<double>(cell[1]);
  };
  Fake in_order{met};
  CHECK(search(problem, in_order.evaluate(problem))->status == PlanStatus::infeasible);
  problem.dated = true;
  Fake dated{met};
  const auto found = search(problem, dated.evaluate(problem));
  REQUIRE(found->status == PlanStatus::found);
  CHECK(Fake::numbers(problem, *found->answer) == std::vector<double>{7.0, 1.0});
  CHECK(found->non_monotone);
  // Of many designs it is said which are known to miss.
  problem.axes = {axis(1, 40), axis(1, 40)};
  Fake many{[](const auto&) { return false; }};
  const auto none = search(problem, many.evaluate(problem));
  REQUIRE(none->status == PlanStatus::infeasible);
  REQUIRE(none->notes.size() == 1);
  CHECK_THAT(none->notes.front(), Catch::Contains("only those that were simulated"));
}

TEST_CASE("counts of two systems of one kind say of which they are") {
  std::vector<plan::Axis> axes = {axis(1, 8), axis(1, 8), axis(1, 8)};
  const char* owners[] = {"storage hot", "storage cold", "storage hot"};
  const char* nouns[] = {"OSTs", "OSTs", "OSSs"};
  for (std::size_t a = 0; a < axes.size(); ++a) {
    axes[a].about.owner = owners[a];
    axes[a].about.noun = nouns[a];
    axes[a].about.metric = "required";
  }
  plan::tell_apart(axes);
  CHECK(base::counted(axes[0].about, "4") == "4 OSTs of hot");
  CHECK(base::counted(axes[1].about, "1") == "1 OST of cold");
  CHECK(base::counted(axes[2].about, "1") == "1 OSS");
}

}  // namespace search_test
