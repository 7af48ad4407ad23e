#include "calibration/measure/measurement_json.hpp"

#include <catch2/catch.hpp>

#include "calibration/profile/profile_json.hpp"

namespace stallcast::calibration {
namespace {

using namespace literals;

MeasurementSet one_of_each() {
  MeasurementSet set;
  set.tool = "stallcast probe io";
  set.environment["kernel"] = "6.1";
  Measurement m;
  m.subject = Subject::gds;
  m.operation = "read";
  m.path = "p2p";
  m.size = 1_MiB;
  m.read_share = 0.0;
  m.depth = 16.0;
  m.direct = false;
  m.rate = 4.25_GBps;
  m.latency = 39_us;
  m.quantiles[0.999] = 2_ms;
  m.rate_series = {1.5, 2.5};
  m.count = 12345;
  m.flags = {"host-cache-possible"};
  set.measurements.push_back(m);
  return set;
}

TEST_CASE("measurements come back as they were written") {
  const std::string text = write_measurements(one_of_each());
  REQUIRE(is_measurements(text));
  Diagnostics diagnostics;
  const MeasurementSet back = read_measurements(text, "m.json", diagnostics);
  REQUIRE(diagnostics.items().empty());
  CHECK(write_measurements(back) == text);
  REQUIRE(back.measurements.size() == 1);
  const Measurement& m = back.measurements.front();
  CHECK(m.subject == Subject::gds);
  CHECK(m.read_share == 0.0);
  CHECK(m.direct == false);
  CHECK(m.rate == 4.25_GBps);
  CHECK(m.quantiles.at(0.999) == 2_ms);
  CHECK(back.sha256.size() == 64);
}

TEST_CASE("all faults of a measurement file are reported with their places") {
  const std::string text = R"({ "schema": "stallcast.measurements/1",
  "measurements": [
    { "subject": "iops", "size": "4 KiB" },
    { "subject": "io", "oeration": "read", "count": -1 } ] })";
  Diagnostics diagnostics;
  (void)read_measurements(text, "m.json", diagnostics);
  std::vector<std::string> found;
  for (const Diagnostic& d : diagnostics.items())
    found.push_back(std::to_string(d.position.line) + " " + d.code + " " + d.pointer);
  CHECK(found == std::vector<std::string>{
                     "3 choice /measurements/0/subject", "3 type /measurements/0/size",
                     "4 type /measurements/1/count", "4 unknown-key /measurements/1/oeration"});
}

TEST_CASE("a file of another schema is refused") {
  Diagnostics diagnostics;
  (void)read_measurements(R"({ "schema": "stallcast.profile/1" })", "m.json", diagnostics);
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items().front().code == "schema");
}

TEST_CASE("a profile comes back as it was written") {
  CalibrationProfile profile;
  profile.id = "scratch";
  profile.inputs.push_back({"a.json", "00ff", "fio", "3.33", ""});
  Fit fit;
  fit.id = "io.read.random";
  fit.verdict = FitVerdict::usable;
  fit.parameters.push_back({"alpha", "s", 4e-5, 3e-5, 5e-5, false});
  fit.draws = {{1.0, 2.0}, {3.0, 4.0}};
  profile.fits.push_back(fit);
  profile.values.push_back({"storage",
                            "measured",
                            "read.latency",
                            Dimension::time,
                            "",
                            4e-5,
                            3e-5,
                            5e-5,
                            "io.read.random",
                            {4e-5, 4.1e-5}});
  const std::string text = write_profile(profile);
  Diagnostics diagnostics;
  const CalibrationProfile back = read_profile(text, "p.json", diagnostics);
  REQUIRE(diagnostics.items().empty());
  CHECK(write_profile(back) == text);
  CHECK_FALSE(back.fits.front().parameters.front().identified);
  // Nothing is a value, too.
  profile.fits.front().parameters.front().value = 0.0;
  CHECK(write_profile(profile).find("\"value\": 0.0") != std::string::npos);
  CHECK(back.values.front().dimension == Dimension::time);
}

}  // namespace
}  // namespace stallcast::calibration
