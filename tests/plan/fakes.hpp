#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/decide/plan/space.hpp"

/// Searches of designs whose outcomes are made up.
namespace search_test {

using namespace stallcast;
using plan::Cell;

inline Prediction outcome(Verdict verdict) {
  Prediction p;
  p.scenario_id = "fake";
  p.verdict = verdict;
  return p;
}

inline plan::Axis axis(std::int64_t first, std::int64_t last, std::int64_t start = 0,
                       bool ordered = true) {
  plan::Axis out;
  for (std::int64_t n = first; n <= last; ++n) {
    out.values.emplace_back(Amount{static_cast<double>(n)});
    out.numbers.push_back(static_cast<double>(n));
  }
  out.about.ordered = ordered;
  out.about.path = "n" + std::to_string(first);
  out.start = static_cast<std::size_t>(std::max<std::int64_t>(0, start - first));
  return out;
}

/// Counts what is asked for; passes where `passes` says so, by numbers.
struct Fake {
  std::function<bool(const std::vector<double>&)> passes;
  std::set<Cell> asked = {};

  plan::Evaluate evaluate(const plan::Problem& problem) {
    return [this, &problem](std::span<const Cell> cells) {
      std::vector<Result<Prediction>> out;
      for (const Cell& cell : cells) {
        CHECK(asked.insert(cell).second);  // nothing is simulated twice
        out.emplace_back(outcome(passes(numbers(problem, cell)) ? Verdict::pass : Verdict::fail));
      }
      return out;
    };
  }
  static std::vector<double> numbers(const plan::Problem& problem, const Cell& cell) {
    std::vector<double> out;
    for (std::size_t a = 0; a < cell.size(); ++a) out.push_back(problem.axes[a].numbers[cell[a]]);
    return out;
  }
};

/// A problem of one count.
inline plan::Problem one(std::int64_t bound, std::int64_t checks = 0) {
  plan::Problem p;
  p.axes = {axis(1, std::max<std::int64_t>(4096, 64 * bound), bound)};
  p.cost = [](const Cell& cell) { return static_cast<double>(cell.front()); };
  p.checks = checks;
  return p;
}

inline double answer_of(const plan::Problem& problem, const plan::Search& found) {
  REQUIRE(found.answer.has_value());
  return problem.axes.front().numbers[found.answer->front()];
}

}  // namespace search_test
