#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "models/failure/renewal.hpp"
#include "tests/support/designs.hpp"

// Histories that end when the work of a run is done. docs/models/whole-run.md, equation 6.
namespace whole_histories_test {

using namespace stallcast;
using namespace stallcast::literals;
using models::JobOutlook;
using models::JobProcess;
using models::Scope;

namespace {

// Steps of 1 s without saves; failures end the processes, and a restart takes so long.
JobProcess runner(Seconds work, Seconds mtbf, Seconds restart) {
  JobProcess job;
  job.id = "train";
  job.step = 1_s;
  job.failures = {{.id = "sw", .mtbf = mtbf, .scope = Scope::process, .repair = 1_h}};
  job.recovery.start = restart;
  job.recovery.horizon = 720_h;
  job.recovery.runs = 20'000;
  job.work = work;
  return job;
}

// The same with a save of no size after every so many steps.
JobProcess saver(Seconds work, Seconds mtbf, Seconds restart, Seconds stall = {}) {
  JobProcess job = runner(work, mtbf, restart);
  job.stalls = {stall};
  job.tiers = {{.lost_with = Scope::beyond, .restore = {}, .after = {stall}}};
  return job;
}

double hours(double seconds) { return seconds / 3600.0; }

double deviation_of(const JobOutlook& out) {
  return hours(out.lasted.mean() * out.lasted.variation());
}

// Until K goes by without a failure, each of which costs R that a failure may hit, too, exactly:
//     E = M e^(R/M) (e^(K/M) - 1)
double until_done(double k, double m, double r) { return m * std::exp(r / m) * std::expm1(k / m); }
// Standard deviation of that without a restart: M sqrt(e^(2a) - 2 a e^a - 1), a = K / M
double deviation_until(double k, double m) {
  const double a = k / m;
  return m * std::sqrt(std::exp(2.0 * a) - 2.0 * a * std::exp(a) - 1.0);
}

}  // namespace

TEST_CASE("whole histories: what never saves takes as long as until it goes by unhurt") {
  // 6 h of work, a failure a day: 24 (e^(1/4) - 1) = 6.817 h, deviation 1.95 h
  const JobOutlook out = outlook(runner(6_h, 24_h, {}), 1, 1, 20'000);
  CHECK(hours(out.lasted.mean()) == Approx(until_done(6, 24, 0)).epsilon(0.01));
  CHECK(deviation_of(out) == Approx(deviation_until(6, 24)).epsilon(0.03));
  CHECK(out.mean.kept.in(unit::h) == Approx(6.0).epsilon(1e-12));
  // Work as long as two failures are apart, restarts half of that
  const JobOutlook worse = outlook(runner(20_h, 10_h, 5_h), 1, 1, 4'000);
  CHECK(hours(worse.lasted.mean()) == Approx(until_done(20, 10, 5)).epsilon(0.05));
}

TEST_CASE("whole histories: the luck of a long run is that of so many restarts") {
  // 30 d of work that is saved all the time, a failure each 5 d, restarts of 20 h that one may hit.
  // N restarts, Poisson of mean 6, of X = M (e^r - 1), r = 20 h / M, each:
  //     E = K + 6 X,    Var = 6 (Var X + X^2)
  const JobOutlook out = outlook(saver(720_h, 120_h, 20_h), 60, 1, 8'000);
  const double each = until_done(20, 120, 0), spread = deviation_until(20, 120);
  CHECK(hours(out.lasted.mean()) == Approx(720.0 + 6.0 * each).epsilon(0.005));
  CHECK(deviation_of(out) ==
        Approx(std::sqrt(6.0 * (spread * spread + each * each))).epsilon(0.03));
}

TEST_CASE("whole histories: of k intervals k - 1 are saved") {
  // Each interval of work and its save go by unhurt, exactly; the last has no save.
  JobProcess job = saver(5_h, 4_h, 6_min, 5_min);
  const double interval = until_done(65.0 / 60.0, 4, 0.1), last = until_done(1, 4, 0.1);
  const JobOutlook out = outlook(job, 3600, 1, 20'000);
  CHECK(hours(out.lasted.mean()) == Approx(4.0 * interval + last).epsilon(0.01));
  // Without failures to the second
  job.failures[0].mtbf = Seconds::from(1e15, unit::s);
  CHECK(outlook(job, 3600, 1, 1).mean.horizon().in(unit::min) == Approx(320.0).epsilon(1e-12));
}

TEST_CASE("whole histories: many intervals taken at once end with the work, too") {
  JobProcess job = saver(10'000_h, 1'000'000_h, {}, 1_s);
  const models::JobHistory one = models::history(job, 600, 1, 0);
  CHECK(one.kept.in(unit::h) == Approx(10'000.0).epsilon(1e-9));
  CHECK(one.saving.in(unit::s) == Approx(59'999.0).epsilon(1e-6));
  CHECK(one.unended == 0.0);
}

TEST_CASE("whole histories: what failures undo for good is given up") {
  // Twenty days that are never saved, a failure a day: e^20 days
  const models::JobHistory one = models::history(runner(480_h, 24_h, {}), 1, 1, 0);
  CHECK(one.unended == 1.0);
  CHECK(one.horizon().in(unit::h) == Approx(480'000.0).epsilon(1e-9));
}

TEST_CASE("whole histories: as many are walked as take the time of the horizons") {
  // 720 h of 100 horizons are 10 runs of 7200 h, but never fewer than 25 of 100
  CHECK(outlook(saver(7200_h, 120_h, {}), 600, 1, 100).kept.size() == 25);
  CHECK(outlook(saver(1440_h, 12'000_h, {}), 600, 1, 100).kept.size() == 50);
  CHECK(outlook(saver(72_h, 120_h, {}), 600, 1, 100).kept.size() == 100);
}

}  // namespace whole_histories_test
