#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/random.hpp"
#include "engine/sim/fluid_context.hpp"
#include "engine/sim/sync.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/mean_value_analysis.hpp"

namespace closed_network_test {

/// Closed queueing networks against exact mean value analysis: what a storage system does to n
/// clients that ask again as soon as they are answered.
using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

namespace {

double exponential(base::RandomStream& random) { return -std::log1p(-random.uniform()); }

constexpr int kCycles = 200'000;  // the standard error of their rate is below 0.3 %

}  // namespace

TEST_CASE("a closed chain of delay, threads and a link has the throughput of exact MVA") {
  // 10 ms away, m threads of 4 ms, a link that carries a mean request in 3 ms
  for (const int servers : {1, 2, 7}) {
    for (const int customers : {1, 3, 8, 24}) {
      INFO(servers << " servers, " << customers << " customers");
      const auto context = sim::make_fluid_context();
      sim::ServerQueue queue(*context, servers);
      const sim::LinkId link = context->add_link("link", 1_GBps);
      int cycles = 0;
      const auto customer = [&](std::uint64_t id) -> sim::Task<void> {
        base::RandomStream random(1, "mva", "customer", id);
        while (cycles < kCycles) {
          co_await context->sleep(10_ms);
          co_await queue.serve(1.0, 4_ms * exponential(random));
          co_await context->transfer({.path = {&link, 1}, .bytes = 3_MB * exponential(random)});
          ++cycles;
        }
      };
      for (int c = 0; c < customers; ++c) context->spawn(customer(static_cast<std::uint64_t>(c)));
      context->run();
      CHECK(
          cycles / context->now().in(unit::s) ==
          Approx(mean_value_analysis(customers, 0.010, {{0.004, servers}, {0.003}})).epsilon(0.01));
    }
  }
}

TEST_CASE("clients that read from Lustre have the throughput of exact MVA") {
  // Every read waits 10 us + 87.5 us for the open (7 threads, never all busy) and 10 us + 3 x 170
  // us for its bulk transfer, then shares one OST of 4 GB/s: a mean of 4 MB takes 1 ms alone. Links
  // share like processors, so the sizes' distribution does not matter; drawn, so that clients do
  // not fall into step.
  for (const int customers : {1, 2, 4, 7}) {
    INFO(customers << " clients");
    Design design = small_design();
    for (const auto& [key, text] : {std::pair{"ost.count", "1"}, {"client.stream", "1000 GB/s"}})
      set(design.storage[0], Role::storage, key, text);
    const auto context = sim::make_fluid_context();
    models::Plant plant(design);
    plant.attach(*context, 1);
    int cycles = 0;
    const auto customer = [&](std::uint64_t id) -> sim::Task<void> {
      base::RandomStream random(1, "mva", "client", id);
      const models::Client client = plant.client("gpu", 0, "scratch", 1.0);
      models::StorageModel& storage = plant.storage("scratch");
      while (cycles < kCycles) {
        co_await storage.open(client, 1.0);
        co_await storage.read(client, {.bytes = 10_kB + 3.99_MB * exponential(random)});
        ++cycles;
      }
    };
    for (int c = 0; c < customers; ++c) context->spawn(customer(static_cast<std::uint64_t>(c)));
    context->run();
    const double delay = 97.5e-6 + 520e-6;
    CHECK(cycles / context->now().in(unit::s) ==
          Approx(mean_value_analysis(customers, delay, {{1e-3}})).epsilon(0.01));
  }
}

}  // namespace closed_network_test
