#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "engine/decide/gain/targets.hpp"
#include "engine/decide/plan/advice.hpp"
#include "stallcast/metric.hpp"
#include "tests/support/designs.hpp"

/// What luck of failures leaves of a change: docs/models/blame.md, equation 2.
namespace target_noise_test {

using namespace stallcast;

namespace {

const std::string kLost = metric::of_job("train", "failures.lost_work");

/// Groups of histories of which the first adds so much more than the mean, the others less.
Histories apart(double by) {
  Histories out(kHistoryGroups, -by / (kHistoryGroups - 1.0));
  out.front() = by;
  return out;
}

/// A job that loses so much work at each failure, and too much of it.
Prediction losing(double seconds, Histories histories) {
  Prediction out;
  out.metrics[kLost] = {seconds, "s", {}};
  out.histories[kLost] = std::move(histories);
  out.breakdown["train"] = {{"compute", 0.8}, {"checkpoint", 0.2}};
  AssertionOutcome missed;
  missed.id = "lost", missed.that = kLost + " <= 1 s", missed.metric = kLost;
  missed.value = seconds, missed.unit = "s", missed.limit = 1.0, missed.status = "fail";
  out.assertions = {missed};
  return out;
}

/// What is said to better it, where every change makes 3 % less of it, by these histories.
TargetGain named(const Histories& histories) {
  Design design = testing::small_design();
  testing::save_by_steps(design, "sync");
  const Prediction base = losing(100.0, apart(0.0));
  gain::TargetFigures targets(design, base);
  REQUIRE_FALSE(targets.empty());
  const auto simulate = [&](const std::vector<gain::Levers>& all, double strength,
                            const gain::TargetFigures::Take& take) {
    for (std::size_t i = 0; i < all.size(); ++i)
      take(i, losing(strength < 1.0 ? 100.0 : 97.0, strength < 1.0 ? apart(0.0) : histories));
  };
  return targets.find(base, 32, simulate, base).at(kLost);
}

}  // namespace

TEST_CASE("what luck may make of lost work is no part that limits it") {
  // Of all alike: 3 % less are 3 % less.
  CHECK(named(apart(0.0)).change.value_or(0.0) == Approx(-0.03));
  // One group that adds 0.5 % more: error and worst are that each, of which three are 3 %.
  CHECK(named(apart(0.004)).change.value_or(0.0) == Approx(-0.03));
  CHECK_FALSE(named(apart(0.006)).change.has_value());
}

TEST_CASE("a change that was tried gains no more than luck may make of it") {
  const auto with = [](double goodput, const Histories& histories) {
    Prediction out;
    out.metrics[metric::goodput("train")] = {goodput, "ratio", {}};
    out.metrics[metric::gpu_utilization("train")] = {0.9, "ratio", {}};
    out.breakdown["train"] = {{"compute", goodput}, {"restart", 1.0 - goodput}};
    out.histories[metric::goodput("train")] = histories;
    return out;
  };
  const Prediction base = with(0.80, apart(0.0));
  const auto noise = [&](double goodput, double by) {
    return plan::in_short(
               {{"job.train.checkpoint.every 20 min -> 10 min", {}}, with(goodput, apart(by))},
               base)
        .noise;
  };
  CHECK(noise(0.81, 0.0) == 0.0);
  // 3 (error + worst) of the time, of which 81 % are useful, less what is saved: 0.8 of each.
  const double error = 0.01 * std::sqrt((1.0 + 1.0 / 63.0) * 64.0 / 63.0);
  CHECK(noise(0.81, 0.01) == Approx(0.80 * 3.0 * (error + 0.01)));
  const Alternative luck = plan::in_short({{"a", {}}, with(0.82, apart(0.01))}, base),
                    sure = plan::in_short({{"b", {}}, with(0.81, apart(0.0))}, base);
  CHECK(plan::is_better(sure, luck, base));
  CHECK_FALSE(plan::is_better(luck, sure, base));
}

}  // namespace target_noise_test
