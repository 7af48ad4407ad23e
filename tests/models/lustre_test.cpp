#include <catch2/catch.hpp>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "models/run/simulate.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace lustre_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

TEST_CASE("opening a file takes a round trip and the MDS service time") {
  // 10 us + 90 us; 80 kops/s x 90 us = 7.2 threads, rounded to 7: service 7 / 80 kops/s = 87.5 us
  const Timed t = serve(small_design(), {.bytes = 1_MiB}, {.bytes = 1_MiB});
  CHECK(t.open.in(unit::us) == Approx(10.0 + 87.5).epsilon(1e-9));
}

TEST_CASE("a small read costs a round trip and a service time in addition to its bytes") {
  // 10 us + three turns of 170 us on the server (a bulk transfer) + 1 MiB at the stream's rate (2.5
  // GB/s, below the RPC window's)
  const Timed t = serve(small_design(), {.bytes = 1_MiB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::us) == Approx(520.0 + (1_MiB / 2.5_GBps).in(unit::us)).epsilon(1e-6));
}

TEST_CASE("each further dependent request adds a round trip and a turn on the server") {
  const Timed one = serve(small_design(), {.bytes = 1_MiB, .round_trips = 1}, {.bytes = 1_MiB});
  const Timed four = serve(small_design(), {.bytes = 1_MiB, .round_trips = 4}, {.bytes = 1_MiB});
  CHECK((four.read - one.read).in(unit::us) == Approx(3 * 180.0).epsilon(1e-6));
}

TEST_CASE("the RPC window limits a stream when the round trip is long") {
  // 8 x 4 MiB in flight over 100 ms + 0.51 ms + 4 MiB / 4 GB/s
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "100 ms");
  const Timed t = serve(design, {.bytes = 1_GiB, .round_trips = 0}, {.bytes = 1_MiB});
  const Seconds turn = 100_ms + 0.51_ms + 4_MiB / 4_GBps;
  CHECK(t.read.in(unit::s) == Approx((1_GiB / (32_MiB / turn)).in(unit::s)).epsilon(1e-6));
}

TEST_CASE("LNet routers share what they forward, and delay each round trip") {
  // 9 writers of 4 GB each over all OSTs at 32 GB/s; two routers of 8 GB/s take 36 GB in 2.25 s
  Design design = small_design();
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  set(design.storage[0], Role::storage, "router.count", "2");
  set(design.storage[0], Role::storage, "router.rate", "64 Gb/s");
  const Timed t = serve(design, {.bytes = 1_MiB}, {.bytes = 4_GB, .writers = 9}, 9.0);
  CHECK(t.write.in(unit::s) == Approx(36.0 / 16.0).epsilon(0.01));
  // a dependent request waits for two passes of 10 us more
  const Timed one = serve(design, {.bytes = 1_MiB, .round_trips = 1}, {.bytes = 1_MiB});
  const Timed four = serve(design, {.bytes = 1_MiB, .round_trips = 4}, {.bytes = 1_MiB});
  CHECK((four.read - one.read).in(unit::us) == Approx(3 * 200.0).epsilon(1e-6));
}

TEST_CASE("credits of routers limit a client that is far away") {
  // 2 routers x 8 x 1 MiB over 100 ms + 2 x 10 us + 1 MiB / 25 GB/s, of all streams of a host
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "100 ms");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "router.count", "2");
  const Timed t = serve(design, {.bytes = 1_GiB, .round_trips = 0}, {.bytes = 1_MiB});
  const Seconds turn = 100.02_ms + 1_MiB / 25_GBps;
  CHECK(t.read.in(unit::s) == Approx((1_GiB / (16_MiB / turn)).in(unit::s)).epsilon(1e-3));
}

TEST_CASE("round-robin placement makes the fullest OST the last to finish") {
  // 9 writers on 8 OSTs: one OST holds 2 files, so each file there gets half of 4 GB/s
  Design design = small_design();
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  const Timed t = serve(design, {.bytes = 1_MiB}, {.bytes = 4_GB, .writers = 9}, 9.0);
  CHECK(t.write.in(unit::s) == Approx(2.0).epsilon(0.01));
}

TEST_CASE("a file over all OSTs is as fast as the pool") {
  Design design = small_design();
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  const Timed t = serve(design, {.bytes = 1_MiB}, {.bytes = 4_GB, .writers = 9}, 9.0);
  CHECK(t.write.in(unit::s) == Approx(36.0 / 32.0).epsilon(0.01));
}

TEST_CASE("the mean line at the MDS follows Little's law") {
  // 32 ranks ask for one file each at the same time, every 100 ms: 7 threads of 87.5 us serve them
  // in rounds of 7, so 25 wait 1, 18 wait 2, 11 wait 3 and 4 wait 4 rounds: 7 x (1+2+3) + 4 x 4 =
  // 58 waits of 87.5 us per 100 ms are 0.05 waiting on average.
  Design design = small_design();
  design.jobs[0].dataset =
      component(Role::dataset, "raw", "dataset",
                {{"on", "scratch"}, {"sample", "1 kB"}, {"samples", "1000000"}});
  design.jobs[0].loader =
      component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "1"}});
  const auto context = sim::make_fluid_context();
  const RunResult result = models::simulate(design, 1, *context);
  const double step = result.metrics.at("job.train.step.time").value;
  CHECK(result.metrics.at("resource.storage.scratch.mdt.queue").value ==
        Approx(58 * 87.5e-6 / step).epsilon(0.02));
}

TEST_CASE("transfers under way follow Little's law") {
  // Of one reader at 0.5 GB/s each byte is 2 ns under way: so many are there as the rate over that
  // of one, on every link of the way, however wide it is.
  const RunResult one =
      run(one_reader("raw", {{"sample", "10 MB"}, {"size", "10 TB"}}, "100 ms", "0 s"));
  for (const char* link : {"storage.scratch.ost", "host.gpu.nic.read"}) {
    CAPTURE(link);
    const std::string name = std::string("resource.") + link;
    CHECK(metric(one, name + ".queue") ==
          Approx(metric(one, name + ".throughput") / 0.5e9).epsilon(1e-6));
  }
  // 32 ranks that save 1 GB each are all there for as long as a save writes.
  Design design = small_design();
  save_by_steps(design, "sync");
  const RunResult saves = run(design);
  const std::string ost = "resource.storage.scratch.ost";
  CHECK(metric(saves, ost + ".queue") ==
        Approx(32.0 * metric(saves, ost + ".utilization")).epsilon(0.01));
}

TEST_CASE("a file smaller than a stripe lies on one OST whatever the stripe count") {
  // 2 files of 512 KiB on 8 OSTs: each is bound by one OST's RPC rate; of 4 MiB: by four
  Design design = small_design();
  set(design.storage[0], Role::storage, "stripe.count", "4");
  set(design.storage[0], Role::storage, "client.stream", "1000 GB/s");
  const auto data_time = [&](Bytes bytes) {
    return serve(design, {.bytes = bytes, .round_trips = 0}, {.bytes = 1_MiB}).read;
  };
  CHECK(data_time(512_KiB).in(unit::us) == Approx((512_KiB / 4_GBps).in(unit::us)).epsilon(0.01));
  CHECK(data_time(4_MiB).in(unit::us) == Approx((1_MiB / 4_GBps).in(unit::us)).epsilon(0.01));
}

}  // namespace lustre_test
