#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/sim/fluid_context.hpp"
#include "models/bounds/bounds.hpp"
#include "models/plant/plant.hpp"
#include "models/run/simulate.hpp"
#include "models/storage/fair_blame.hpp"
#include "models/storage/request_limit.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace s3_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

namespace {

using Overrides = std::vector<std::pair<const char*, const char*>>;

// An object store whose delays do not vary, so that closed forms hold.
Design steady(const Overrides& settings = {}) {
  Design design = design_with_storage("s3", {{"first_byte_spread", "1"}});
  for (const auto& [key, text] : settings) set(design.storage[0], Role::storage, key, text);
  return design;
}

// What `readers` processes read together when each reads `objects` objects one after the other.
Rate read_rate(const Design& design, double readers, Bytes object, double objects) {
  const Timed t =
      serve(design, {.bytes = object * objects, .files = objects}, {.bytes = 1_MiB}, readers);
  return object * (objects * readers) / t.read;
}

// One host of 8 GPUs whose loaders do nothing but fetch 8 MiB objects.
Design fetching(const char* workers, const char* spread) {
  Design design = design_with_storage("s3", {{"first_byte_spread", spread}, {"prefixes", "8"}});
  set(design.hosts[0], Role::host, "count", "1");
  set(design.jobs[0].step, Role::step, "compute", "1 ms");
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "scratch"},
                                      {"sample", "8 MiB"},
                                      {"samples", "10000000"},
                                      {"parse", "1000 TB/s"},
                                      {"parse_fixed", "0 s"}});
  design.jobs[0].loader =
      component(Role::loader, "pytorch", "loader",
                {{"batch", "1"}, {"workers", workers}, {"handover", "0 s"}, {"copy", "none"}});
  return design;
}

}  // namespace

TEST_CASE("a GET takes the first byte's delay, then the rate of its connection") {
  const Timed t = serve(steady(), {.bytes = 8_MiB}, {.bytes = 1_MiB});
  CHECK(t.open.in(unit::ms) == Approx(0.0).margin(1e-9));  // no metadata server
  CHECK(t.read.in(unit::ms) == Approx(30.0 + (8_MiB / 90_MBps).in(unit::ms)).epsilon(1e-9));
}

TEST_CASE("objects are fetched one after the other, each look-up with a delay of its own") {
  // 3 objects x (4 dependent requests x 30 ms) + 3 MiB / 90 MB/s
  const Timed t = serve(steady(), {.bytes = 3_MiB, .files = 3, .round_trips = 4}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::ms) == Approx(360.0 + (3_MiB / 90_MBps).in(unit::ms)).epsilon(1e-9));
}

TEST_CASE(
    "each request of a fio tenant has a first byte of its own, also where many are simulated at "
    "once") {
  const auto fio = [](const char* rw, const char* jobs, const char* spread) {
    Design design = design_with_storage(
        "s3", {{"first_byte_spread", spread}, {"put.answer", "30 ms"}, {"prefixes", "10"}});
    design.jobs.clear();
    design.hosts[0] = component(Role::host, "host", "gpu", {{"count", "1"}, {"gpus", "0"}});
    design.tenants.push_back(component(Role::tenant, "fio", "load",
                                       {{"on", "scratch"},
                                        {"hosts", "gpu"},
                                        {"rw", rw},
                                        {"bs", "64 KiB"},
                                        {"numjobs", jobs},
                                        {"direct", "true"}}));
    set(design.run, Role::run, "duration", "1000 s");
    return run(design);
  };
  const double bytes = (64_KiB / 90_MBps).in(unit::s);
  const double sigma = std::log(5.0) / 2.3263478740408408;
  for (const char* rw : {"randread", "randwrite"})
    for (const char* jobs : {"1", "32"}) {
      CAPTURE(rw, jobs);
      const RunResult result = fio(rw, jobs, "5");
      const std::string latency = "tenant.load.latency";
      CHECK(metric(result, latency) ==
            Approx(30e-3 * std::exp(sigma * sigma / 2.0) + bytes).epsilon(0.02));
      CHECK(metric(result, latency + ".p50") == Approx(30e-3 + bytes).epsilon(0.03));
      CHECK(metric(result, latency + ".p95") ==
            Approx(30e-3 * std::exp(1.6448536 * sigma) + bytes).epsilon(0.03));
      CHECK(metric(result, latency + ".p99") == Approx(150e-3 + bytes).epsilon(0.03));
    }
  const RunResult even = fio("randread", "1", "1");
  CHECK(metric(even, "tenant.load.latency.p99") == Approx(30e-3 + bytes).epsilon(1e-3));
}

