#include <catch2/catch.hpp>
#include <cmath>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace nvmeof_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

using Fields = std::vector<std::pair<const char*, const char*>>;

// 4 targets of 2 drives of 8 GB/s and 80 us, 10 us of fabric and 10 us of software away.
Design targets(Fields settings = {}) {
  Fields all = {{"target.count", "4"},         {"drive.count", "2"},       {"drive.read", "8 GB/s"},
                {"drive.write", "4 GB/s"},     {"drive.latency", "80 us"}, {"create", "0 s"},
                {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  Design design = design_with_storage("nvmeof", all);
  set(design.hosts[0], models::Role::host, "nic.rate", "10 TB/s");
  set(design.hosts[0], models::Role::host, "memory.bandwidth", "100 TB/s");
  return design;
}
double read_seconds(const Design& design, Bytes bytes, double members = 1.0) {
  return serve(design, {.bytes = bytes, .direct = true}, {.bytes = 1_MiB}, members)
      .read.in(unit::s);
}
double write_seconds(const Design& design, Bytes bytes, double members) {
  return serve(design, {.bytes = 1_MiB}, {.bytes = bytes, .direct = true}, members)
      .write.in(unit::s);
}

}  // namespace

TEST_CASE("nvmeof: every request crosses the fabric besides the drive") {
  // 1024 pieces of 128 KiB, each 80 us of drive + 10 us of round trip + 10 us of software + data
  CHECK(read_seconds(targets(), 128_MiB) == Approx(1024 * (100e-6 + 131072 / 8e9)).epsilon(1e-9));
}

TEST_CASE("nvmeof: many readers get the drives, or the targets' networks") {
  // 64 GB: 8 drives of 8 GB/s, 1 s; 4 ports of 8 GB/s, 2 s
  CHECK(read_seconds(targets({{"depth", "1024"}}), 1_GB, 64.0) == Approx(1.0).epsilon(1e-6));
  CHECK(read_seconds(targets({{"depth", "1024"}, {"target.nic", "8 GB/s"}}), 1_GB, 64.0) ==
        Approx(2.0).epsilon(1e-6));
}

TEST_CASE("nvmeof: as many targets as their drives or their ports ask for") {
  // 32 GPUs x 100 MB / 100 ms = 32 GB/s; 2 drives of 8 GB/s, or a port of 8 GB/s, a target
  const auto needed = [](const Fields& settings) {
    Design design = targets(settings);
    design.jobs[0].dataset =
        component(models::Role::dataset, "raw", "dataset",
                  {{"on", "scratch"}, {"sample", "100 MB"}, {"samples", "1e9"}});
    design.jobs[0].loader = component(models::Role::loader, "pytorch", "loader", {{"batch", "1"}});
    const models::Bounds bounds = models::bounds(design);
    for (const models::Derivation& line : bounds.derivations) {
      CHECK(line.name != "storage.scratch.targets.writes");  // nothing is written
      if (line.name == "storage.scratch.targets.bound")      // no more than that, in whole ones
        CHECK(line.value == std::round(bounds.osts_required));
    }
    return bounds.osts_required;
  };
  CHECK(needed({}) == Approx(2.0));
  CHECK(needed({{"target.nic", "8 GB/s"}}) == Approx(4.0));
}

TEST_CASE("nvmeof: the host writes the parity of all targets over the network") {
  // RAID 5 over 4 targets: 4/3 bytes; 32 GB over 8 drives of 4 GB/s or 4 ports of 2 GB/s
  const double small = 20e-6 + 15e-6;
  CHECK(write_seconds(targets({{"raid.level", "5"}}), 8_GB, 4.0) ==
        Approx(32.0 / 32 * 4 / 3 + small).epsilon(1e-6));
  CHECK(write_seconds(targets({{"raid.level", "5"}, {"target.nic", "2 GB/s"}}), 8_GB, 4.0) ==
        Approx(32.0 / 8 * 4 / 3 + small).epsilon(1e-6));
}

TEST_CASE("nvmeof: copies and parity cross the host's port") {
  // 8 GB a host over its port of 2 GB/s: twice, and 4/3 times; one copy is read
  const double small = 20e-6 + 15e-6;
  Design design = targets({{"raid.level", "10"}, {"depth", "1024"}});
  set(design.hosts[0], models::Role::host, "nic.rate", "2 GB/s");
  set(design.hosts[0], models::Role::host, "nic.count", "1");
  set(design.hosts[0], models::Role::host, "nic.efficiency", "100 %");
  CHECK(write_seconds(design, 8_GB, 4.0) == Approx(8.0 + small).epsilon(1e-6));
  CHECK(read_seconds(design, 8_GB, 4.0) == Approx(4.0).epsilon(1e-3));
  set(design.storage[0], models::Role::storage, "raid.level", "5");
  CHECK(write_seconds(design, 8_GB, 4.0) == Approx(8.0 * 4 / 3 / 2 + small).epsilon(1e-6));
}

TEST_CASE("nvmeof: over TCP a process moves what one core receives") {
  // 15 Gb/s = 1.875 GB/s
  const Design design = targets({{"transport", "tcp"}, {"depth", "1024"}});
  CHECK(read_seconds(design, 1_GB) == Approx(1 / 1.875).epsilon(1e-6));
}

TEST_CASE("cxl: one core gets its lines in flight, many get the ports or the devices") {
  // 32 lines of 64 B a 400 ns + 64 B / 55 GB/s; 4 hosts of a 55 GB/s port before 2 devices
  Design design = design_with_storage("cxl", {{"device.count", "2"}});
  set(design.hosts[0], models::Role::host, "memory.bandwidth", "100 TB/s");
  const double one = 32 * 64 / (400e-9 + 64 / 55e9);
  CHECK(read_seconds(design, 1_GB) == Approx(1e9 / one).epsilon(1e-6));
  CHECK(read_seconds(design, 1_GB, 400.0) == Approx(400.0 / 110).epsilon(1e-6));
  set(design.storage[0], models::Role::storage, "device.count", "16");
  CHECK(read_seconds(design, 1_GB, 400.0) == Approx(400.0 / 220).epsilon(1e-6));
}

}  // namespace nvmeof_test
