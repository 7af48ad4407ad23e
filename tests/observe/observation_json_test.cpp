#include "calibration/observe/observation_json.hpp"

#include <catch2/catch.hpp>

namespace stallcast::calibration {
namespace {

using namespace literals;

template <class Q>
Distribution<Q> spread(Q a, Q b) {
  Distribution<Q> d;
  d.count = 3;
  d.mean = a;
  d.minimum = a * 0.1;
  d.maximum = b;
  d.quantiles = {{0.5, a}, {0.99, b}};
  d.sample = {a, b, a * 0.1};
  return d;
}

ObservedTransfers transfers(double bytes) {
  ObservedTransfers t;
  t.operations = 7;
  t.failed = 1;
  t.bytes = Bytes::from(bytes, unit::B);
  t.time = 0.3_s;
  t.latency = spread(1_ms, 3_ms);
  t.size = spread(4_KiB, 1_MiB);
  t.sizes = {{4_KiB, 3, 12288_B}, {1_MiB, 4, 4_MiB}};
  t.sequential = 0;
  t.random = 7;
  t.from_device = 5_B;
  t.files = 2;
  return t;
}

ObservedCheckpoints checkpoints() {
  ObservedCheckpoints c;
  c.count = 2;
  c.duration = spread(4_s, 6_s);
  c.bytes = spread(1_GB, 2_GB);
  c.files = spread(1_ops, 8_ops);
  c.syncs = 3;
  c.sync_time = 0.5_s;
  c.period_steps = spread(100_ops, 200_ops);
  c.period = spread(60_s, 61_s);
  c.asynchronous = false;
  return c;
}

/// Every member differs from what an empty observation has.
Observation everything() {
  Observation o;
  o.source = {"dftracer", "hashed", "1.0.5", {{"a.pfw.gz", 10_KiB, "gzip", 9, false, "line 9", 4}}};
  o.missing = {"host", "steps.first_batch"};
  o.notes = {"3 rows say nothing"};
  o.began = Seconds::from(1727387307.981693, unit::s);
  o.wall = 0.1_s;
  o.ranks = 8;
  o.processes = {{3, 4711, "h1a2b", 4, 0.5_s, 9_s, 12, 3_MB, 4_MB, 5}};
  o.processes_folded = 2;
  o.steps = ObservedSteps{6,
                          "ProfilerStep#",
                          spread(1_s, 2_s),
                          spread(0.1_s, 0.2_s),
                          spread(0.9_s, 1.8_s),
                          spread(0.95_s, 1.9_s),
                          spread(5_s, 6_s),
                          2};
  o.loader =
      ObservedLoader{"pytorch-workers", 4, 2, 32, "RandomSampler", true, false, spread(1_MB, 2_MB)};
  o.samples = ObservedSamples{64, spread(1_ms, 2_ms), spread(0.5_ms, 1_ms), spread(1_MB, 2_MB),
                              spread(1_ops, 2_ops)};
  o.reading = transfers(4206592);
  o.writing = transfers(17);
  o.metadata = {{"open", 3, 1, 0.1_s, spread(1_us, 2_us)}, {"seek", 9, 0, {}, {}}};
  o.files = ObservedFiles{3, spread(1_MB, 2_MB), {{"f00", "m1", 2_MB, 1_MB, 3_MB, 5}}, 2, 1};
  o.mounts = {{"/lus", "lustre", 1, 2, 3, 4, 5_B, 6_B}};
  o.saves = checkpoints();
  o.loads = checkpoints();
  o.devices = ObservedDevices{100, 1_s, 0.5_s, 0.25_s, 3_MB, 1_kB};
  o.collectives = {{"all_reduce", 4, 0.5_s, spread(1_ms, 2_ms), 1_GB}};
  o.host = ObservedHost{2,
                        64,
                        128,
                        "EPYC",
                        512_GiB,
                        8,
                        "H1",
                        80_GiB,
                        "6.1",
                        {{"m1", "ext4", "rw", 1_TB}},
                        {{"eth0", 100_Gbps}}};
  o.lustre = ObservedLustre{{{2, {{0_B, 64_MiB, 1_MiB, 1}, {64_MiB, {}, 4_MiB, 8}}}}, 9};
  o.figures = {{"au_ratio", 0.97}};
  return o;
}

TEST_CASE("an observation comes back as it was written, member by member") {
  const Observation whole = everything();
  const std::string text = write_observation(whole);
  REQUIRE(is_observation(text));
  Diagnostics faults;
  const Observation back = read_observation(text, "o.json", faults);
  REQUIRE(faults.items().empty());
  CHECK(back == whole);
  CHECK(write_observation(back) == text);
}

TEST_CASE("an empty observation comes back empty") {
  Diagnostics faults;
  const Observation back = read_observation(write_observation({}), "o.json", faults);
  CHECK(faults.items().empty());
  CHECK(back == Observation{});
}

TEST_CASE("a member that there is not is refused with its place and the one that was meant") {
  std::string text = write_observation(everything());
  const std::size_t at = text.find("\"first_batch\"");
  REQUIRE(at != std::string::npos);
  text.replace(at, 13, "\"first_batsh\"");
  Diagnostics faults;
  (void)read_observation(text, "o.json", faults);
  REQUIRE(faults.items().size() == 1);
  const Diagnostic& fault = faults.items()[0];
  CHECK(fault.code == "unknown-key");
  CHECK(fault.pointer == "/steps/first_batsh");
  CHECK(fault.position.line > 1);
  CHECK(fault.hint == "did you mean \"first_batch\"?");
}

TEST_CASE("a file of another schema and a count below zero are refused") {
  Diagnostics faults;
  (void)read_observation(R"({"schema": "stallcast.measurements/1"})", "o.json", faults);
  REQUIRE(faults.has_errors());
  Diagnostics below;
  (void)read_observation(R"({"schema": "stallcast.observation/1", "steps": {"count": -3}})",
                         "o.json", below);
  REQUIRE(below.items().size() == 1);
  CHECK(below.items()[0].pointer == "/steps/count");
}

}  // namespace
}  // namespace stallcast::calibration
