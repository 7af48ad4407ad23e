#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

/// Uploads of many parts that share the request rate, against closed forms: docs/models/s3.md,
/// eq. 5.
namespace s3_turns_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

namespace {

using Store = std::vector<std::pair<const char*, const char*>>;

Store steady(Store settings) {
  settings.push_back({"first_byte_spread", "1"});
  settings.push_back({"retry.base", "1 ms"});
  settings.push_back({"retry.cap", "10 ms"});
  return settings;
}

// A part of 8 MiB takes 60 ms and 8 MiB / 90 MB/s; a rank sends ten at a time.
const Seconds kPart = 60_ms + 8_MiB / 90_MBps;
constexpr double kTurns = 100.0;

struct Times {
  std::vector<double> saves;  // s
  double longest_put = 0.0;   // of 1 MB, one every 0.1 s
};

// `saves` jobs of so many ranks each upload an object of 1,000 parts for each rank at one time.
Times upload(const Design& design, int saves, double ranks) {
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  models::StorageModel& store = plant.storage("scratch");
  Times out;
  std::size_t left = static_cast<std::size_t>(saves);
  const auto save = [&](models::Client client) -> sim::Task<void> {
    co_await store.write(
        client, {.bytes = 8_MiB * (10.0 * kTurns), .writers = ranks * static_cast<double>(saves)});
    out.saves.push_back(context->now().in(unit::s));
    --left;
  };
  const auto put = [&](models::Client client) -> sim::Task<void> {
    const Seconds asked = context->now();
    co_await store.write(client, {.bytes = 1_MB});
    out.longest_put = std::max(out.longest_put, (context->now() - asked).in(unit::s));
  };
  const auto puts = [&]() -> sim::Task<void> {
    while (left > 0) {
      co_await context->sleep(100_ms);
      context->spawn(put(plant.client("gpu", 0, "scratch", 1.0)));
    }
  };
  for (int i = 0; i < saves; ++i) context->spawn(save(plant.client("gpu", 0, "scratch", ranks)));
  context->spawn(puts());
  context->run();
  return out;
}

// Begin and complete are a request each.
double alone() { return (60_ms * 2.0 + kPart * kTurns).in(unit::s); }
double put_alone() { return (60_ms + 1_MB / 90_MBps).in(unit::s); }

}  // namespace

TEST_CASE("uploads that ask for less than the request rate do not wait for each other") {
  // 16 ranks send 160 parts per 153 ms: 1,044 a second; three such jobs 3,130 of 3,500
  const Times three = upload(design_with_storage("s3", steady({})), 3, 16.0);
  for (const double save : three.saves) CHECK(save == Approx(alone()).epsilon(1e-6));
  CHECK(three.longest_put == Approx(put_alone()).epsilon(1e-6));
}

TEST_CASE("uploads that ask for more than the request rate share it") {
  // Two ask for 2,090 a second of 1,500, whose burst is 1,500, too: 2 x 16 x 1,002 requests.
  const Times two =
      upload(design_with_storage("s3", steady({{"put.rate", "1.5 kops/s"}})), 2, 16.0);
  const double tokens = (2.0 * 16.0 * 1002.0 - 1500.0) / 1500.0;
  for (const double save : two.saves)
    CHECK(save == Approx(tokens + kPart.in(unit::s)).epsilon(0.01));
  // 320 are under way, of which those that wait are ahead.
  CHECK(two.longest_put < put_alone() + 320.0 / 1500.0 + 0.02);
}

TEST_CASE("many uploads that the servers hold take no tokens before they need them") {
  // 10,240 connections, but 10 GB/s are 1,192 parts a second of 3,500.
  const Times one = upload(design_with_storage("s3", steady({{"server.count", "1"},
                                                             {"server.write", "10 GB/s"},
                                                             {"server.nic", "100 GB/s"},
                                                             {"client.put", "100 GB/s"}})),
                           1, 1024.0);
  const double moved = (8_MiB * (10.0 * kTurns) * 1024.0 / 10_GBps).in(unit::s);
  // Parts of the first turn are asked for at once: (10,240 - 3,500) / 3,500 = 1.93 s
  CHECK(one.saves.at(0) == Approx(1.93 + 0.3 + moved).epsilon(0.005));
  // A PUT has its share of the servers, as each rank.
  CHECK(one.longest_put < 1.93 + (60_ms + 1_MB * 1025.0 / 10_GBps).in(unit::s) + 0.02);
}

TEST_CASE("what a process moves by itself is of its core, of TLS where there is any") {
  // 20 MB/s of a core's TCP, HTTP and copies
  const auto limit = [](const char* tls) {
    Design design =
        design_with_storage("s3", steady({{"client.rate", "20 MB/s"}, {"client.tls", tls}}));
    set(design.jobs[0].step, Role::step, "compute", "1 ms");
    design.jobs[0].dataset =
        component(Role::dataset, "raw", "dataset", {{"on", "scratch"}, {"sample", "8 MiB"}});
    design.jobs[0].loader =
        component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "1"}});
    return run(design).limited_by.at("job.train");
  };
  CHECK(limit("false") == "storage.scratch.client.core");
  CHECK(limit("true") == "storage.scratch.client.tls");
}

}  // namespace s3_turns_test
