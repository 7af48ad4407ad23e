#include "ui/app/form.hpp"

#include <utility>

#include "engine/base/quantity_text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/library/templates.hpp"

namespace stallcast::client {
namespace {

using models::Role;

FormField form_field(const base::FieldInfo& info, const Component& component) {
  FormField out{.key = std::string(info.key),
                .dimension = info.dimension,
                .fallback = info.optional() ? "" : std::string(info.fallback),
                .optional = info.optional(),
                .doc = std::string(info.doc),
                .minimum = info.limits.minimum,
                .maximum = info.limits.maximum};
  for (const std::string_view choice : info.limits.choices) out.choices.emplace_back(choice);
  if (const Value* value = component.find(info.key)) out.value = *value;
  return out;
}

FormPart form_part(Role role, std::string path, const Component& component) {
  const models::RoleInfo& info = models::role_info(role);
  FormPart out{.path = std::move(path),
               .role = std::string(info.id),
               .kind = component.kind,
               .selector = std::string(info.selector),
               .product = component.product,
               .summary = ""};
  for (const models::KindInfo& kind : models::kinds(role)) out.kinds.emplace_back(kind.id);
  const models::KindInfo* kind = models::find_kind(role, component.kind);
  if (kind == nullptr) return out;
  out.summary = kind->summary;
  for (const auto& table : {kind->common, kind->fields})
    for (const base::FieldInfo& field : table) out.fields.push_back(form_field(field, component));
  return out;
}

void add_job(const JobDesign& job, std::vector<FormPart>& out) {
  const std::string at = "jobs[" + job.job.id + "]";
  out.push_back(form_part(Role::job, at, job.job));
  out.push_back(form_part(Role::model, at + ".model", job.model));
  out.push_back(form_part(Role::step, at + ".step", job.step));
  const std::pair<Role, const std::optional<Component>*> parts[] = {
      {Role::dataset, &job.dataset},       {Role::loader, &job.loader},
      {Role::checkpoint, &job.checkpoint}, {Role::communication, &job.communication},
      {Role::recovery, &job.recovery},     {Role::elastic, &job.elastic}};
  for (const auto& [role, part] : parts)
    if (part->has_value())
      out.push_back(form_part(role, at + "." + std::string(models::role_info(role).id), **part));
}

}  // namespace

Form form(const Scenario& scenario) {
  const Design& design = scenario.design();
  Form out;
  for (const Component& c : design.hosts)
    out.parts.push_back(form_part(Role::host, "cluster.hosts[" + c.id + "]", c));
  out.parts.push_back(form_part(Role::fabric, "cluster.fabric", design.fabric));
  for (const Component& c : design.storage)
    out.parts.push_back(form_part(Role::storage, "storage[" + c.id + "]", c));
  for (const JobDesign& job : design.jobs) add_job(job, out.parts);
  for (const Component& c : design.tenants)
    out.parts.push_back(form_part(Role::tenant, "tenants[" + c.id + "]", c));
  for (const Component& c : design.stages)
    out.parts.push_back(form_part(Role::stage, "stages[" + c.id + "]", c));
  for (const Component& c : design.failures)
    out.parts.push_back(form_part(Role::failure, "failures[" + c.id + "]", c));
  out.parts.push_back(form_part(Role::run, "run", design.run));
  out.parameters.assign(scenario.parameters().begin(), scenario.parameters().end());
  out.variants.assign(scenario.variants().begin(), scenario.variants().end());
  return out;
}

std::vector<Product> products() {
  std::vector<Product> out;
  for (const models::CatalogueEntry& entry : models::catalogue()) {
    Product product{.id = entry.id,
                    .role = std::string(models::role_info(entry.role).id),
                    .kind = entry.kind,
                    .summary = entry.summary,
                    .figures = {}};
    for (const models::CatalogueValue& v : entry.values)
      product.figures.push_back({v.key, v.text, v.source, v.date, v.assumption});
    out.push_back(std::move(product));
  }
  return out;
}

std::vector<StartingPoint> starting_points() {
  std::vector<StartingPoint> out;
  for (const scenarios::Template& t : scenarios::templates())
    out.push_back({std::string(t.name), std::string(t.summary), std::string(t.text)});
  return out;
}

std::string write_quantity(double base_value, Dimension dimension) {
  return base::exact_quantity(base_value, dimension);
}

std::string print_quantity(double base_value, Dimension dimension) {
  return base::print_quantity(base_value, dimension);
}

ReadQuantity read_quantity(std::string_view text, Dimension dimension) {
  base::ParsedQuantity parsed = base::parse_quantity(text, dimension);
  return {parsed.value, std::move(parsed.message), std::move(parsed.hint)};
}

}  // namespace stallcast::client
