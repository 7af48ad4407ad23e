#include <catch2/catch.hpp>
#include <cmath>

#include "engine/decide/uncertain/particles.hpp"
#include "engine/decide/uncertain/quantiles.hpp"

/// How far off an observed figure may be: docs/models/uncertainty.md, eq. 8.
namespace stallcast::uncertain {
namespace {

double odds(double x) { return std::log(x / (1.0 - x)); }
double off(const Error& error, double value) { return error.off(error.scaled(value)); }

}  // namespace

TEST_CASE("a share inside its interval is as far off as its odds") {
  // No class of figures: the measurement's own width alone.
  const Error error = error_of({"job.a.cache.hit", 0.8, {0.75, 0.85}}, "ratio", {});
  const double sd = 0.5 * (odds(0.85) - odds(0.75)) / kStandardNine;
  CHECK(off(error, 0.9) == Approx((odds(0.9) - odds(0.8)) / sd).epsilon(1e-9));
  CHECK(off(error, 0.5) == Approx((odds(0.5) - odds(0.8)) / sd).epsilon(1e-9));
}

TEST_CASE("a share whose interval reaches 1 is known from below") {
  // All above the middle of the interval is the same; half of it would be far off.
  for (const double value : {0.999, 1.0}) {
    const Error error = error_of({"job.a.cache.hit", value, {0.99, 1.0}}, "ratio", {});
    CHECK(off(error, 0.995) == Approx(0.0).margin(1e-9));
    CHECK(off(error, 1.0) == Approx(0.0).margin(1e-9));
    CHECK(off(error, 1.01) == Approx(0.0).margin(1e-9));
    CHECK(off(error, 0.99) == Approx(-kStandardNine).epsilon(1e-9));
    CHECK(off(error, 0.9) < -3.0);
  }
  const Error none = error_of({"job.a.neighbours.loss", 0.0, {0.0, 0.01}}, "ratio", {});
  CHECK(off(none, 0.0) == Approx(0.0).margin(1e-9));
  CHECK(off(none, 0.01) == Approx(kStandardNine).epsilon(1e-9));
  CHECK(off(none, 0.1) > 3.0);
  const Error nothing = error_of({"job.a.cache.hit", 0.5, {0.0, 1.0}}, "ratio", {});
  CHECK(off(nothing, 0.01) == 0.0);
  CHECK(off(nothing, 0.99) == 0.0);
}

TEST_CASE("what is more than all of something is a factor off, on one scale") {
  const Error error = error_of({"storage.a.capacity.used", 1.003, {0.998, 1.008}}, "ratio", {});
  CHECK(off(error, 0.545) == Approx(std::log(0.545 / 1.003) / error.sd).epsilon(1e-9));
  CHECK(off(error, 0.545) < -3.0);
}

TEST_CASE("n runs of one design average what was measured, and not what the model is off by") {
  // Normal closed form: their mean is off by the model once, and by measured / sqrt(n).
  const double model = 0.2, sds[] = {0.05, 0.1, 0.02, 0.3}, at[] = {0.3, 0.1, 0.25, -0.4};
  std::vector<SeenFigure> before;
  double precision = 0.0, sum = 0.0, weights = 0.0, weighted = 0.0;
  for (std::size_t n = 0; n < 4; ++n) {
    Error error{at[n], std::hypot(sds[n], model), ""};
    error.measured = sds[n], error.model = model;
    const Error adds = beside(error, before);
    precision += 1.0 / (adds.sd * adds.sd);
    sum += adds.centre / (adds.sd * adds.sd);
    weights += 1.0 / (sds[n] * sds[n]);
    weighted += at[n] / (sds[n] * sds[n]);
    CHECK(precision == Approx(1.0 / (model * model + 1.0 / weights)).epsilon(1e-9));
    CHECK(sum / precision == Approx(weighted / weights).epsilon(1e-9));
    CHECK(precision < 1.0 / (model * model));
    before.push_back({"a", "job.a.step.time", at[n], sds[n]});
  }
  // Where the model is off by nothing each run is one of its own.
  Error exact{0.1, 0.05, ""};
  exact.measured = 0.05;
  CHECK(beside(exact, before).sd == 0.05);
  CHECK(beside(exact, before).centre == 0.1);
}

}  // namespace stallcast::uncertain
