#include <catch2/catch.hpp>

#include "engine/decide/plan/advice.hpp"
#include "tests/support/values.hpp"

/// What is proposed for NICs: docs/models/network.md, eq. 8.
namespace ports_test {

using namespace stallcast;
using testing::number;

namespace {

/// The first change for `resource`, which a job waits for: a NIC of 400 Gb/s, ports of `port` B/s.
std::string proposed(const char* resource, double port) {
  Design design;
  Component& host = design.hosts.emplace_back();
  host.id = "gpu";
  host.values["nic.rate"] = number(50e9, Dimension::rate);
  host.values["nic.count"] = number(1, Dimension::count);
  if (port > 0.0) design.fabric.values["port.rate"] = number(port, Dimension::rate);
  Prediction p;
  p.bottlenecks.push_back({resource, 0.9, 0.5, ""});
  p.breakdown["train"] = {{"data", 0.5}};
  const auto changes = plan::candidate_changes(design, p, 4);
  return changes.empty() ? "" : text_of(changes[0].change);
}

}  // namespace

TEST_CASE("NICs as fast as the ports they are plugged into: more of them, or faster ports") {
  CHECK(proposed("host.gpu.nic.read", 0.0) == "cluster.hosts[gpu].nic.rate=800 Gb/s");
  CHECK(proposed("host.gpu.nic.read", 100e9) == "cluster.hosts[gpu].nic.rate=800 Gb/s");
  CHECK(proposed("host.gpu.nic.read", 50e9) == "cluster.hosts[gpu].nic.count=2");
  CHECK(proposed("host.gpu.nic.read", 12.5e9) == "cluster.hosts[gpu].nic.count=2");
  CHECK(proposed("fabric.port", 12.5e9) == "cluster.fabric.port.rate=200 Gb/s");
}

}  // namespace ports_test
