#include <catch2/catch.hpp>

#include "calibration/fit/calibrate.hpp"
#include "calibration/profile/apply.hpp"

/// A profile of one machine, used for another.
namespace stallcast::calibration {
namespace {

using Catch::Contains;
using Kind = Source::Kind;

Design host_with(double cores, double memory, Kind kind) {
  Design design;
  Component host;
  host.id = "gpu";
  host.values["cpu.cores"] = {Dimension::number, cores, "", {}, {kind, "", "", false}};
  host.values["memory.size"] = {Dimension::bytes, memory, "", {}, {kind, "", "", false}};
  design.hosts.push_back(host);
  return design;
}

CalibrationProfile profile_of(const std::string& cores, const std::string& memory) {
  CalibrationProfile profile;
  profile.id = "disk";
  profile.environment = {{"cores", cores}, {"memory", memory}};
  return profile;
}

TEST_CASE("a refused io.mixed is said where reads and writes meet") {
  Design design;
  Component storage;
  storage.id = "disk";
  storage.values["read.rate"] = {Dimension::rate, 1e9, "", {}, {Kind::profile, "", "", false}};
  storage.values["mixed.coupling"] = {
      Dimension::number, 1.0, "", {}, {Kind::default_value, "", "", false}};
  design.storage.push_back(storage);
  Component fio;
  fio.id = "fio";
  fio.values["on"] = {Dimension::text, 0.0, "disk", {}, {Kind::scenario, "", "", false}};
  fio.values["rw"] = {Dimension::text, 0.0, "randrw", {}, {Kind::scenario, "", "", false}};
  design.tenants.push_back(fio);
  CalibrationProfile profile;
  profile.id = "duplex";
  CHECK(refused_mixes(profile, design).empty());
  Fit refused;
  refused.id = "io.mixed";
  refused.reasons = {"they do not wait for each other"};
  profile.fits.push_back(refused);
  const auto said = refused_mixes(profile, design);
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Contains("\"duplex\" refused io.mixed (they do not wait for each other)"));
  design.tenants[0].values["rw"].text = "randread";
  CHECK(refused_mixes(profile, design).empty());
  design.tenants[0].values["rw"].text = "randrw";
  design.storage[0].values["mixed.coupling"].source.kind = Kind::scenario;
  CHECK(refused_mixes(profile, design).empty());
}

TEST_CASE("what several hosts measured at one time is not what each of them has") {
  Design design;
  Component storage;
  storage.id = "scratch";
  storage.values["scope"] = {
      Dimension::text, 0.0, "host", {}, {Kind::default_value, "", "", false}};
  storage.values["read.rate"] = {Dimension::rate, 1e9, "", {}, {Kind::profile, "", "", false}};
  design.storage.push_back(storage);
  CalibrationProfile profile;
  profile.id = "two";
  CHECK(several_hosts(profile, design).empty());
  profile.environment["hosts"] = "2";
  const auto said = several_hosts(profile, design);
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Contains("measured from 2 hosts at one time"));
  design.storage[0].values["scope"].text = "shared";
  CHECK(several_hosts(profile, design).empty());
  design.storage[0].values["scope"].text = "host";
  design.storage[0].values["read.rate"].source.kind = Kind::scenario;
  CHECK(several_hosts(profile, design).empty());
  // Whatever of it the profile has: writes, or names.
  for (const char* field : {"write.rate", "open.per_op"}) {
    Design other = design;
    other.storage[0].values[field] = {Dimension::rate, 1e9, "", {}, {Kind::profile, "", "", false}};
    CHECK(several_hosts(profile, other).size() == 1);
  }
}

// mdtest of 4 nodes and writes of IOR of 8.
TEST_CASE("hosts that wrote or asked for names at one time are counted") {
  const auto hosts = [](Subject subject, const char* operation, const char* key, const char* many) {
    MeasurementSet set;
    Measurement m;
    m.subject = subject, m.operation = operation, m.options[key] = many;
    set.measurements.push_back(m);
    const auto profile = calibrate({set}, "p", {});
    const auto at = profile.environment.find("hosts");
    return at == profile.environment.end() ? "" : at->second;
  };
  CHECK(hosts(Subject::metadata, "open", "nodes", "4") == "4");
  CHECK(hosts(Subject::io, "write", "nodes", "8") == "8");
  CHECK(hosts(Subject::collective, "allreduce", "hosts", "8").empty());
}

TEST_CASE("one measured device in several systems is named, and parts that the design lacks") {
  Component first;
  first.id = "vol";
  first.kind = "measured";
  first.values["read.rate"] = {Dimension::rate, 2e9, "", {}, {}};
  first.values["read.rate"].source.kind = Kind::profile;
  Component second = first;
  second.id = "nvme";
  CalibrationProfile profile;
  profile.id = "disk";
  ProfileValue rate;
  rate.role = "storage", rate.kind = "measured", rate.field = "read.rate";
  profile.values = {rate};
  Design design;
  design.storage = {first};
  CHECK(other_parts(profile, design).empty());
  design.storage = {first, second};
  const auto alike = other_parts(profile, design);
  REQUIRE(alike.size() == 1);
  CHECK_THAT(alike[0], Contains("\"vol\" and \"nvme\" are all like it"));
  design.storage[1].values["read.rate"].source.kind = Kind::scenario;
  CHECK(other_parts(profile, design).empty());

  NarrowedInput stated;
  stated.role = "storage";
  stated.kind = "measured";
  stated.component = "scratch";
  stated.field = "read.rate";
  profile.narrowed = {stated};
  const auto missing = other_parts(profile, design);
  REQUIRE(missing.size() == 1);
  CHECK_THAT(missing[0],
             Contains("\"read.rate\" of storage \"scratch\", which this design has not"));
}

// 2 threads per core are a factor of two: 64 of 33 is within, of 32 is not. 1 TB is 1.25 times 800
// GB.
TEST_CASE("hosts that are stated and differ from the profile's machine are named") {
  const auto profile = profile_of("64", "800 GB");
  CHECK(other_machines(profile, host_with(33, 999e9, Kind::scenario)).empty());
  const auto both = other_machines(profile, host_with(32, 1000e9, Kind::catalogue));
  REQUIRE(both.size() == 2);
  CHECK_THAT(both[0], Contains("\"disk\" was measured on a machine with 64 cores") &&
                          Contains("host \"gpu\" has 32"));
  CHECK_THAT(both[1], Contains("800 GB of memory") && Contains("has 1 TB"));
}

TEST_CASE("defaults, and what no probe recorded, are not compared") {
  CHECK(
      other_machines(profile_of("2", "24 GiB"), host_with(64, 1e12, Kind::default_value)).empty());
  // The loader probe says threads, too; of several machines the nearest counts.
  const auto of_files =
      other_machines(profile_of("2; 1, 2 threads", ""), host_with(64, 1e12, Kind::scenario));
  REQUIRE(of_files.size() == 1);
  CHECK_THAT(of_files[0], Contains("measured on a machine with 2 cores"));
  CHECK(other_machines(profile_of("2; 48", ""), host_with(64, 1e12, Kind::scenario)).empty());
  CHECK(other_machines(profile_of("many", ""), host_with(64, 1e12, Kind::scenario)).empty());
  CHECK(other_machines(CalibrationProfile{}, host_with(64, 1e12, Kind::scenario)).empty());
  CHECK(other_machines(profile_of("2", "24 GiB"), Design{}).empty());
}

}  // namespace
}  // namespace stallcast::calibration
