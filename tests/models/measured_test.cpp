#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "models/storage/throttle.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/measured_device.hpp"
#include "tests/support/serve.hpp"

namespace measured_test {

/// Storage known by measurements against its closed forms: docs/models/measured.md.
using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

TEST_CASE("measured: each law answers n requests in flight as its equation says") {
  // alpha = 1 ms, s = 0.2 ms, b / B = 131.072 us, b / S = 2.62144 ms; 16 requests one after the
  // other by each of n processes, R(n) each
  const double alpha = 1e-3, s = 0.2e-3, b = kBytes / 1e9, own = kBytes / 50e6;
  const auto law = [](const char* id) {
    return device({{"read.law", id},
                   {"read.latency", "1 ms"},
                   {"read.per_op", "0.2 ms"},
                   {"read.stream", "50 MB/s"}});
  };
  for (const int n : {1, 4, 16}) {
    INFO(n);
    CHECK(seconds(law("line"), n, 16) == Approx(16 * (alpha + n * (s + b))).epsilon(1e-6));
    CHECK(seconds(law("roofline"), n, 16) ==
          Approx(16 * std::max(alpha + own, n * (s + b))).epsilon(1e-6));
    CHECK(seconds(law("throttle"), n, 16) ==
          Approx(16 * std::max(alpha + own, n * std::max(s, b))).epsilon(1e-6));
  }
}

TEST_CASE("measured: a device is busy with its demands, of as many servers as it has") {
  // 100 files of 100 kB, one after the other: each pays 10 ms by itself and 0.1 ms of the device.
  const Design design = device({{"read.latency", "10 ms"}, {"read.law", "line"}});
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  const models::Client client = plant.client("gpu", 0, "scratch", 1.0);
  const Program program = reads(100, Bytes::from(1e5, unit::B));
  context->spawn(program(plant.storage("scratch"), client));
  context->run();
  CHECK(context->now().in(unit::s) == Approx(1.01).epsilon(1e-6));
  for (const ResourceUse& use : plant.report(*context, context->now())) {
    if (use.name != "storage.scratch.device.busy") continue;
    CHECK(use.capacity == 1.0);
    CHECK(use.throughput == Approx(0.01 / 1.01).epsilon(1e-6));
    return;
  }
  FAIL("the device is not in the report");
}

TEST_CASE("measured: who comes and goes in the midst of others waits for them") {
  // 10 requests alongside somebody who was there before and stays: alpha + 2 D each
  const Design design = device({{"read.latency", "1 ms"}, {"read.law", "line"}});
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  models::StorageModel& storage = plant.storage("scratch");
  const models::Client first = plant.client("gpu", 0, "scratch", 1.0), second = first;
  const Program many = reads(40, 128_KiB), few = reads(10, 128_KiB);
  double took = 0.0;
  const auto late = [&]() -> sim::Task<void> {
    co_await context->sleep(3.3_ms);
    const Seconds began = context->now();
    co_await few(storage, second);
    took = (context->now() - began).in(unit::s);
  };
  context->spawn(many(storage, first));
  context->spawn(late());
  context->run();
  CHECK(took == Approx(10 * (1e-3 + 2 * kBytes / 1e9)).epsilon(1e-6));
  // No device of it fails by itself.
  CHECK(storage.parts(models::StoragePart::target) == 0.0);
}

TEST_CASE("measured: law mva is exact mean value analysis of a delay and one server") {
  // R_k = D (1 + Q_(k-1)), X_k = k / (alpha + R_k), Q_k = X_k R_k; 16 requests each take n / X_n
  const double alpha = 1e-3, demand = 0.2e-3 + kBytes / 1e9;
  const Design design =
      device({{"read.law", "mva"}, {"read.latency", "1 ms"}, {"read.per_op", "0.2 ms"}});
  for (const int n : {1, 4, 16}) {
    double queue = 0.0, rate = 0.0;
    for (int k = 1; k <= n; ++k) {
      const double response = demand * (1.0 + queue);
      rate = k / (alpha + response);
      queue = rate * response;
    }
    CHECK(seconds(design, n, 16) == Approx(16 * n / rate).epsilon(1e-6));
  }
}

TEST_CASE("measured: one request alone takes the time of as many as are served together") {
  // alpha + max(n, K) D of law line; of law mva R_k = D (K + Q_(k-1)): alone alpha + K D as well
  const double alpha = 1e-3, demand = kBytes / 1e9, lanes = 4.0;
  const auto law = [](const char* id, const char* servers) {
    return device(
        {{"read.law", id}, {"read.latency", "1 ms"}, {"read.lanes", "4"}, {"servers", servers}});
  };
  for (const int n : {1, 3, 4, 16}) {
    INFO(n);
    CHECK(seconds(law("line", "1"), n, 16) ==
          Approx(16 * (alpha + std::max<double>(n, lanes) * demand)).epsilon(1e-6));
    double queue = 0.0, rate = 0.0;
    for (int k = 1; k <= n; ++k) {
      const double response = demand * (lanes + queue);
      rate = k / (alpha + response);
      queue = rate * response;
    }
    CHECK(seconds(law("mva", "1"), n, 16) == Approx(16 * n / rate).epsilon(1e-6));
  }
  // Two servers have eight lanes: six in flight meet nobody.
  CHECK(seconds(law("line", "2"), 6, 16) == Approx(16 * (alpha + lanes * demand)).epsilon(1e-6));
}

TEST_CASE("measured: what is private of a read leaves it as it was seen, and grows with nobody") {
  // alpha + (q N + (1 - q) n) D, with N = 4 that it was seen with: alpha + 4 D among 4, whatever q
  const double alpha = 1e-3, demand = kBytes / 1e9;
  for (const char* q : {"0 %", "30 %", "99 %", "100 %"})
    for (const int n : {1, 4, 16}) {
      INFO(q << " " << n);
      const Design design =
          device({{"read.latency", "1 ms"}, {"read.private", q}, {"read.readers", "4"}});
      const double share = std::atof(q) / 100.0;
      CHECK(seconds(design, n, 16) ==
            Approx(16 * (alpha + (share * 4 + (1.0 - share) * n) * demand)).epsilon(1e-4));
    }
}

TEST_CASE("measured: the servers of a law share its demands") {
  // 16 requests in flight on 4 servers: alpha + 4 D
  const Design design = device({{"read.latency", "1 ms"}, {"servers", "4"}});
  CHECK(seconds(design, 16, 10) == Approx(10 * (1e-3 + 4 * kBytes / 1e9)).epsilon(1e-6));
}

TEST_CASE("measured: a request is served by one server, however many are idle") {
  // 10 requests, one after the other: alpha + D each; 2 at a time on 8 servers meet nobody
  for (const char* law : {"line", "mva"})
    for (const char* servers : {"1", "2", "8"}) {
      INFO(law << " " << servers);
      const Design design =
          device({{"read.law", law}, {"read.latency", "1 ms"}, {"servers", servers}});
      CHECK(seconds(design, 1, 10) == Approx(10 * (1e-3 + kBytes / 1e9)).epsilon(1e-6));
      if (servers != std::string("1"))
        CHECK(seconds(design, 2, 10) == Approx(10 * (1e-3 + kBytes / 1e9)).epsilon(1e-6));
    }
}

TEST_CASE("measured: reads and writes in one line wait for each other's demands") {
  // 3 readers of 128 KiB (131.072 us) and 1 writer of 1 MiB (1.048576 ms): T = sum n_i D_i for both
  // laws; writes in a line of their own leave 3 D to the reads
  const double read = kBytes / 1e9, write = 8 * read;
  const auto both = [](const Fields& settings) {
    const Program reader = reads(80, 128_KiB);
    const Design design = device(settings);
    const auto context = sim::make_fluid_context();
    models::Plant plant(design);
    plant.attach(*context, 1);
    std::vector<models::Client> clients;
    for (int c = 0; c < 4; ++c) clients.push_back(plant.client("gpu", 0, "scratch", 1.0));
    models::StorageModel& storage = plant.storage("scratch");
    double ended = 0.0;
    const auto timed = [&](const models::Client& client) -> sim::Task<void> {
      co_await reader(storage, client);
      ended = std::max(ended, context->now().in(unit::s));
    };
    const auto writer = [&]() -> sim::Task<void> {
      co_await storage.write(clients[3], {.bytes = 160_MiB});
    };
    context->spawn(writer());
    for (int c = 0; c < 3; ++c) context->spawn(timed(clients[static_cast<std::size_t>(c)]));
    context->run();
    return ended;
  };
  const double together = 80 * (3 * read + write), alone = 80 * 3 * read;
  CHECK(both({}) == Approx(together).epsilon(1e-6));
  // 1.5 times as long while both are outstanding, which is as long as there are reads; not where
  // writes have a line of their own
  const Fields coupled = {{"mixed.coupling", "1.5"}};
  CHECK(both(coupled) == Approx(1.5 * together).epsilon(1e-6));
  // of lines the first piece of the writer, which begins before the readers come
  CHECK(both({coupled[0], {"read.law", "fifo"}, {"write.law", "fifo"}}) ==
        Approx(1.5 * together - 0.5 * write).epsilon(1e-6));
  CHECK(both({coupled[0], {"write.line", "own"}}) == Approx(alone).epsilon(1e-6));
  CHECK(both({{"read.law", "fifo"}, {"write.law", "fifo"}}) == Approx(together).epsilon(1e-6));
  CHECK(both({{"write.line", "own"}}) == Approx(alone).epsilon(1e-6));
  CHECK(both({{"read.law", "fifo"}, {"write.law", "fifo"}, {"write.line", "own"}}) ==
        Approx(alone).epsilon(1e-6));
}

TEST_CASE("measured: reads and writes of a mix take c times their own latency and the line") {
  // 3 readers and 1 writer of pieces of 128 KiB; alpha 1 and 2 ms, D 131.072 and 262.144 us. The
  // line is 3 D_r + D_w long.
  const double read = kBytes / 1e9, write = 2 * read, line = 3 * read + write;
  const auto took = [&](const char* coupling) {
    Design design = device({{"mixed.coupling", coupling},
                            {"read.latency", "1 ms"},
                            {"write.latency", "2 ms"},
                            {"write.rate", "0.5 GB/s"},
                            {"write.request", "128 KiB"}});
    design.tenants = {component(models::Role::tenant, "fio", "both",
                                {{"on", "scratch"}, {"hosts", "gpu"}, {"rw", "randrw"}})};
    const auto context = sim::make_fluid_context();
    models::Plant plant(design);
    plant.attach(*context, 1);
    std::vector<models::Client> clients;
    for (int c = 0; c < 4; ++c) clients.push_back(plant.client("gpu", 0, "scratch", 1.0));
    models::StorageModel& storage = plant.storage("scratch");
    double readers = 0.0, writer = 0.0;
    const auto reads = [&](const models::Client& client) -> sim::Task<void> {
      co_await storage.read(client, {.bytes = 20_MiB});
      readers = context->now().in(unit::s);
    };
    const auto writes = [&]() -> sim::Task<void> {
      co_await storage.write(clients[3], {.bytes = 20_MiB});
      writer = context->now().in(unit::s);
    };
    context->spawn(writes());
    for (int c = 0; c < 3; ++c) context->spawn(reads(clients[static_cast<std::size_t>(c)]));
    context->run();
    return std::pair(readers, writer);
  };
  for (const char* coupling : {"1", "1.4"}) {
    const double c = std::atof(coupling);
    const auto [readers, writer] = took(coupling);
    const double together = 160 * c * (1e-3 + line);
    CHECK(readers == Approx(together).epsilon(1e-6));
    const double left = 160 - together / (c * (2e-3 + line));  // writes, alone from then on
    CHECK(writer == Approx(together + left * (2e-3 + write)).epsilon(1e-6));
  }
}

TEST_CASE("measured: q processes in one line get one request per round trip until it is full") {
  // X(q) = min(q / (alpha + D), 1 / D), alpha = 1 ms, D = 131.072 us: full from q = 9 on. The last
  // of them began q - 1 places behind the first.
  const double alpha = 1e-3, demand = kBytes / 1e9;
  const Design design = device({{"read.law", "fifo"}, {"read.latency", "1 ms"}});
  for (const int q : {1, 2, 4, 8}) {
    const double behind = (q - 1) * demand;
    CHECK(seconds(design, q, 100) == Approx(100 * (alpha + demand) + behind).epsilon(1e-6));
  }
  CHECK(seconds(design, 16, 100) == Approx(alpha + 1600 * demand).epsilon(1e-6));
}

TEST_CASE("measured: files in turn over K servers are served K at a time") {
  // 8 processes, 4 servers, 50 files each: two of every turn meet at a server
  const double demand = kBytes / 1e9;
  Fields fields = {{"read.law", "fifo"}, {"servers", "4"}, {"placement", "round-robin"}};
  CHECK(seconds(device(fields), 8, 50) == Approx(50 * 2 * demand).epsilon(1e-6));
  // Drawn places leave servers idle: a closed network of q customers and K servers visited at
  // random has X = K q / (q + K - 1) / D with exponential service, more with equal ones.
  fields.back().second = "random";
  const double drawn = seconds(device(fields), 8, 2000) / (2000 * 8 * demand);
  CHECK(drawn > 1.0 / 4);
  CHECK(drawn < (8.0 + 4 - 1) / (4 * 8));
}

TEST_CASE("measured: a file is as fast as its stripes and its read-ahead let it be") {
  // 4 MiB = 32 requests of 131.072 us
  const double demand = kBytes / 1e9;
  const auto file = [](Fields more) {
    more.push_back({"read.law", "fifo"});
    more.push_back({"read.latency", "1 ms"});
    return seconds(device(more), 1, 10, 4_MiB) / 10;
  };
  CHECK(file({}) == Approx(32 * (1e-3 + demand)).epsilon(1e-6));
  CHECK(file({{"read.latency_of", "file"}}) == Approx(1e-3 + 32 * demand).epsilon(1e-6));
  // one latency for 4 in flight in one line, and on 4 servers of 128 KiB pieces
  CHECK(file({{"depth", "4"}}) == Approx(8 * 1e-3 + 32 * demand).epsilon(1e-6));
  CHECK(file({{"depth", "4"}, {"servers", "4"}, {"stripe", "4"}, {"stripe_size", "128 KiB"}}) ==
        Approx(8 * (1e-3 + demand)).epsilon(1e-6));
  // files of more than one request at the rate of streams, others not
  const Fields streams = {{"read.latency_of", "file"}, {"read.stream", "0.5 GB/s"}};
  CHECK(file(streams) == Approx(1e-3 + 64 * demand).epsilon(1e-6));
}

TEST_CASE("measured: parts of a file are read from where it lies, with one latency") {
  // 1 MiB in 8 parts: 1 ms once a file, 8 requests
  const Design design =
      device({{"read.law", "fifo"}, {"read.latency", "1 ms"}, {"read.latency_of", "file"}});
  CHECK(run_all(design, 1, reads(80, 1_MiB, 8.0)) ==
        Approx(10 * (1e-3 + 8 * kBytes / 1e9)).epsilon(1e-6));
}

TEST_CASE("measured: opens are a line and a delay of their own; what is cached pays its own part") {
  // Dl = 0.76 ms in one line, 0.5 ms private: X = min(q / 1.26 ms, 1 / 0.76 ms)
  const Design design = device({{"read.law", "fifo"},
                                {"open.per_op", "0.76 ms"},
                                {"open.latency", "0.5 ms"},
                                {"open.cached", "0.4 ms"}});
  const Program open = [](models::StorageModel& storage,
                          const models::Client& client) -> sim::Task<void> {
    co_await storage.open(client, 100.0);
  };
  CHECK(run_all(design, 1, open) == Approx(100 * 1.26e-3).epsilon(1e-6));
  CHECK(run_all(design, 4, open) == Approx(400 * 0.76e-3 + 0.5e-3).epsilon(1e-6));
  const Program again = [](models::StorageModel& storage,
                           const models::Client& client) -> sim::Task<void> {
    co_await storage.reopen(client, 100.0);
  };
  CHECK(run_all(design, 4, again) == Approx(100 * 0.4e-3).epsilon(1e-6));
}

TEST_CASE("measured: jitter spreads latencies and keeps their mean, the same for a seed") {
  // 20,000 latencies of 1 ms with J = 0.5: standard error of the mean 0.5 / sqrt(20000) = 0.35 %
  const Design design =
      device({{"read.law", "fifo"}, {"read.latency", "1 ms"}, {"jitter", "50 %"}});
  const double took = seconds(design, 1, 20000) - 20000 * kBytes / 1e9;
  CHECK(took == Approx(20.0).epsilon(0.015));
  CHECK(took != Approx(20.0).epsilon(1e-9));
  CHECK(run_all(design, 3, reads(50, 128_KiB), 7) == run_all(design, 3, reads(50, 128_KiB), 7));
  CHECK(run_all(design, 3, reads(50, 128_KiB), 7) != run_all(design, 3, reads(50, 128_KiB), 8));
}

TEST_CASE("measured: a save is created, copied by a core, flushed in pieces and synced") {
  // 64 MiB: 3 ms, copied at 2 GB/s, 64 pieces of 1 ms + 1 MiB / 1 GB/s, 2 ms; at a limit of 60 MB/s
  // with 6 MB at once: (64 MiB - 6 MB) / 60 MB/s and the last piece
  const auto save = [](const Fields& more) {
    Fields all = {{"read.law", "fifo"},     {"write.law", "fifo"},      {"write.latency", "1 ms"},
                  {"write.copy", "2 GB/s"}, {"create.latency", "3 ms"}, {"sync", "2 ms"}};
    all.insert(all.end(), more.begin(), more.end());
    return serve(device(all), {.bytes = 1_MiB}, {.bytes = 64_MiB}).write.in(unit::s);
  };
  const double bytes = 64 * 1048576.0, piece = 1048576.0 / 1e9;
  const double around = 3e-3 + bytes / 2e9 + 2e-3;
  CHECK(save({}) == Approx(around + 64 * (1e-3 + piece)).epsilon(1e-6));
  CHECK(save({{"limit.write", "60 MB/s"}}) ==
        Approx(around + (bytes - 6e6) / 60e6 + 1e-3 + piece).epsilon(1e-6));
}

TEST_CASE("measured: a reader copies each request before it asks for the next") {
  // 131.072 us on the device and 262.144 us at 0.5 GB/s on a core
  Design design = device({{"read.law", "fifo"}, {"read.copy", "0.5 GB/s"}});
  const double copy = kBytes / 0.5e9;
  CHECK(seconds(design, 1, 100) == Approx(100 * (copy + kBytes / 1e9)).epsilon(1e-6));
}

TEST_CASE("measured: the first open of a group of files waits for the inodes of the group") {
  // 1024 files in 2 groups of 512, 32 requests each at 100 requests/s without a burst; 1000 opens
  // of 1 ms, far more than it takes to meet both groups
  Design design = device({{"read.law", "fifo"},
                          {"open.latency", "1 ms"},
                          {"open.cold_ops", "32"},
                          {"limit.read_ops", "100 ops/s"},
                          {"limit.burst", "0 s"}});
  JobDesign& job = design.jobs[0];
  job.dataset = component(models::Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "16 KiB"}, {"samples", "1024"}});
  job.loader = component(models::Role::loader, "pytorch", "loader", {{"batch", "4"}});
  const Program open = [](models::StorageModel& storage,
                          const models::Client& client) -> sim::Task<void> {
    for (int i = 0; i < 1000; ++i) co_await storage.open(client, 1.0);
  };
  CHECK(run_all(design, 1, open) == Approx(2 * 0.32 + 1.0).epsilon(1e-6));
}

}  // namespace measured_test