TEST_CASE("HEAD requests before an object cost a first byte each") {
  const Timed t =
      serve(steady({{"open.requests", "2"}}), {.bytes = 3_MiB, .files = 3}, {.bytes = 1_MiB});
  CHECK(t.open.in(unit::ms) == Approx(6 * 30.0).epsilon(1e-9));
}

TEST_CASE("connections that are not kept open add their handshake to every request") {
  const Timed t = serve(steady({{"connection.requests", "1"}, {"connection.setup", "3 ms"}}),
                        {.bytes = 8_MiB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::ms) == Approx(33.0 + (8_MiB / 90_MBps).in(unit::ms)).epsilon(1e-9));
}

TEST_CASE("10 GB/s of 8 MiB objects take 147 connections") {
  // Little: 10 GB/s x (30 ms + 8 MiB / 90 MB/s) / 8 MiB = 1192 /s x 123.2 ms = 146.9
  CHECK(read_rate(steady(), 147, 8_MiB, 100).in(unit::GBps) == Approx(10.006).epsilon(1e-3));
  CHECK(read_rate(steady(), 146, 8_MiB, 100) < 10_GBps);
}

TEST_CASE("10 GB/s of 100 KB objects take 3,112 connections and 19 prefixes") {
  // Little: 100,000 /s x (30 ms + 100 KB / 90 MB/s) = 3111.1; 100,000 /s / 5,500 /s = 18.2
  const auto rate = [](const char* prefixes, double readers) {
    return read_rate(steady({{"prefixes", prefixes}, {"burst", "1 ms"}}), readers, 100_kB, 1000)
        .in(unit::GBps);
  };
  CHECK(rate("19", 3112) == Approx(10.0).epsilon(0.005));
  CHECK(rate("190", 3100) < 10.0);
  CHECK(rate("18", 3112) == Approx(9.9).epsilon(0.005));
  CHECK(rate("18", 6000) == Approx(9.9).epsilon(0.02));  // more readers only wait
}

TEST_CASE("range GETs of one reader overlap their first bytes") {
  // 64 MiB in 8 ranges: over 4 connections two turns of (30 ms + 8 MiB / 90 MB/s)
  const Timed t = serve(steady({{"get.parallel", "4"}}), {.bytes = 64_MiB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::ms) == Approx(2 * (30.0 + (8_MiB / 90_MBps).in(unit::ms))).epsilon(1e-9));
  // 20 MiB in ranges of 8, 8 and 4 MiB: one turn, as long as a whole range
  const Timed u = serve(steady({{"get.parallel", "4"}}), {.bytes = 20_MiB}, {.bytes = 1_MiB});
  CHECK(u.read.in(unit::ms) == Approx(30.0 + (8_MiB / 90_MBps).in(unit::ms)).epsilon(1e-9));
}

TEST_CASE("TLS of one process limits all its connections together") {
  // 100 connections of 90 MB/s, but one core moves 1.5 GB/s: 800 MiB in one turn
  const Timed t = serve(steady({{"get.parallel", "100"}}), {.bytes = 800_MiB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::ms) == Approx(30.0 + (800_MiB / 1.5_GBps).in(unit::ms)).epsilon(1e-9));
}

TEST_CASE("a small object is durable after its bytes and one answer") {
  const Timed t = serve(steady(), {.bytes = 1_MiB}, {.bytes = 4_MiB});
  CHECK(t.write.in(unit::ms) == Approx(60.0 + (4_MiB / 90_MBps).in(unit::ms)).epsilon(1e-9));
}

TEST_CASE("an upload in parts runs over ten connections, between a begin and a complete") {
  // 160 MiB: 20 parts in 2 turns, 4 answers in all: begin, 2 turns, complete
  const Timed t = serve(steady(), {.bytes = 1_MiB}, {.bytes = 160_MiB});
  CHECK(t.write.in(unit::ms) ==
        Approx(4 * 60.0 + 2 * (8_MiB / 90_MBps).in(unit::ms)).epsilon(1e-9));
  // 84 MiB: 11 parts, the last of 4 MiB alone in its turn
  const Timed u = serve(steady(), {.bytes = 1_MiB}, {.bytes = 84_MiB});
  CHECK(u.write.in(unit::ms) == Approx(4 * 60.0 + (12_MiB / 90_MBps).in(unit::ms)).epsilon(1e-9));
}

