#include "calibration/measure/buffer_pages.hpp"

#include <catch2/catch.hpp>

#include "calibration/fit/calibrate.hpp"
#include "calibration/measure/flags.hpp"

/// Buffers on huge and on small pages never meet in one fit.
namespace stallcast::calibration {
namespace {

using Catch::Contains;

/// Random reads at 3 sizes and 3 depths, twice each: R = 40 us + n (9 us + b / `rate`).
MeasurementSet reads(const std::string& buffers, double rate) {
  MeasurementSet set;
  set.file = buffers;
  for (const double size : {4096.0, 131072.0, 1048576.0})
    for (const double depth : {1.0, 4.0, 16.0})
      for (int run = 0; run < 2; ++run) {
        Measurement m;
        m.operation = "read";
        m.pattern = "random";
        m.direct = true;
        m.size = Bytes::from(size, unit::B);
        m.depth = depth;
        m.ops = OpRate::from(depth / (40e-6 + depth * (9e-6 + size / rate)), unit::per_s);
        if (!buffers.empty()) m.options["buffers"] = buffers;
        set.measurements.push_back(m);
      }
  return set;
}
const MeasurementSet kHuge = reads("hugetlb", 4e9), kSmall = reads("pages", 2e9),
                     kSilent = reads("", 3e9);

double fitted_rate(const CalibrationProfile& profile) {
  REQUIRE(profile.fits.size() == 1);
  for (const FittedParameter& p : profile.fits.front().parameters)
    if (p.name == "B") return p.value;
  return 0.0;
}

TEST_CASE("a record's pages are what the probe or fio says") {
  Measurement m;
  CHECK_FALSE(buffer_pages_of(m));
  m.options["buffers"] = "thp";
  CHECK(buffer_pages_of(m) == BufferPages::huge);
  m.options["buffers"] = "pages";
  CHECK(buffer_pages_of(m) == BufferPages::small);
  m.direct = false;  // the page cache's pages were the device's, not these
  CHECK_FALSE(buffer_pages_of(m));
  m.direct = true;
  m.options = {{"iomem", "mmaphuge"}};
  CHECK(buffer_pages_of(m) == BufferPages::huge);
  m.options = {{"iomem", "malloc"}};
  CHECK_FALSE(buffer_pages_of(m));
  CHECK(parse_buffer_pages("small") == BufferPages::small);
  CHECK_FALSE(parse_buffer_pages("tiny"));
}

TEST_CASE("huge pages are preferred, small ones used when asked for, and never both") {
  const auto profile = calibrate({kSmall, kHuge}, "p", {});
  CHECK(fitted_rate(profile) == Approx(4e9).epsilon(0.01));
  CHECK_THAT(profile.environment.at("buffers"), Contains("on huge pages; 18 records"));
  REQUIRE(profile.fits.front().reasons.size() == 1);
  CHECK_THAT(profile.fits.front().reasons.front(), Contains("left out: 18 runs, other-buffers"));
  CHECK(profile.fits.front().runs == 18);
  const auto small = calibrate({kSmall, kHuge}, "p", {}, BufferPages::small);
  CHECK(fitted_rate(small) == Approx(2e9).epsilon(0.01));
  CHECK_THAT(small.environment.at("buffers"), Contains("on small pages; 18 records"));
}

TEST_CASE("one kind alone is used whichever it is, and the profile says which") {
  const auto profile = calibrate({kSmall}, "p", {});
  CHECK(fitted_rate(profile) == Approx(2e9).epsilon(0.01));
  CHECK(profile.environment.at("buffers") == "on small pages");
  const auto missing = calibrate({kHuge}, "p", {}, BufferPages::small);
  CHECK(missing.fits.front().verdict == FitVerdict::refused);
  CHECK(missing.values.empty());
}

TEST_CASE("records that do not say are used where no others are") {
  CHECK(fitted_rate(calibrate({kSilent}, "p", {})) == Approx(3e9).epsilon(0.01));
  CHECK(calibrate({kSilent}, "p", {}).environment.count("buffers") == 0);
  CHECK(fitted_rate(calibrate({kSilent, kHuge}, "p", {})) == Approx(4e9).epsilon(0.01));
  // Of another series: nothing to mix with.
  std::vector<MeasurementSet> sets{kSilent, kHuge};
  for (Measurement& m : sets[0].measurements) m.pattern = "sequential";
  CHECK(choose_buffers(sets, {}) == "on huge pages");
  for (const Measurement& m : sets[0].measurements) CHECK_FALSE(has_flag(m, "other-buffers"));
}

TEST_CASE("mixes and watched writes keep to one kind of buffers, too") {
  std::vector<MeasurementSet> sets{kHuge, kSmall};
  for (auto& set : sets) {
    Measurement mix = set.measurements.front();
    mix.operation = "mixed";
    mix.read_share = 0.5;
    Measurement watched = set.measurements.front();
    watched.operation = "write";
    watched.path = "watched";
    watched.rate_series = std::vector<double>(set.file == "pages" ? 60 : 40, 1e9);
    auto write = set.measurements;
    for (Measurement& m : write) m.operation = "write";
    set.measurements.push_back(mix);
    set.measurements.push_back(watched);
    set.measurements.insert(set.measurements.end(), write.begin(), write.end());
  }
  const auto profile = calibrate(sets, "p", {});
  int seen = 0;
  for (const Fit& fit : profile.fits) {
    if (fit.id == "io.mixed") CHECK((++seen, fit.runs == 1));
    if (fit.id == "io.write.sustained")  // of the 40 s on huge pages
      CHECK((++seen, fit.ranges.front().high == 40.0));
  }
  CHECK(seen == 2);
}

}  // namespace
}  // namespace stallcast::calibration
