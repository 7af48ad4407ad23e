#include <catch2/catch.hpp>
#include <cmath>

#include "models/failure/renewal.hpp"
#include "stallcast/histories.hpp"

// What a change makes of histories that met the same failures, and how sure that is.
// docs/models/blame.md, equation 2.
namespace paired_histories_test {

using namespace stallcast;
using namespace stallcast::literals;
using models::JobOutlook;
using models::JobProcess;
using models::Scope;

namespace {

// Without saves: 20 h of work have to go by without a failure, which comes every 10 h.
JobProcess never_saved(Seconds restart) {
  JobProcess job;
  job.id = "train";
  job.step = 1_s;
  job.failures = {{.id = "sw", .mtbf = 10_h, .scope = Scope::process, .repair = 1_h}};
  job.recovery.start = restart;
  job.recovery.horizon = 7200_h;
  job.work = 20_h;
  return job;
}

// A month, saved every 20 min; 30 of 100 saves are bad, and with three of these all is lost.
JobProcess silently_bad(Seconds stall) {
  JobProcess job;
  job.id = "train";
  job.step = 1_s;
  job.stalls = {stall};
  job.tiers = {{.lost_with = Scope::beyond, .restore = 1_min, .after = {stall}}};
  job.tiers[0].life = {.corrupt = 0.3, .verified = false, .keep = 3};
  job.failures = {{.id = "host", .mtbf = 94_h, .scope = Scope::host, .repair = 1_h}};
  job.recovery.start = 1_min;
  job.recovery.horizon = 7200_h;  // as many histories as are asked for
  job.work = 700_h;
  return job;
}

struct Difference {
  double log = 0.0;    ///< of how many times as long the work takes
  double error = 0.0;  ///< standard error of that
  double noise = 0.0;  ///< what luck may make of it
  double alone = 0.0;  ///< of the mean of the one, as if the other had met failures of its own
};
Difference between(const JobProcess& before, const JobProcess& after, std::int64_t steps,
                   std::uint64_t seed, std::int64_t runs) {
  const JobOutlook was = outlook(before, steps, seed, runs), is = outlook(after, steps, seed, runs);
  return {std::log(is.mean.horizon() / was.mean.horizon()), error_between(was.apart(), is.apart()),
          noise_between(was.apart(), is.apart()), error_between(was.apart(), {})};
}

}  // namespace

TEST_CASE("paired histories: a closed form lies as far from what they say as their error says") {
  // M e^(R/M) (e^(K/M) - 1): restarts of 1 h in place of 30 min take e^(0.05) times as long. Single
  // histories are 0.7 of their mean apart, so that 200 of them know their mean to 5 % alone.
  const double truth = 0.05;
  int inside = 0, told = 0, sure = 0;
  double sum = 0.0, errors = 0.0, alone = 0.0;
  constexpr int kSeeds = 200;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Difference d = between(never_saved(30_min), never_saved(1_h), 1, seed, 200);
    sum += d.log / kSeeds;
    inside += std::abs(d.log - truth) <= 2.0 * d.error ? 1 : 0;
    told += std::abs(d.log - truth) <= 3.0 * d.error ? 1 : 0;
    sure += std::abs(d.log - truth) <= d.noise ? 1 : 0;
    errors += d.error, alone += d.alone;
  }
  CHECK(errors < alone / 2.0);
  CHECK(sum == Approx(truth).epsilon(0.08));  // 20 % each, of 200
  // Of normal ones 95 and 99.7 of 100 would be: few histories make most of such a difference.
  CHECK(inside >= kSeeds * 85 / 100);
  CHECK(inside <= kSeeds * 97 / 100);
  CHECK(told >= kSeeds * 94 / 100);
  // With the worst once more for each error.
  CHECK(sure >= kSeeds * 97 / 100);
}

TEST_CASE("paired histories: what cannot matter changes nothing, though saves may be bad") {
  // A microsecond more in each save: 1 part in 10^9. Saves that come at other dates have the luck
  // of those that came before, at each restart.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Difference d = between(silently_bad(1_s), silently_bad(1.000001_s), 1200, seed, 100);
    CHECK(d.alone > 0.005);
    CHECK(d.error < d.alone / 20.0);
    CHECK(std::abs(d.log) <= 4.0 * d.error + 1e-8);
  }
}

TEST_CASE("paired histories: a change is as sure as what it changes, beside bad saves") {
  // 10 s less in each of 2,100 saves is 10 / 1211 of all but restarts, also of what is lost:
  // T = K (1 + s) / (1 - L / M) with L / M of a tenth, d ln T = ds / (1 + s) / (1 - L / M).
  const double truth = std::log(1201.0 / 1211.0) / 0.9;
  int sure = 0;
  double sum = 0.0;
  constexpr int kSeeds = 20;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Difference d = between(silently_bad(11_s), silently_bad(1_s), 1200, seed, 100);
    sum += d.log / kSeeds;
    // Now and then a history ends just before all is lost once more, or just after.
    sure += d.error < -truth / 3.0 ? 1 : 0;
    CHECK(std::abs(d.log - truth) <= 3.0 * d.error - truth / 5.0);
  }
  CHECK(sum == Approx(truth).margin(0.002));
  CHECK(sure >= 15);
}

TEST_CASE("paired histories: what they add to a mean sums to nothing") {
  double sum = 0.0;
  const JobOutlook one = outlook(silently_bad(1_s), 1200, 1, 100);
  for (const double group : one.apart()) sum += group;
  CHECK(one.apart().size() == kHistoryGroups);
  CHECK(sum == Approx(0.0).margin(1e-12));
  CHECK(error_between(one.apart(), one.apart()) == 0.0);
  CHECK(outlook(silently_bad(1_s), 1200, 1, 10).apart().size() == 10);
}

}  // namespace paired_histories_test
