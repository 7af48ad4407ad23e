#include "tests/plan/fakes.hpp"

/// Designs whose simulations lack the figure that is asked for.
namespace search_test {

TEST_CASE("a design that lacks the figure that is minimized is no answer") {
  plan::Problem problem;
  problem.axes = {axis(1, 40, 1, false)};
  problem.value = [](const Prediction& p) -> Result<double> {
    const auto cost = p.metrics.find("cost");
    if (cost != p.metrics.end()) return cost->second.value;
    return Failure{ExitCode::bad_input, "no cost", ""};
  };
  // None of the first has it: more than a batch of them.
  const auto found = search(problem, [&](std::span<const Cell> cells) {
    std::vector<Result<Prediction>> out;
    for (const Cell& cell : cells) {
      const double n = problem.axes[0].numbers[cell[0]];
      out.emplace_back(outcome(Verdict::pass));
      if (n > 20) out.back()->metrics["cost"] = {100.0 - n, "USD", {}};
    }
    return out;
  });
  REQUIRE(found.ok());
  CHECK(answer_of(problem, *found) == 40);
  CHECK(found->seen.size() == 20);
  CHECK(found->lacking.size() == 20);
  CHECK(found->invalid == 20);
}

TEST_CASE(
    "where the first designs cannot be judged others are, and where none can it is said soon") {
  plan::Problem problem;
  problem.axes = {axis(1, 1000, 1, false)};
  problem.cost = [](const Cell& cell) { return static_cast<double>(cell.front()); };
  double judged = 900;
  std::size_t simulated = 0;
  const plan::Evaluate evaluate = [&](std::span<const Cell> cells) {
    std::vector<Result<Prediction>> out;
    for (const Cell& cell : cells) {
      ++simulated;
      if (problem.axes[0].numbers[cell[0]] >= judged)
        out.emplace_back(outcome(Verdict::pass));
      else
        out.emplace_back(Failure{ExitCode::bad_input, "no save ended", ""});
    }
    return out;
  };
  const auto found = search(problem, evaluate);
  REQUIRE(found.ok());
  CHECK(answer_of(problem, *found) == 900);
  judged = 2000;
  simulated = 0;
  const auto none = search(problem, evaluate);
  REQUIRE_FALSE(none.ok());
  CHECK(none.failure().message == "no save ended");
  CHECK(simulated < 12);
}

TEST_CASE("what the first designs lack is looked for in all of a few, and at the ends of many") {
  const auto answer = [](std::vector<plan::Axis> axes, const auto& has) {
    plan::Problem problem;
    problem.axes = std::move(axes);
    problem.cost = [](const Cell& cell) {
      double sum = 0.0;
      for (const std::size_t i : cell) sum += static_cast<double>(i);
      return sum;
    };
    const auto found = search(problem, [&](std::span<const Cell> cells) {
      std::vector<Result<Prediction>> out;
      for (const Cell& cell : cells)
        if (has(Fake::numbers(problem, cell)))
          out.emplace_back(outcome(Verdict::pass));
        else
          out.emplace_back(Failure{ExitCode::bad_input, "no save ended", ""});
      return out;
    });
    REQUIRE(found.ok());
    REQUIRE(found->answer.has_value());
    return Fake::numbers(problem, *found->answer);
  };
  using Numbers = std::vector<double>;
  for (const bool ordered : {false, true}) {
    // One of 100, which is none of those that are spread over them.
    CHECK(answer({axis(1, 100, 1, ordered)}, [](const Numbers& n) { return n[0] == 53; }) ==
          Numbers{53});
    // More of both, and neither alone.
    CHECK(answer({axis(1, 300, 1, ordered), axis(1, 2, 1, false)},
                 [](const Numbers& n) { return n[0] > 290 && n[1] > 1; }) == Numbers{291, 2});
  }
}

}  // namespace search_test