TEST_CASE("one process uploads no faster than its library makes parts") {
  // 8 GB by 8 processes at 0.5 GB/s each: 2 s; ten connections of 1 GB/s are not the limit
  const Design design = design_with_storage("s3", {{"client.put", "0.5 GB/s"},
                                                   {"connection.rate", "1 GB/s"},
                                                   {"put.rate", "1 Mops/s"},
                                                   {"put.answer", "0 ms"},
                                                   {"client.tls", "false"}});
  CHECK(serve(design, {.bytes = 1_MiB}, {.bytes = 1_GB, .writers = 8}, 8.0).write.in(unit::s) ==
        Approx(2.0).epsilon(0.01));
}

TEST_CASE("workers that fetch one object at a time get W s / (first byte + s / b)") {
  // 8 GPUs x W workers, 8 MiB / (30 ms + 93.2 ms) each = 68.1 MB/s
  const double one = (8_MiB / (30_ms + 8_MiB / 90_MBps)).in(unit::MBps);
  for (const auto& [text, workers] : {std::pair{"1", 1.0}, {"4", 4.0}, {"16", 16.0}}) {
    const RunResult result = run(fetching(text, "1"));
    CHECK(result.metrics.at("job.train.throughput.bytes").value / 1e6 ==
          Approx(8 * workers * one).epsilon(0.01));
  }
}

TEST_CASE("slow first bytes cost the mean, not the median, and a little at the barrier") {
  // ln 5 / 2.326 = sigma 0.692: mean 30 ms x exp(sigma^2 / 2) = 38.1 ms. Ranks are simulated one
  // by one, and each step waits for the slowest of 8; 16 workers hide most of that.
  CHECK(models::Plant(fetching("16", "5")).layout("train").classes() == 8);
  CHECK(models::Plant(fetching("16", "1")).layout("train").classes() == 1);
  const double mean = (8 * 16.0 * (8_MiB / (38.1_ms + 8_MiB / 90_MBps))).in(unit::MBps);
  const double simulated =
      run(fetching("16", "5")).metrics.at("job.train.throughput.bytes").value / 1e6;
  CHECK(simulated < mean * 1.01);
  CHECK(simulated > mean * 0.75);
}

TEST_CASE("a save waits for the slowest of all its writers") {
  // One PUT each, no bytes to speak of: the median of the maximum of n lognormal delays is
  // 60 ms x exp(sigma z) with z the normal quantile of 2^(-1/n): n = 1000: z = 3.198
  const double sigma = std::log(5.0) / 2.3263478740408408;
  std::vector<double> times;
  for (int i = 0; i < 101; ++i) {
    Design design = design_with_storage("s3", {{"prefixes", "10"}});
    design.storage[0].id = "scratch";
    const auto context = sim::make_fluid_context();
    models::Plant plant(design);
    plant.attach(*context, static_cast<std::uint64_t>(i));
    const models::Client client = plant.client("gpu", 0, "scratch", 1000);
    const auto program = [&]() -> sim::Task<void> {
      co_await plant.storage("scratch").write(client, {.bytes = 1_B, .writers = 1000});
    };
    context->spawn(program());
    context->run();
    times.push_back(context->now().in(unit::ms));
  }
  std::nth_element(times.begin(), times.begin() + 50, times.end());
  CHECK(times[50] == Approx(60.0 * std::exp(sigma * 3.198)).epsilon(0.1));
}

TEST_CASE("requests beyond the rate of the prefixes are refused and retried") {
  // 11,000 GETs at once: the second 5,500 wait up to 1 s; the retry that succeeds is the first at
  // or after 1 s, and no later than 1 s + the longest wait it may follow.
  const Timed t = serve(steady(), {.bytes = 1_B}, {.bytes = 1_MiB}, 11000);
  CHECK(t.read > 1.03_s);
  CHECK(t.read < 1.03_s + 1.6_s);
}

TEST_CASE("back-off tries again at or after there is room, and more often when it waits longer") {
  const auto context = sim::make_fluid_context();
  models::ResourceTable resources;
  models::RequestLimit limit(*context, resources, "x", OpRate::from(100, unit::per_s), 1_s,
                             {100_ms, 20_s});
  base::RandomStream jitter(1, "x", "back-off");
  CHECK(limit.back_off(Seconds{}, 5, jitter) == Seconds{});
  CHECK(limit.refused() == 0.0);
  // n waits, uniform below 100 ms x 2^i, are (2^n - 1) x 50 ms on average: 10 s take about 7 or 8.
  double tries = 0.0;
  for (int i = 0; i < 200; ++i) {
    models::RequestLimit one(*context, resources, "x", OpRate::from(100, unit::per_s), 1_s,
                             {100_ms, 20_s});
    CHECK(one.back_off(10_s, 1, jitter) >= 10_s);
    tries += static_cast<double>(one.most_tries());
  }
  CHECK(tries / 200 == Approx(8.9).epsilon(0.1));  // the first try counts
}

