#include "engine/decide/uncertain/together.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/decide/uncertain/chances.hpp"
#include "stallcast/luck.hpp"
#include "tests/support/designs.hpp"

// docs/models/uncertainty.md, equation 5b.
namespace together_test {

using namespace stallcast;
using namespace stallcast::testing;
using uncertain::Held;
using uncertain::HeldTogether;

namespace {

// 64 histories that keep 0.80 to 0.926 of the time, and take as much longer as they keep less.
Prediction judged(const std::vector<AssertionOutcome>& targets) {
  Prediction out;
  std::vector<double> kept, taken;
  for (int i = 0; i < 64; ++i) kept.push_back(0.8 + 0.002 * i), taken.push_back(80.0 / kept.back());
  out.metrics["job.train.goodput"] = {0.86, "ratio", {}};
  out.metrics["job.train.run.days"] = {80.0 / 0.86, "d", {}};
  out.luck["job.train.goodput"] = luck_of(kept, 0.86);
  out.luck["job.train.run.days"] = luck_of(taken, 80.0 / 0.86);
  out.assertions = targets;
  out.seeds = {1};
  return out;
}

AssertionOutcome target(const std::string& metric, const std::string& op, double limit) {
  AssertionOutcome out;
  out.id = metric + op + std::to_string(limit);
  out.that = metric + " " + op + " " + std::to_string(limit);
  out.metric = metric;
  out.limit = limit;
  out.value = metric == "job.train.goodput" ? 0.86 : 80.0 / 0.86;
  out.unit = metric == "job.train.goodput" ? "ratio" : "d";
  out.status = "pass";
  return out;
}

double all_hold(const std::vector<AssertionOutcome>& targets) {
  Design design = small_design();
  // Nothing but luck is open.
  set(design.jobs[0].job, models::Role::job, "discrepancy.utilization", "0");
  const Prediction one = judged(targets);
  uncertain::DrawnDesigns draws;
  draws.predictions = {one};
  draws.designs = {design};
  draws.which = {0};
  return *uncertain::chances_of(design, one, draws).all_hold();
}

}  // namespace

TEST_CASE("together: what follows from one number holds as often as the strictest", "[uncertain]") {
  const AssertionOutcome good = target("job.train.goodput", ">=", 0.861),
                         laxer = target("job.train.goodput", ">=", 0.84),
                         days = target("job.train.run.days", "<=", 80.0 / 0.861),
                         sooner = target("job.train.run.days", "<=", 80.0 / 0.9);
  const double half = all_hold({good});
  CHECK(half == Approx(33.0 / 64.0).margin(0.01));
  CHECK(all_hold({good, laxer}) == Approx(half));
  CHECK(all_hold({good, days}) == Approx(half));
  CHECK(all_hold({good, sooner}) == Approx(all_hold({sooner})));
  CHECK(all_hold({good, good, days, laxer}) == Approx(half));
}

TEST_CASE("together: targets that want more and less of one number leave what is between",
          "[uncertain]") {
  const AssertionOutcome least = target("job.train.goodput", ">=", 0.841),
                         most = target("job.train.goodput", "<=", 0.881),
                         late = target("job.train.run.days", ">=", 80.0 / 0.881);
  CHECK(all_hold({least, most}) == Approx(20.0 / 64.0).margin(0.01));
  CHECK(all_hold({least, late}) == Approx(20.0 / 64.0).margin(0.01));
  CHECK(all_hold({target("job.train.goodput", ">=", 0.9), most}) == 0.0);
}

TEST_CASE("together: what the model is off by is shared as luck is", "[uncertain]") {
  const auto both = [](bool rises) {
    HeldTogether all;
    all.add({"u", true}, {{0.4, 1.0}});  // holds but for the least 40 %
    all.add({"u", rises}, {{0.0, 0.5}});
    return all.share();
  };
  CHECK(both(true) == Approx(0.1));
  CHECK(both(false) == Approx(0.5));
  HeldTogether other;
  other.add({"u", true}, {{0.4, 1.0}});
  other.add({"v", true}, {{0.0, 0.5}});
  CHECK(other.share() == Approx(0.3));
  // Of luck that one of them has, the other has the same everywhere.
  HeldTogether lucky;
  lucky.add({"u", true}, {{0.4, 1.0}});
  lucky.add({"u", true}, {{0.0, 0.0}, {0.2, 1.0}});
  CHECK(lucky.share() == Approx(0.3));
}

TEST_CASE("together: figures that follow from one number, and which way", "[uncertain]") {
  const Design design = small_design();
  const auto source = [&](const std::string& figure) {
    const uncertain::SharedSource of = uncertain::shared_source("job.train." + figure, design);
    return of.name + (of.rises ? " +" : " -");
  };
  const std::string use = "job.train.gpu.utilization";
  for (const char* more : {"goodput", "goodput.p5", "au", "lasting.useful", "throughput.samples"})
    CHECK(source(more) == use + " +");
  for (const char* less :
       {"run.time", "run.days", "run.cost", "run.energy", "step.time", "stall.data"})
    CHECK(source(less) == use + " -");
  CHECK(source("checkpoint.stall") == "job.train.checkpoint.duration +");
  CHECK(source("checkpoint.bandwidth") == "job.train.checkpoint.duration -");
  CHECK(source("restore.duration") == "job.train.restore.duration +");
  CHECK(source("failures.count") == "job.train.failures.count +");
}

}  // namespace together_test
