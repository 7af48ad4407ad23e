#include "calibration/fit/repeated.hpp"

#include "tests/calibration/importer_fixtures.hpp"

/// Runs that two files have: docs/calibration.md, "Cells".
namespace stallcast::calibration {
namespace {

Measurement run_of(double ops, double rate, double latency, double seconds) {
  Measurement m;
  m.operation = "read";
  m.size = Bytes::from(65536, unit::B);
  m.depth = 4;
  m.ops = OpRate::from(ops, unit::per_s);
  m.rate = Rate::from(rate, unit::Bps);
  m.latency = Seconds::from(latency, unit::s);
  m.duration = Seconds::from(seconds, unit::s);
  return m;
}

MeasurementSet file(const char* name, const char* date, std::vector<Measurement> runs) {
  MeasurementSet set;
  set.file = name;
  set.date = date;
  set.measurements = std::move(runs);
  return set;
}

/// How many of the second file are left.
std::size_t left_of(MeasurementSet first, MeasurementSet second, std::size_t warnings) {
  std::vector<MeasurementSet> sets{std::move(first), std::move(second)};
  const std::size_t had = sets[0].measurements.size();
  Diagnostics faults;
  count_once(sets, faults);
  CHECK(faults.items().size() == warnings);
  CHECK(sets[0].measurements.size() == had);
  return sets[1].measurements.size();
}

constexpr double kMiB = 1048576.0;

}  // namespace

TEST_CASE("a run in two formats is one run, to the digits of the coarser") {
  // As elbencho's table and its JSON say it, and as IOR's text and its JSON do.
  const Measurement fine = run_of(5559.533479530563, 347.4708424706602 * kMiB, 1.8e-4, 9.99994);
  for (const Measurement& coarse :
       {run_of(5560, 347 * kMiB, 1.8e-4, 10.0), run_of(5559.53, 347.47 * kMiB, 1.8e-4, 9.99994),
        run_of(0.0, 347.47 * kMiB, 0.0, 0.0), fine}) {
    const Measurement other = run_of(5301.25, 331.3 * kMiB, 1.9e-4, 10.0);
    CHECK(left_of(file("a", "", {fine, other}), file("b", "", {coarse}), 1) == 0);
    CHECK(left_of(file("a", "", {coarse}), file("b", "", {other, fine}), 1) == 1);
  }
}

TEST_CASE("what was measured again stays") {
  const Measurement one = run_of(5560, 347 * kMiB, 1.8e-4, 10.0);
  // Another figure, setting or operation.
  CHECK(left_of(file("a", "", {one}), file("b", "", {run_of(5561, 347 * kMiB, 1.8e-4, 10.0)}), 0) ==
        1);
  CHECK(left_of(file("a", "", {one}), file("b", "", {run_of(5560, 349 * kMiB, 1.8e-4, 10.0)}), 0) ==
        1);
  Measurement other = one;
  other.depth = 8;
  CHECK(left_of(file("a", "", {one}), file("b", "", {other}), 0) == 1);
  other = one;
  other.operation = "write";
  CHECK(left_of(file("a", "", {one}), file("b", "", {other}), 0) == 1);
  // Behind a limiter runs are alike: their dates tell them apart.
  CHECK(left_of(file("a", "2026-11-21T00:24:56Z", {one}), file("b", "2026-11-21T00:26:00Z", {one}),
                0) == 1);
  CHECK(left_of(file("a", "2026-11-21T00:24:56Z", {one}), file("b", "2026-11-21T00:24:57Z", {one}),
                1) == 0);
  // One of ten that is alike is so by chance, and runs of one file are runs.
  std::vector<Measurement> ten{one}, others{one};
  for (int i = 1; i < 10; ++i) {
    ten.push_back(run_of(6000.0 + 10 * i, 375 * kMiB, 1.7e-4, 10.0));
    others.push_back(run_of(6005.0 + 10 * i, 375 * kMiB, 1.7e-4, 10.0));
  }
  CHECK(left_of(file("a", "", ten), file("b", "", others), 0) == 10);
  CHECK(left_of(file("a", "", {ten[1]}), file("b", "", {one, one}), 0) == 2);
  // Of two alike in the second file one is left.
  CHECK(left_of(file("a", "", {one}), file("b", "", {one, one}), 1) == 1);
}

TEST_CASE("a file and what import makes of it are one") {
  Imported f = import_fixture("fio", "fio-randread.json");
  MeasurementSet copy = f.set;
  copy.file = "copy.json";
  CHECK(left_of(f.set, copy, 1) == 0);
}

}  // namespace stallcast::calibration