TEST_CASE("requests that wait notice that the rate changes") {
  // 10 a second, one at once: the next ten are through at 1 s. From 0.5 s on half of the rate
  // for the other five: 1.5 s; or nothing until 5.5 s: 6 s; or both in turn.
  const auto through = [](std::vector<std::pair<Seconds, double>> changes) {
    const auto context = sim::make_fluid_context();
    models::ResourceTable resources;
    models::RequestLimit limit(*context, resources, "gets", OpRate::from(10.0, unit::per_s), 0_s,
                               {100_ms, 20_s});
    Seconds done;
    const auto asks = [&]() -> sim::Task<void> {
      co_await limit.take(1.0);
      co_await limit.take(10.0);
      done = context->now();
    };
    const auto fails = [&]() -> sim::Task<void> {
      for (const auto& [after, factor] : changes) {
        if (after > 0_s) co_await context->sleep(after);
        limit.scale(factor);
      }
    };
    context->spawn(fails());
    context->spawn(asks());
    context->run();
    return done.in(unit::s);
  };
  CHECK(through({}) == Approx(1.0));
  CHECK(through({{500_ms, 0.5}}) == Approx(1.5));
  CHECK(through({{500_ms, 1e-6}, {5_s, 1e6}}) == Approx(6.0));
  // 5 at 1 per 0.2 s: one of them until 0.7 s, then the rest at once again, 0.4 s
  CHECK(through({{500_ms, 0.5}, {200_ms, 2.0}}) == Approx(1.1));
  CHECK(through({{500_ms, 1e-6}, {1_s, 5e5}, {400_ms, 2.0}}) == Approx(1.9 + 0.3));
  // before anything was asked: no burst is left, 11 take 1.1 s
  CHECK(through({{0_s, 1e-6}, {5_s, 1e6}}) == Approx(6.1));
}

TEST_CASE("a rate rises when more was asked for long enough") {
  // 1,000 requests a second for 20 s, 2,000 for 20 s, 4,000 for 20 s.
  const auto context = sim::make_fluid_context();
  models::ResourceTable resources;
  models::RequestLimit limit(*context, resources, "limit", OpRate::from(1000.0, unit::per_s),
                             Seconds::from(1e-3, unit::s),
                             {Seconds::from(0.1, unit::s), Seconds::from(1.0, unit::s)});
  limit.grow({.every = Seconds::from(20.0, unit::s), .factor = 2.0, .most = 4.0});
  double served = 0.0;
  const auto ask = [](models::RequestLimit& of, sim::Context& at, double& done) -> sim::Task<void> {
    while (at.now() < Seconds::from(80.0, unit::s)) {
      co_await of.take(100.0);
      done += 100.0;
    }
  };
  context->spawn(ask(limit, *context, served));
  context->run();
  CHECK(limit.grown() == 4.0);
  // The last 20 s at 4,000, too: that is the most.
  CHECK(served == Approx(20e3 + 40e3 + 2 * 80e3).epsilon(0.01));
  std::vector<ResourceUse> uses;
  limit.report(context->now(), uses);
  CHECK(uses.at(0).capacity == Approx(served / 80.0).epsilon(0.01));
}

TEST_CASE("a simulation pays for the requests that it counts") {
  // One GET per sample: so many of 0.004 USD per 1000, 3600 s an hour.
  Design design = fetching("16", "1");
  set(design.storage[0], Role::storage, "request.get.price", "0.004 USD");
  const RunResult result = run(design);
  const double gets = result.metrics.at("resource.storage.scratch.prefixes.get.throughput").value;
  // Loaders fetch ahead of what is used.
  CHECK(gets == Approx(result.metrics.at("job.train.throughput.samples").value).epsilon(0.02));
  CHECK(result.metrics.at("cost.requests").value == Approx(gets * 3.6 * 0.004));
  CHECK(result.warnings.empty());
}

