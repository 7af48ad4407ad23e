#include <catch2/catch.hpp>
#include <string>

#include "models/storage/throttle.hpp"
#include "tests/support/measured_device.hpp"

/// Limiters of storage known by measurements, against closed forms: docs/models/measured.md.
namespace measured_limits_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

TEST_CASE("measured: a limit is not felt below its rate, and is the rate above it") {
  // The first request comes after the latency; the i-th passes i b / B - burst later at the
  // earliest. Device: 1 ms + 131 us,
  // so 116 MB/s; limit 100 MB/s with 10 MB at once, or 3000 or 500 requests a second
  const double each = 1e-3 + kBytes / 1e9;
  const auto limited = [](Fields more) {
    more.push_back({"read.law", "fifo"});
    more.push_back({"read.latency", "1 ms"});
    return device(more);
  };
  for (const int n : {1, 50, 1000, 4000}) {
    INFO(n);
    CHECK(seconds(limited({{"limit.read", "100 MB/s"}}), 1, n) ==
          Approx(std::max(n * each, n * kBytes / 100e6 - 0.1 + each)).epsilon(1e-6));
    CHECK(seconds(limited({{"limit.read_ops", "3 kops/s"}}), 1, n) ==
          Approx(n * each).epsilon(1e-6));
    CHECK(seconds(limited({{"limit.read_ops", "500 ops/s"}, {"limit.burst", "20 ms"}}), 1, n) ==
          Approx(std::max(n * each, n / 500.0 - 0.02 + each)).epsilon(1e-6));
  }
  // 8 processes at the limit: 8 x 500 requests less the burst
  CHECK(seconds(limited({{"limit.read", "100 MB/s"}}), 8, 500) ==
        Approx(4000 * kBytes / 100e6 - 0.1).epsilon(0.002));
  // and for a law: the same rate, request by request or not
  CHECK(seconds(device({{"limit.read", "100 MB/s"}}), 8, 500) ==
        Approx(4000 * kBytes / 100e6 - 0.1).epsilon(0.002));
}

TEST_CASE("measured: a limit counts the requests of all processes, each host by itself") {
  // 8 processes of 100 requests each at 500 a second in all, ten of them at once; or of so many
  // that ten are simulated as one
  const auto took = [](const char* rate, double requests) {
    const Design shared =
        device({{"read.law", "fifo"}, {"limit.read_ops", rate}, {"limit.burst", "20 ms"}});
    return serve(shared, {.bytes = 1_KiB * requests, .files = requests}, {.bytes = 1_MiB}, 8.0)
        .read.in(unit::s);
  };
  CHECK(took("500 ops/s", 100.0) == Approx(800 / 500.0 - 0.02).epsilon(0.01));
  CHECK(took("50 kops/s", 5120.0) == Approx(40960 / 50e3 - 0.02).epsilon(0.01));
  // and two on each of four hosts with a device of 100 MB/s, 10 MB of it at once
  for (const char* law : {"fifo", "roofline"}) {
    INFO(law);
    const Design each = device({{"scope", "host"}, {"read.law", law}, {"limit.read", "100 MB/s"}});
    CHECK(serve(each, {.bytes = 200_MB}, {.bytes = 1_MiB}, 8.0).read.in(unit::s) ==
          Approx((400.0 - 10.0) / 100.0).epsilon(0.01));
  }
}

// Others have so many requests of 1 MiB in flight; a file is asked for in pieces of 128 KiB at
// most, so many of each at one time. All are before the limit, and get what they have in flight.
//    [docs/models/measured.md, eq. 5]
TEST_CASE("measured: a limit is shared by what is in flight, however much a call asks for") {
  struct Case {
    const char *jobs, *block, *direct, *depth;
    double in_flight, piece;
  };
  const double kib = 1024.0, mib = kib * kib;
  const Case each = GENERATE_COPY(Case{"64", "128 KiB", "true", "1", 64, 128 * kib},
                                  Case{"64", "15 MB", "false", "1", 64, 15e6 / 115},
                                  Case{"32", "150 kB", "false", "1", 32, 75e3},
                                  Case{"16", "15 MB", "false", "4", 64, 15e6 / 115});
  const std::string law = GENERATE("line", "roofline", "throttle", "mva", "fifo");
  const bool bytes = GENERATE(true, false);
  if (law == "fifo" && each.depth != std::string("1")) return;  // q at once: a line of its own
  CAPTURE(law, each.jobs, each.block, each.depth, bytes);
  Design design = device(
      {{"read.law", law.c_str()},
       {"read.rate", "1000 GB/s"},
       {"depth", each.depth},
       bytes ? std::pair{"limit.read", "1 GB/s"} : std::pair{"limit.read_ops", "10 kops/s"}});
  design.jobs.clear();
  set(design.run, models::Role::run, "duration", "60 s");
  const auto fio = [&](const char* id, const char* jobs, const char* block, const char* direct) {
    design.hosts.push_back(component(models::Role::host, "host", id, {{"count", "1"}}));
    design.tenants.push_back(component(models::Role::tenant, "fio", id,
                                       {{"on", "scratch"},
                                        {"hosts", id},
                                        {"rw", "randread"},
                                        {"bs", block},
                                        {"numjobs", jobs},
                                        {"direct", direct}}));
  };
  fio("large", "16", "1 MiB", "true");
  fio("small", each.jobs, each.block, each.direct);
  const RunResult result = run(design);
  const double round =
      bytes ? (16 * mib + each.in_flight * each.piece) / 1e9 : (16 + each.in_flight) / 1e4;
  CHECK(metric(result, "tenant.large.read") == Approx(16 * mib / round).epsilon(0.03));
  CHECK(metric(result, "tenant.small.read") ==
        Approx(each.in_flight * each.piece / round).epsilon(0.03));
}

