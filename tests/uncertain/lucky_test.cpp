#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "engine/decide/uncertain/lucky.hpp"
#include "engine/decide/uncertain/tail.hpp"
#include "stallcast/luck.hpp"

// docs/models/uncertainty.md, equation 15.
namespace lucky_test {

using namespace stallcast;
using Kind = uncertain::ErrorScale::Kind;

namespace {

const std::string kTime = "job.train.run.time";

Prediction draw(double value, Luck luck) {
  Prediction out;
  out.metrics[kTime] = {value, "s", {}};
  if (!luck.empty()) out.luck[kTime] = std::move(luck);
  return out;
}

// 100 histories that are 0.5, 0.51, ... 1.49 times their value
Luck even() {
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(0.5 + 0.01 * i);
  return luck_of(samples, 1.0);
}

}  // namespace

TEST_CASE("luck: quantiles of histories are over their value") {
  const Luck luck = luck_of({8.0, 10.0, 12.0, 14.0}, 10.0);
  CHECK(luck.size() == kLuckyQuantiles);
  CHECK(luck.front() == Approx(0.8));
  CHECK(luck[kLuckyQuantiles / 2] == Approx(1.2));
  CHECK(luck.back() == Approx(1.4));
}

TEST_CASE("luck: of exact inputs the outcomes are the histories") {
  const std::vector<Prediction> draws(4, draw(100.0, even()));
  const uncertain::LuckOfDraws luck(draws, kTime, {Kind::linear});
  CHECK(luck.middle(100.0) == Approx(99.5).margin(1.0));
  CHECK(luck.outcome(100.0, 100.0, 0.05) == Approx(54.5).margin(1.5));
  CHECK(luck.outcome(100.0, 100.0, 0.95) == Approx(144.5).margin(1.5));
}

TEST_CASE("luck: widths of inputs and luck add as squares") {
  const std::vector<Prediction> draws(4, draw(100.0, even()));
  const uncertain::LuckOfDraws luck(draws, kTime, {Kind::linear});
  const double side = luck.side(0.95);
  CHECK(luck.outcome(100.0, 130.0, 0.95) - luck.middle(100.0) == Approx(std::hypot(30.0, side)));
}

TEST_CASE("luck: inputs and luck share an end, the run in which nothing fails") {
  // 100 h and what failures add: of draw i on average i, of a history nothing to twice as much.
  std::vector<Prediction> draws;
  for (int i = 0; i < 100; ++i) {
    std::vector<double> histories;
    for (int k = 0; k < 100; ++k) histories.push_back(100.0 + 0.1 * i * 0.02 * k);
    draws.push_back(draw(100.0 + 0.1 * i, luck_of(histories, 100.0 + 0.1 * i)));
  }
  const uncertain::LuckOfDraws luck(draws, kTime, {Kind::factors});
  CHECK(luck.outcome(105.0, 100.5, 0.05) == Approx(100.0).epsilon(1e-6));
  CHECK(luck.outcome(105.0, 109.5, 0.95) < 120.0);
  // Fewer are extrapolated, and so is what their luck makes of it.
  draws.resize(8);
  CHECK(uncertain::LuckOfDraws(draws, kTime, {Kind::factors}).outcome(100.4, 99.0, 0.05) < 99.0);
}

TEST_CASE("luck: draws have the worst twentieth of all histories, not of the few they replay") {
  const auto with = [](double goodput, double worst) {
    Prediction p;
    p.breakdown["t"] = {{"compute", goodput}};
    p.metrics["job.t.goodput"] = {goodput, "ratio", {}};
    p.metrics["job.t.goodput.p5"] = {worst, "ratio", {}};
    AssertionOutcome& asked = p.assertions.emplace_back();
    asked.metric = "job.t.goodput.p5", asked.value = worst;
    return p;
  };
  // Over goodput it is 0.98 of all histories and 0.97 of a few.
  std::vector<Prediction> draws{with(0.95, 0.9215), with(0.9, 0.873)};
  uncertain::as_of_all_histories(with(0.96, 0.9408), with(0.95, 0.9215), draws);
  CHECK(draws[0].metrics["job.t.goodput.p5"].value == Approx(0.98 * 0.95));
  CHECK(draws[1].metrics["job.t.goodput.p5"].value == Approx(0.98 * 0.9));
  CHECK(draws[1].assertions[0].value == Approx(0.98 * 0.9));
  CHECK(draws[1].metrics["job.t.goodput"].value == 0.9);
}

TEST_CASE("luck: what has none is left as it is") {
  const std::vector<Prediction> draws(4, draw(100.0, {}));
  const uncertain::LuckOfDraws luck(draws, kTime, {Kind::factors});
  CHECK_FALSE(luck.any());
  CHECK(luck.middle(100.0) == 100.0);
  CHECK(luck.outcome(100.0, 130.0, 0.95) == 130.0);
  CHECK(uncertain::luck_of(draws.front(), std::vector{kTime}) == Luck{1.0});
}

}  // namespace lucky_test
