#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

/// A measured device and processes that use it.
namespace stallcast::testing {

using Fields = std::vector<std::pair<const char*, const char*>>;

// One device for all hosts, 1 GB/s in and out besides what `settings` say; links do not limit.
inline Design device(const Fields& settings) {
  Fields all = {{"scope", "shared"},       {"read.latency", "0 s"},  {"read.rate", "1 GB/s"},
                {"write.latency", "0 s"},  {"write.rate", "1 GB/s"}, {"open.latency", "0 s"},
                {"create.latency", "0 s"}, {"sync", "0 s"},          {"read.copy", "1000 TB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  Design design = design_with_storage("measured", all);
  set(design.hosts[0], models::Role::host, "memory.bandwidth", "10000 TB/s");
  return design;
}

// What one of `clients` processes does; all start at date 0.
using Program = std::function<sim::Task<void>(models::StorageModel&, const models::Client&)>;

// Date in seconds at which the last of `clients` such processes has ended.
inline double run_all(const Design& design, int clients, const Program& program,
                      std::uint64_t seed = 1) {
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, seed);
  std::vector<models::Client> all;
  for (int c = 0; c < clients; ++c) all.push_back(plant.client("gpu", 0, "scratch", 1.0));
  for (const models::Client& client : all)
    context->spawn(program(plant.storage("scratch"), client));
  context->run();
  return context->now().in(unit::s);
}

inline Program reads(int files, Bytes size, double parts = 1.0) {
  return [=](models::StorageModel& storage, const models::Client& client) -> sim::Task<void> {
    for (int f = 0; f < files; ++f)
      co_await storage.read(client, {.bytes = size / parts, .files = 1.0 / parts});
  };
}

inline double seconds(const Design& design, int clients, int files,
                      Bytes size = Bytes::from(128.0, unit::KiB)) {
  return run_all(design, clients, reads(files, size));
}

inline constexpr double kBytes = 131072.0;  // one request

}  // namespace stallcast::testing
