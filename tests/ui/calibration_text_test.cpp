#include <catch2/catch.hpp>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/measurement.hpp"
#include "ui/report/report.hpp"

/// Measurements and calibration profiles as people read them.
namespace calibration_text_test {

using namespace stallcast;
using namespace stallcast::literals;
using Catch::Contains;
using report::measurements_text;
using report::profile_text;

namespace {

Measurement read_at(double ops) {
  Measurement m;
  m.operation = "read";
  m.pattern = "random";
  m.size = 64_KiB;
  m.depth = 8;
  m.ops = OpRate::from(ops, unit::per_s);
  m.latency = Seconds::from(1.0 / ops, unit::s);
  return m;
}

std::string text_of(std::vector<Measurement> measurements) {
  MeasurementSet set;
  set.tool = "fio";
  set.measurements = std::move(measurements);
  return measurements_text(set, {});
}

CalibrationProfile profile_of(const Fit& fit, double value, double high) {
  CalibrationProfile profile;
  profile.fits = {fit};
  profile.values = {{.role = "fabric",
                     .kind = {},
                     .field = "rtt",
                     .dimension = Dimension::time,
                     .text = {},
                     .value = value,
                     .low = value,
                     .high = high,
                     .fit = fit.id,
                     .draws = {}}};
  return profile;
}

}  // namespace

TEST_CASE("the name of a measurement is whole") {
  Measurement wide = read_at(10000.0);
  wide.operation = "all_reduce";
  wide.pattern = "out-of-place";
  CHECK_THAT(text_of({wide}), Contains("all_reduce out-of-place\n"));
  CHECK_THAT(text_of({wide}), !Contains(".."));
}

TEST_CASE("what was read or written of a mix says so, and its share of reads") {
  Measurement part = read_at(10000.0);
  part.read_share = 0.5;
  CHECK_THAT(text_of({part}), Contains("the reads of a mix with 50 % reads"));
  Measurement both = part;
  both.operation = "mixed";
  CHECK_THAT(text_of({both}), Contains("      50 % reads\n"));
  part.read_share = 1.0;
  CHECK_THAT(text_of({part}), !Contains("mix"));
  CHECK_THAT(text_of({read_at(10000.0)}), !Contains("mix"));
}

TEST_CASE("of two runs the middle is between them") {
  const std::string text = text_of({read_at(10000.0), read_at(15000.0)});
  CHECK_THAT(text, Contains("12.5 kops/s"));
  CHECK_THAT(text, Contains("middle of 2 runs, 80 % to 120 %"));
  CHECK_THAT(text_of({read_at(1000.0), read_at(3000.0), read_at(2000.0)}),
             Contains("2 kops/s") && Contains("middle of 3 runs, 50 % to 150 %"));
}

TEST_CASE("runs of two devices are two lines, with the device of each") {
  Measurement one = read_at(10000.0), two = read_at(15000.0);
  one.options["device"] = "nvme0n1";
  two.options["device"] = "nvme1n1";
  const std::string text = text_of({one, two});
  CHECK_THAT(text, !Contains("middle of"));
  CHECK_THAT(text, Contains("10 kops/s") && Contains("      of nvme0n1\n"));
  CHECK_THAT(text, Contains("15 kops/s") && Contains("      of nvme1n1\n"));
  CHECK_THAT(text_of({one, one}), Contains("middle of 2 runs") && !Contains("of nvme0n1"));
}

TEST_CASE("runs without a rate say how many they are, with the middle of their figures") {
  std::vector<Measurement> epochs;
  for (const double share : {0.98, 0.99, 0.9, 0.97}) {
    Measurement& m = epochs.emplace_back();
    m.subject = Subject::training;
    m.operation = "train-epoch";
    m.figures["au_ratio"] = share;
  }
  CHECK_THAT(text_of(epochs), Contains("middle of 4 runs, au_ratio 0.975"));
}

TEST_CASE("of one run neither its error nor its interval is known") {
  Fit fit;
  fit.id = "network.read.one";
  fit.law = "time";
  fit.equation = "R = T";
  fit.cells = fit.runs = 1;
  fit.verdict = FitVerdict::usable;
  fit.parameters = {{"T", "s", 7e-6, 7e-6, 7e-6}};
  const std::string one = profile_text(profile_of(fit, 7e-6, 7e-6), {});
  INFO(one);
  CHECK_THAT(one, Contains("1 cell, 1 run: nothing could be held out"));
  CHECK_THAT(one, !Contains("off by") && !Contains("7 us to 7 us"));
  CHECK_THAT(one,
             Contains("interval not known\n\n") && Contains("7 us          interval not known"));
  fit.runs = 2;
  const std::string two = profile_text(profile_of(fit, 7e-6, 7e-6), {});
  CHECK_THAT(two, Contains("held-out runs off by 0.0 %") && Contains("7 us to 7 us"));
}

TEST_CASE("observed metrics have their whole names, and the units that runs tell them in") {
  Fit fit;
  fit.id = "observed";
  fit.law = "simulation";
  fit.residuals = {{"resource.storage.fil.head.utilization", 0.6, 0.502, 1, "ratio"},
                   {"job.t.throughput.samples", 444.0, 430.0, 1, "1/s"}};
  const std::string text = profile_text(profile_of(fit, 1e-6, 1.0), {});
  INFO(text);
  CHECK_THAT(text, Contains("  resource.storage.fil.head.utilization\n" + std::string(36, ' ')));
  CHECK_THAT(text, Contains("444 samples/s") && Contains("430 samples/s"));
}

TEST_CASE("a time of nothing has an end, a rate that nothing ends has none") {
  Fit fit;
  fit.id = "metadata.open";
  CHECK_THAT(profile_text(profile_of(fit, 1e-20, 655.8e-9), {}), Contains("0 s to 655.8 ns"));
  CHECK_THAT(profile_text(profile_of(fit, 1e-6, 1.0), {}), Contains("1 us or more"));
}

}  // namespace calibration_text_test
