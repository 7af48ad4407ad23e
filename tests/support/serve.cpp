#include "tests/support/serve.hpp"

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"

namespace stallcast::testing {

Timed serve(const Design& design, models::ReadRequest read, models::WriteRequest write,
            double members, models::Directories directories) {
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  models::Client client = plant.client("gpu", 0, "scratch", members);
  plant.many_to_one(client, members / client.hosts);
  client.directories = directories;
  Timed out;
  const auto program = [&]() -> sim::Task<void> {
    models::StorageModel& storage = plant.storage("scratch");
    Seconds at = context->now();
    co_await storage.open(client, read.files);
    out.open = context->now() - at;
    at = context->now();
    co_await storage.read(client, read);
    out.read = context->now() - at;
    at = context->now();
    co_await storage.write(client, write);
    out.write = context->now() - at;
  };
  context->spawn(program());
  context->run();
  return out;
}

double seconds_to_write(const Design& design, double members, Bytes each) {
  return serve(design, {.bytes = Bytes::from(1.0, unit::MiB)}, {.bytes = each, .writers = members},
               members)
      .write.in(unit::s);
}

Design design_with_storage(const std::string& kind,
                           const std::vector<std::pair<const char*, const char*>>& settings) {
  Design design = small_design();
  design.storage[0] = component(models::Role::storage, kind, "scratch", {});
  for (const auto& [key, text] : settings) set(design.storage[0], models::Role::storage, key, text);
  return design;
}

}  // namespace stallcast::testing
