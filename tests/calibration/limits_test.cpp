#include "calibration/fit/limits.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "calibration/fit/calibrate.hpp"

/// Limiters found by runs after a rest: docs/calibration.md, eq. 13.
namespace stallcast::calibration {
namespace {

using namespace unit;

/// A device that takes 100 us and 1 ns a byte behind a limiter, as runs see it.
struct Limiter {
  double bytes = 80e6, requests = 1000.0, burst = 0.1;
  bool slices = true;
  double noise = 0.0;  ///< share by which runs differ, up and down in turn

  [[nodiscard]] double limit(double size) const { return std::min(requests, bytes / size); }
  [[nodiscard]] static double device(double size, double depth) {
    return depth / (100e-6 + depth * (10e-6 + size / 1e9));
  }
};

Measurement io(const std::string& path, double size, double depth, double ops) {
  Measurement m;
  m.operation = "read";
  m.pattern = "random";
  m.path = path;
  m.size = Bytes::from(size, B);
  m.depth = depth;
  m.ops = OpRate::from(ops, per_s);
  m.rate = Rate::from(ops * size, Bps);
  return m;
}

MeasurementSet measured(const Limiter& limiter) {
  MeasurementSet set;
  int turn = 0;
  const auto off = [&] { return 1.0 + (turn++ % 2 == 0 ? limiter.noise : -limiter.noise); };
  for (const double size : {4096.0, 32768.0, 131072.0, 1048576.0})
    for (const double depth : {1.0, 4.0, 16.0})
      for (int run = 0; run < 2; ++run) {
        Measurement m = io("", size, depth,
                           std::min(limiter.limit(size), Limiter::device(size, depth)) * off());
        m.duration = Seconds::from(20.0, s);
        set.measurements.push_back(m);
      }
  for (const double rest : {0.3, 1.2})
    for (const double size : {4096.0, 131072.0, 1048576.0})
      for (const double depth : {1.0, 16.0}) {
        const double x = Limiter::device(size, depth) * off(), r = limiter.limit(size);
        Measurement m = io("rested", size, depth, x);
        const bool seen = x > 1.5 * r;
        // k = r T in a slice, and r T / (1 - r / x) where tokens come meanwhile.
        const double k = limiter.slices ? r * limiter.burst : r * limiter.burst / (1.0 - r / x);
        m.figures = {{"rest_s", rest},
                     {"burst_requests", seen ? k : 0.0},
                     {"burst_s", seen ? k / x : 0.0},
                     {"gap_s", seen ? (limiter.slices ? limiter.burst - k / x : 1.0 / r) : 0.0},
                     {"after_ops", seen ? r : x}};
        set.measurements.push_back(m);
      }
  return set;
}

double value(const std::vector<Fit>& fits, const std::string& id, const std::string& name) {
  for (const Fit& fit : fits)
    if (fit.id == id)
      for (const FittedParameter& p : fit.parameters)
        if (p.name == name) return p.value;
  return 0.0;
}

const Fit& fit_of(const std::vector<Fit>& fits, const std::string& id) {
  const auto at = std::find_if(fits.begin(), fits.end(), [&](const Fit& f) { return f.id == id; });
  REQUIRE(at != fits.end());
  return *at;
}

TEST_CASE("a limiter is found again, with what passes at once and how that comes back") {
  for (const bool slices : {true, false})
    for (const double noise : {0.0, 0.03}) {
      const Limiter limiter{.slices = slices, .noise = noise};
      const std::vector<MeasurementSet> sets{measured(limiter)};
      const std::vector<Fit> fits = fit::fit_limits(sets, {});
      INFO("slices " << slices << ", noise " << noise);
      CHECK(value(fits, "io.read.limit", "B") == Approx(80e6).epsilon(0.005 + noise));
      CHECK(value(fits, "io.read.limit", "I") == Approx(1000.0).epsilon(0.005 + noise));
      CHECK(value(fits, "io.limit", "T") == Approx(0.1).epsilon(0.01 + 2.0 * noise));
      CHECK(fit_of(fits, "io.limit").law == (slices ? "slices" : "steady"));
      CHECK(fit_of(fits, "io.limit").verdict == FitVerdict::accepted);
    }
}

TEST_CASE("the device behind a limiter is what a profile says of measured storage") {
  const CalibrationProfile profile = calibrate({measured({})}, "limited", {});
  const auto field = [&](std::string_view name) {
    for (const ProfileValue& v : profile.values)
      if (v.field == name) return v;
    return ProfileValue{};
  };
  CHECK(field("read.latency").fit == "io.read.random.rested");
  CHECK(field("read.latency").value == Approx(100e-6).epsilon(0.05));
  CHECK(field("read.rate").value == Approx(1e9).epsilon(0.05));
  CHECK(field("limit.refill").text == "slices");
  CHECK(field("limit.burst").value == Approx(0.1).epsilon(0.01));
  CHECK(field("limit.read").value == Approx(80e6).epsilon(0.01));
  CHECK(field("limit.read_ops").value == Approx(1000.0).epsilon(0.01));
}

TEST_CASE("a limit of one kind alone says nothing of the other") {
  const std::vector<MeasurementSet> only_bytes{measured({.requests = 1e7})};
  CHECK(value(fit::fit_limits(only_bytes, {}), "io.read.limit", "I") == 0.0);
  CHECK(value(fit::fit_limits(only_bytes, {}), "io.read.limit", "B") == Approx(80e6).epsilon(0.01));
}

TEST_CASE("no bucket is found where runs after a rest are no faster") {
  const std::vector<MeasurementSet> sets{measured({.bytes = 1e12, .requests = 1e9})};
  CHECK(fit::fit_limits(sets, {}).empty());
  const CalibrationProfile profile = calibrate(sets, "free", {});
  for (const ProfileValue& v : profile.values) {
    CHECK_FALSE(v.field.starts_with("limit."));
    CHECK(v.fit != "io.read.random.rested");
  }
}

TEST_CASE("a bucket that is deeper after a longer rest is doubted") {
  MeasurementSet set = measured({});
  for (Measurement& m : set.measurements)
    if (m.path == "rested" && m.figures["rest_s"] > 1.0)
      for (const char* key : {"burst_requests", "burst_s"}) m.figures[key] *= 2.0;
  const std::vector<MeasurementSet> sets{set};
  const std::vector<Fit> fits = fit::fit_limits(sets, {});
  const Fit& depth = fit_of(fits, "io.limit");
  CHECK(depth.verdict != FitVerdict::accepted);
}

}  // namespace
}  // namespace stallcast::calibration