TEST_CASE("a job that asks for more than its prefix gives is throttled, and says so") {
  // 8 GPUs x 16 workers with 1 KB objects: 128 / 30 ms = 4,266 /s of 500 /s
  Design design = fetching("16", "1");
  set(design.jobs[0].dataset.value(), Role::dataset, "sample", "1 kB");
  set(design.storage[0], Role::storage, "prefixes", "1");
  set(design.storage[0], Role::storage, "get.rate", "0.5 kops/s");
  const RunResult result = run(design);
  CHECK(result.metrics.at("job.train.throughput.samples").value == Approx(500.0).epsilon(0.03));
  CHECK(result.metrics.at("storage.scratch.throttled").value > 0.5);
  CHECK(result.metrics.at("storage.scratch.tries.most").value >= 2.0);
  CHECK(result.limited_by.at("job.train") == "storage.scratch.prefixes.get");
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings[0], Catch::Contains("clients give up after"));
}

TEST_CASE("what is asked for in vain is neither served nor paid for") {
  // 100,000 flushes a second for 60 s, of 100 a second and a burst of as many.
  Design design = steady({{"put.rate", "100 ops/s"}, {"request.put.price", "0.005 USD"}});
  design.jobs.clear();
  set(design.run, Role::run, "duration", "60 s");
  design.tenants.push_back(
      component(Role::tenant, "tracking", "logs",
                {{"on", "scratch"}, {"hosts", "gpu"}, {"writers", "100000"}, {"every", "1 s"}}));
  const RunResult result = run(design);
  const std::string puts = "resource.storage.scratch.prefixes.put.";
  CHECK(metric(result, puts + "throughput") == Approx(100.0 * 61.0 / 60.0).epsilon(0.001));
  CHECK(metric(result, puts + "utilization") == Approx(1.0));
  CHECK(metric(result, "cost.requests") ==
        Approx(100.0 * 61.0 / 60.0 * 3.6 * 0.005).epsilon(0.001));
  // All but the burst were refused, also those that never had their turn.
  CHECK(metric(result, "storage.scratch.throttled") == Approx(1.0 - 100.0 / 6e6).epsilon(1e-5));
}

TEST_CASE("readers that wait for first bytes do not keep the network idle for each other") {
  // 6,000 readers could take 6,000 x 100 KB / 31.1 ms = 19.3 GB/s of 8 GB/s: the servers are never
  // idle
  const Design design =
      steady({{"server.count", "2"}, {"server.read", "4 GB/s"}, {"prefixes", "100"}});
  CHECK(read_rate(design, 6000, 100_kB, 1000).in(unit::GBps) == Approx(8.0).epsilon(0.005));
}

TEST_CASE("servers of a store of one's own limit what all readers get") {
  const Design design = steady({{"server.count", "2"},
                                {"server.read", "4 GB/s"},
                                {"connection.rate", "1 GB/s"},
                                {"prefixes", "100"}});
  CHECK(read_rate(design, 1000, 100_MB, 10).in(unit::GBps) == Approx(8.0).epsilon(0.01));
}

TEST_CASE("waits of several parts go to each of them for as long as it took") {
  models::FairBlame blame;
  const models::ResourceIndex prefixes = 3, first_byte = 5, connection = 7;
  std::map<models::ResourceIndex, int> waits;
  CHECK(blame.charge({{prefixes, 2_s}, {first_byte, 3_s}, {connection, 0_s}}) == first_byte);
  for (int i = 1; i < 1000; ++i)
    ++waits[blame.charge({{prefixes, 2_s}, {first_byte, 3_s}, {connection, 0_s}})];
  CHECK(waits[prefixes] == Approx(400).margin(1));
  CHECK(waits[first_byte] == Approx(600).margin(1));
  // What takes no part in a wait gets nothing of it, whatever it is owed.
  CHECK(blame.charge({{connection, 1_s}}) == connection);
}

TEST_CASE("the bound counts the prefixes that reads or writes need, whichever is more") {
  // 32 GPUs x 10 x 100 KB / 100 ms = 320 MB/s, that is 3,200 GET/s; 4 GB per 100 s are 5 PUT/s
  Design design = design_with_storage("s3", {{"get.rate", "1 kops/s"}});
  design.jobs[0].dataset =
      component(Role::dataset, "raw", "dataset", {{"on", "scratch"}, {"sample", "100 kB"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "10"}});
  design.jobs[0].checkpoint = component(Role::checkpoint, "async", "checkpoint",
                                        {{"to", "scratch"}, {"every", "100 s"}, {"size", "4 GB"}});
  CHECK(models::bounds(design).osts_required == Approx(3.2));
}

}  // namespace s3_test
