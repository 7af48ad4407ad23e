#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/measured_device.hpp"

namespace measured_classes_test {

/// Clients of several weights on storage known by measurements: docs/models/measured.md, eq. 11.
using namespace stallcast;
using namespace stallcast::testing;

namespace {

struct Readers {
  int count = 1;
  double weight = 1.0;
};

// What each of the first does in a second while all go on: reads of 128 KiB of 0.231072 ms.
double reads_per_second(const Fields& settings, const std::vector<Readers>& readers) {
  Fields all = {{"read.latency", "1 ms"}, {"read.per_op", "0.1 ms"}, {"depth", "1"}};
  all.insert(all.end(), settings.begin(), settings.end());
  Design design = device(all);
  for (const Readers& each : readers)
    design.tenants.push_back(component(
        models::Role::tenant, "fio", "t" + std::to_string(design.tenants.size()),
        {{"on", "scratch"}, {"hosts", "gpu"}, {"share", std::to_string(each.weight).c_str()}}));
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  models::StorageModel& storage = plant.storage("scratch");
  constexpr int kReads = 64;
  double took = 0.0;
  const auto program = [&](models::Client client, bool first) -> sim::Task<void> {
    for (int r = 0; !first || r < kReads; ++r)
      co_await storage.read(client, {.bytes = Bytes::from(kBytes, unit::B), .files = 1.0});
    took = context->now().in(unit::s);
    context->stop();
  };
  for (std::size_t g = 0; g < readers.size(); ++g)
    for (int c = 0; c < readers[g].count; ++c) {
      models::Client client = plant.client("gpu", 0, "scratch", 1.0);
      client.share = readers[g].weight;
      context->spawn(program(client, g == 0 && c == 0));
    }
  context->run();
  return kReads / took;
}

constexpr double kAlpha = 1e-3, kDemand = 0.1e-3 + kBytes / 1e9;

}  // namespace

TEST_CASE("measured: who goes first waits for its latency all the same") {
  const Fields line = {{"read.law", "line"}};
  // f = 1000 / 1016: R = alpha + D / f
  const double first = reads_per_second(line, {{1, 1000.0}, {16, 1.0}});
  CHECK(first == Approx(1.0 / (kAlpha + kDemand * 1.016)).epsilon(1e-6));
  // The others have the rest of what the device does with 17 requests in flight.
  const double all = 17.0 / (kAlpha + 17.0 * kDemand);
  CHECK(reads_per_second(line, {{16, 1.0}, {1, 1000.0}}) ==
        Approx((all - first) / 16.0).epsilon(1e-6));
}

TEST_CASE("measured: nobody is quicker with neighbours than without, whatever the weights") {
  const std::vector<Fields> laws = {
      {{"read.law", "line"}},
      {{"read.law", "line"}, {"read.lanes", "4"}},
      {{"read.law", "line"}, {"servers", "4"}},
      {{"read.law", "line"}, {"read.private", "50 %"}, {"read.readers", "4"}},
      {{"read.law", "mva"}},
      {{"read.law", "roofline"}, {"read.stream", "500 MB/s"}},
      {{"read.law", "throttle"}, {"read.stream", "500 MB/s"}}};
  for (std::size_t law = 0; law < laws.size(); ++law)
    for (const double weight : {2.0, 100.0, 1000.0}) {
      INFO(law << ", weight " << weight);
      double before = reads_per_second(laws[law], {{2, weight}});
      for (const int others : {1, 4, 16, 64}) {
        INFO(others);
        const double now = reads_per_second(laws[law], {{2, weight}, {others, 1.0}});
        CHECK(now <= before * (1.0 + 1e-9));
        before = now;
      }
      // Of a great weight the others are nearly nothing; of classes below, those in between count.
      CHECK(reads_per_second(laws[law], {{2, 1e6}, {16, 1.0}}) ==
            Approx(reads_per_second(laws[law], {{2, 1e6}})).epsilon(1e-3));
      CHECK(reads_per_second(laws[law], {{2, weight}, {2, weight * 1000.0}, {16, 1.0}}) <=
            reads_per_second(laws[law], {{2, weight}, {2, weight * 1000.0}}) * (1.0 + 1e-9));
    }
}

TEST_CASE("measured: equal weights are no classes, and a limit of one leaves the rest") {
  for (const char* law : {"line", "mva", "roofline"})
    CHECK(reads_per_second({{"read.law", law}}, {{3, 5.0}, {4, 5.0}}) ==
          Approx(reads_per_second({{"read.law", law}}, {{7, 1.0}})).epsilon(1e-9));
  // Weights 3 and 1 of a device that is always busy.
  CHECK(reads_per_second({{"read.law", "line"}, {"read.latency", "0 s"}}, {{1, 3.0}, {1, 1.0}}) ==
        Approx(0.75 / kDemand).epsilon(1e-6));
}

TEST_CASE("measured: a writer is no faster for readers of a shorter latency, by any two laws") {
  const char* const laws[] = {"line", "mva", "roofline", "throttle"};
  // Seconds that `write` takes, alone or beside a reader of 4 KiB requests.
  const auto write = [](const char* reads, const char* writes, int readers) {
    Design design = device({{"read.law", reads},
                            {"read.latency", "0.1 ms"},
                            {"write.law", writes},
                            {"write.latency", "4 ms"},
                            {"write.request", "128 KiB"},
                            {"read.stream", "1 GB/s"},
                            {"write.stream", "1 GB/s"}});
    design.tenants = {component(models::Role::tenant, "fio", "both",
                                {{"on", "scratch"}, {"hosts", "gpu"}, {"rw", "randrw"}})};
    const auto context = sim::make_fluid_context();
    models::Plant plant(design);
    plant.attach(*context, 1);
    models::StorageModel& storage = plant.storage("scratch");
    const models::Client client = plant.client("gpu", 0, "scratch", 1.0);
    double took = 0.0;
    const auto writer = [&]() -> sim::Task<void> {
      co_await storage.write(client, {.bytes = Bytes::from(1e7, unit::B)});
      took = context->now().in(unit::s);
      context->stop();
    };
    const auto reader = [&]() -> sim::Task<void> {
      while (true)
        co_await storage.read(client, {.bytes = Bytes::from(4096, unit::B), .files = 1.0});
    };
    for (int r = 0; r < readers; ++r) context->spawn(reader());
    context->spawn(writer());
    context->run();
    return took;
  };
  for (const char* const reads : laws)
    for (const char* const writes : laws) {
      INFO(reads << " and " << writes);
      const double alone = write(reads, writes, 0);
      CHECK(write(reads, writes, 1) >= alone * (1.0 - 1e-6));
      CHECK(write(reads, writes, 16) >= alone * (1.0 - 1e-6));
    }
}

}  // namespace measured_classes_test
