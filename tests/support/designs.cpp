#include "tests/support/designs.hpp"

#include <sstream>
#include <stdexcept>

#include "engine/base/quantity_text.hpp"
#include "engine/sim/fluid_context.hpp"
#include "models/run/simulate.hpp"

namespace stallcast::testing {
namespace {

Value parse(const base::FieldInfo& field, const std::string& text) {
  Value value;
  value.dimension = field.dimension;
  switch (field.dimension) {
    case Dimension::text:
      value.text = text;
      return value;
    case Dimension::boolean:
      value.number = text == "true" ? 1.0 : 0.0;
      return value;
    case Dimension::text_list: {
      std::stringstream parts(text);
      for (std::string part; std::getline(parts, part, ',');) value.list.push_back(part);
      return value;
    }
    default:
      break;
  }
  const base::ParsedQuantity parsed = base::parse_quantity(text, field.dimension);
  if (!parsed.value) throw std::runtime_error(std::string(field.key) + ": " + parsed.message);
  value.number = *parsed.value;
  return value;
}

const base::FieldInfo& info(models::Role role, const std::string& kind, std::string_view key) {
  const models::KindInfo* row = models::find_kind(role, kind);
  if (row == nullptr) throw std::runtime_error("no kind " + kind);
  for (const base::FieldInfo* field : models::fields_of(*row))
    if (field->key == key) return *field;
  throw std::runtime_error("no field " + std::string(key) + " in " + kind);
}

}  // namespace

void set(Component& component, models::Role role, const char* key, const char* text) {
  component.values[key] = parse(info(role, component.kind, key), text);
}

Component as_kind(const Component& from, models::Role role, std::string kind) {
  Component out = component(role, std::move(kind), from.id, {});
  const models::KindInfo& row = *models::find_kind(role, out.kind);
  for (const base::FieldInfo* field : models::fields_of(row))
    if (const Value* value = from.find(field->key)) out.values[std::string(field->key)] = *value;
  return out;
}

Component component(models::Role role, std::string kind, std::string id, Settings settings) {
  Component out;
  out.id = std::move(id);
  out.kind = std::move(kind);
  const models::KindInfo* row = models::find_kind(role, out.kind);
  if (row == nullptr) throw std::runtime_error("no kind " + out.kind);
  for (const auto fields : {row->common, row->fields})
    for (const base::FieldInfo& field : fields)
      if (!field.required() && !field.optional())
        out.values[std::string(field.key)] = parse(field, std::string(field.fallback));
  for (const auto& [key, text] : settings) set(out, role, key, text);
  return out;
}

Design small_design() {
  using models::Role;
  Design design;
  design.id = "small";
  design.hosts.push_back(component(Role::host, "host", "gpu", {{"count", "4"}}));
  design.fabric = component(Role::fabric, "switched", "fabric", {});
  design.storage.push_back(component(Role::storage, "lustre", "scratch", {{"ost.count", "8"}}));
  JobDesign job;
  job.job = component(Role::job, "training", "train",
                      {{"hosts", "gpu"}, {"barrier.base", "0 s"}, {"barrier.per_doubling", "0 s"}});
  job.model = component(Role::model, "dense", "model", {});
  job.step = component(Role::step, "given", "step", {{"compute", "100 ms"}, {"jitter", "0 %"}});
  design.jobs.push_back(job);
  design.run = component(Role::run, "run", "run", {{"duration", "60 s"}, {"replicas", "1"}});
  return design;
}

void save_by_steps(Design& design, const char* mode) {
  for (const auto& [key, text] : Settings{{"stripe.count", "0"},
                                          {"client.stream", "100 GB/s"},
                                          {"mdt.service", "1 ns"},
                                          {"mdt.open", "1000000 Mops/s"},
                                          {"mdt.create", "1000000 Mops/s"}})
    set(design.storage[0], models::Role::storage, key, text);
  design.jobs[0].checkpoint = component(models::Role::checkpoint, mode, "checkpoint",
                                        {{"to", "scratch"},
                                         {"every_steps", "60"},
                                         {"size", "32 GB"},
                                         {"serializer", "none"},
                                         {"restore.read", "own"},
                                         {"restore.deserialize", "1000 TB/s"}});
}

Design one_reader(const char* format, Settings settings, const char* compute, const char* rtt) {
  using models::Role;
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", "1");
  set(design.hosts[0], Role::host, "gpus", "1");
  set(design.fabric, Role::fabric, "rtt", rtt);
  set(design.storage[0], Role::storage, "ost.service", "0 s");
  set(design.storage[0], Role::storage, "mdt.service", "1 ns");
  set(design.storage[0], Role::storage, "mdt.open", "1000 Mops/s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "0.5 GB/s");
  set(design.jobs[0].step, Role::step, "compute", compute);
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, format, "dataset",
                          {{"on", "scratch"},
                           {"samples", "1000000"},
                           {"parse", "1000000 TB/s"},
                           {"parse_fixed", "0 s"}});
  for (const auto& [key, text] : settings) set(*job.dataset, Role::dataset, key, text);
  job.loader = component(Role::loader, "pytorch", "loader",
                         {{"workers", "1"},
                          {"prefetch", "1"},
                          {"start", "0 s"},
                          {"handover", "0 s"},
                          {"copy", "none"},
                          {"batch", "1"}});
  return design;
}

RunResult run(const Design& design, std::uint64_t seed, models::Presumed presumed) {
  const auto context = sim::make_fluid_context();
  return models::Simulation(design, presumed).run(seed, *context);
}

double metric(const RunResult& result, const std::string& name) {
  return result.metrics.at(name).value;
}

}  // namespace stallcast::testing
