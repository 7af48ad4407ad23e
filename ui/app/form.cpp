#include "ui/app/form.hpp"

#include <utility>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "models/contract/field_groups.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/library/templates.hpp"
#include "scenarios/rules/rules.hpp"
#include "scenarios/scenario_builder.hpp"

namespace stallcast::client {
namespace {

using models::Role;

/// "/ost/read" of "ost.read".
std::string pointer_of(std::string_view key) {
  std::string out;
  for (const std::string& word : base::split(key, '.')) out += "/" + word;
  return out;
}

/// The text of a value that may be an object with a range.
std::string text_of(const base::Json& node) {
  if (node.is_string()) return node.get<std::string>();
  const auto value = node.is_object() ? node.find("value") : node.end();
  return value != node.end() && value->is_string() ? value->get<std::string>() : std::string();
}

/// As it is written where it comes from.
std::string written(const Scenario& scenario, const Component& component,
                    const base::FieldInfo& info, const Value& value) {
  using Kind = Source::Kind;
  switch (value.source.kind) {
    case Kind::scenario:
    case Kind::set_option: {
      const base::Json* node =
          ScenarioBuilder::written_at(scenario, component.pointer + pointer_of(info.key));
      return node == nullptr ? std::string() : text_of(*node);
    }
    case Kind::catalogue:
      if (const models::CatalogueEntry* entry = models::find_product(component.product))
        for (const models::CatalogueValue& figure : entry->values)
          if (figure.key == info.key) return std::string(figure.text);
      return {};
    case Kind::default_value:
      return std::string(info.fallback);
    case Kind::expression:
    case Kind::profile:
      return {};
  }
  return {};
}

FormField form_field(const Scenario& scenario, Role role, const models::KindInfo& kind,
                     const base::FieldInfo& info, const Component& component) {
  FormField out{.key = std::string(info.key),
                .dimension = info.dimension,
                .fallback = info.optional() ? "" : std::string(info.fallback),
                .optional = info.optional(),
                .doc = std::string(info.doc),
                .minimum = info.limits.minimum,
                .maximum = info.limits.maximum,
                .group = static_cast<int>(models::group_of(role, kind, info))};
  for (const std::string_view choice : info.limits.choices) out.choices.emplace_back(choice);
  if (const Value* value = component.find(info.key)) {
    out.value = *value;
    out.written = written(scenario, component, info, *value);
  }
  return out;
}

FormPart form_part(const Scenario& scenario, Role role, std::string path,
                   const Component& component) {
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
  for (const base::FieldInfo* field : models::fields_of(*kind))
    out.fields.push_back(form_field(scenario, role, *kind, *field, component));
  return out;
}

void add_storage(const Scenario& scenario, const Component& storage, std::vector<FormPart>& out) {
  out.push_back(form_part(scenario, Role::storage, "storage[" + storage.id + "]", storage));
  out.back().is_read = scenarios::is_read(scenario.design(), storage.id);
  out.back().is_written = scenarios::is_written(scenario.design(), storage.id);
}

void add_job(const Scenario& scenario, const JobDesign& job, std::vector<FormPart>& out) {
  const std::string at = "jobs[" + job.job.id + "]";
  out.push_back(form_part(scenario, Role::job, at, job.job));
  out.push_back(form_part(scenario, Role::model, at + ".model", job.model));
  out.push_back(form_part(scenario, Role::step, at + ".step", job.step));
  const std::pair<Role, const std::optional<Component>*> parts[] = {
      {Role::dataset, &job.dataset},       {Role::loader, &job.loader},
      {Role::checkpoint, &job.checkpoint}, {Role::communication, &job.communication},
      {Role::recovery, &job.recovery},     {Role::elastic, &job.elastic}};
  for (const auto& [role, part] : parts)
    if (part->has_value())
      out.push_back(
          form_part(scenario, role, at + "." + std::string(models::role_info(role).id), **part));
}

}  // namespace

Form form(const Scenario& scenario) {
  const Design& design = scenario.design();
  Form out;
  for (const Component& c : design.hosts)
    out.parts.push_back(form_part(scenario, Role::host, "cluster.hosts[" + c.id + "]", c));
  out.parts.push_back(form_part(scenario, Role::fabric, "cluster.fabric", design.fabric));
  for (const Component& c : design.storage) add_storage(scenario, c, out.parts);
  for (const JobDesign& job : design.jobs) add_job(scenario, job, out.parts);
  for (const Component& c : design.tenants)
    out.parts.push_back(form_part(scenario, Role::tenant, "tenants[" + c.id + "]", c));
  for (const Component& c : design.stages)
    out.parts.push_back(form_part(scenario, Role::stage, "stages[" + c.id + "]", c));
  for (const Component& c : design.failures)
    out.parts.push_back(form_part(scenario, Role::failure, "failures[" + c.id + "]", c));
  out.parts.push_back(form_part(scenario, Role::run, "run", design.run));
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

bool FormField::is_of_costs() const { return group == static_cast<int>(models::FieldGroup::cost); }

std::span<const std::string_view> field_groups() { return models::group_titles(); }

std::string write_quantity(double base_value, Dimension dimension, std::string_view like) {
  return base::exact_quantity_like(base_value, dimension, like);
}

double unit_of(std::string_view text, Dimension dimension) {
  return base::unit_of_text(text, dimension).value_or(1.0);
}

double in_unit_of(double number, std::string_view text, Dimension dimension) {
  return base::in_unit_of_text(number, text, dimension);
}

std::string print_quantity(double base_value, Dimension dimension) {
  return base::print_quantity(base_value, dimension);
}

Dimension dimension_of(std::string_view text) {
  const auto read = base::parse_any_quantity(text);
  return read ? read->dimension : Dimension::number;
}

ReadQuantity read_quantity(std::string_view text, Dimension dimension) {
  base::ParsedQuantity parsed = base::parse_quantity(text, dimension);
  return {parsed.value, std::move(parsed.message), std::move(parsed.hint)};
}

}  // namespace stallcast::client