TEST_CASE("measured: whoever waits for a limit is told so") {
  for (const char* law : {"fifo", "roofline"}) {
    INFO(law);
    Design design = device({{"read.law", law}, {"limit.read", "100 MB/s"}});
    JobDesign& job = design.jobs[0];
    job.dataset = component(models::Role::dataset, "raw", "dataset",
                            {{"on", "scratch"}, {"sample", "1 MB"}, {"samples", "100000"}});
    job.loader = component(models::Role::loader, "pytorch", "loader", {{"batch", "4"}});
    CHECK(run(design).limited_by.at("job.train") == "storage.scratch.limit");
  }
}

TEST_CASE("measured: a limiter holds back small requests behind a large one") {
  // 1000 B/s and 10 requests/s, 100 ms: 100 B and 1 request at once. 300 B pass when 200 B more
  // have come; what asks for 1 B at the same date passes behind it, when its byte and its request
  // are there.
  const auto context = sim::make_fluid_context();
  models::Throttle throttle(*context, Rate::from(1000.0, unit::Bps),
                            OpRate::from(10.0, unit::per_s), 100_ms);
  CHECK(throttle.admit(300_B, 1.0).in(unit::s) == Approx(0.2));
  CHECK(throttle.admit(1_B, 0.0).in(unit::s) == Approx(0.201));
  CHECK(throttle.admit(1_B, 2.0).in(unit::s) == Approx(0.4));
  CHECK_FALSE(models::Throttle(*context, {}, {}, 100_ms).limits());
}

TEST_CASE("measured: slices bring what may pass all at once") {
  // 100 requests/s in slices of 100 ms: ten at once, ten more at the end of each slice.
  const auto context = sim::make_fluid_context();
  models::Throttle slices(*context, {}, OpRate::from(100.0, unit::per_s), 100_ms,
                          models::Throttle::Refill::slices);
  for (int i = 0; i < 35; ++i) {
    INFO(i);
    CHECK(slices.admit({}, 1.0).in(unit::s) == Approx(0.1 * (i / 10)));
  }
  // 25 at once have to wait for the five that are left and two slices more: the one after passes
  // with what the second of them brought too much.
  CHECK(slices.admit({}, 25.0).in(unit::s) == Approx(0.5));
  CHECK(slices.admit({}, 1.0).in(unit::s) == Approx(0.6));
  // Nothing is lost to requests that do not divide a slice: 3 of 4 pass, then 10, in the long run.
  models::Throttle odd(*context, {}, OpRate::from(100.0, unit::per_s), 100_ms,
                       models::Throttle::Refill::slices);
  Seconds last;
  for (int i = 0; i < 250; ++i) last = odd.admit({}, 4.0);
  CHECK(last.in(unit::s) == Approx(9.9));
  // A large write of a rested limiter: 20 MB at 80 MB/s leave with the third slice.
  models::Throttle bytes(*context, Rate::from(80e6, unit::Bps), {}, 100_ms,
                         models::Throttle::Refill::slices);
  CHECK(bytes.admit(20_MB, 0.0).in(unit::s) == Approx(0.2));
  // 4000 requests of 128 KiB in slices of 10 MB: the last begin with the 53rd, after 52 slices.
  const Design design = device({{"limit.read", "100 MB/s"}, {"limit.refill", "slices"}});
  CHECK(seconds(design, 8, 500) == Approx(5.2).epsilon(0.002));
}

}  // namespace measured_limits_test
