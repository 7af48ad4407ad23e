#include "scenarios/schema/schema.hpp"

#include "scenarios/questions/growth_reader.hpp"
#include "scenarios/questions/plan_reader.hpp"
#include "scenarios/schema/schema_parts.hpp"
#include "stallcast/format.hpp"

namespace stallcast::scenarios {
namespace {

using base::Json;
using models::Role;

Json text(std::string_view description) {
  return {{"type", "string"}, {"description", description}};
}

Json list_of(Json item, bool at_least_one) {
  Json out = {{"type", "array"}, {"items", std::move(item)}};
  if (at_least_one) out["minItems"] = 1;
  return out;
}

Json params_schema() {
  const Json number = {{"anyOf", Json::array({{{"type", "number"}},
                                              {{"type", "string"}, {"pattern", "^[-+]?[0-9.]"}},
                                              {{"type", "null"}}})}};
  Json named = closed_object({{"value", {{"type", {"number", "string"}}}},
                              {"min", number},
                              {"max", number},
                              {"step", number},
                              {"doc", or_null({{"type", "string"}})}});
  named["required"] = {"value"};
  Json out = {{"type", "object"},
              {"description", "named values, used as \"=name\" or \"=2 * name\""},
              {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$|^x-"}}},
              {"patternProperties", {{"^x-", true}}}};
  out["additionalProperties"] = {
      {"anyOf", Json::array({{{"type", {"number", "string", "null"}}}, named})}};
  return out;
}

Json expect_schema(SchemaForm form) {
  Json item = closed_object(
      {{"id", or_null({{"type", "string"}})},
       {"that",
        {{"type", "string"},
         {"pattern", "[<>=]| in "},
         {"description", "\"job.train.gpu.utilization >= 95 %\""}}},
       {"level", or_null(text_or_expression({{"enum", {"error", "warn"}}}))},
       {"why", or_null(text("shown when it fails"))},
       {"confidence", or_null(text("\"90 %\": in how many of all cases it must hold, by draws"))},
       {"waive", or_null(text("why \"check\" accepts that it fails for now"))},
       {"until", or_null({{"type", "string"},
                          {"pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
                          {"description", "last day of the waiver"}})}});
  item["dependencies"] = {{"waive", {"until"}}, {"until", {"waive"}}};
  if (form == SchemaForm::complete) item["required"] = {"that"};
  return or_null(list_of(std::move(item), false));
}

Json sweep_schema() {
  Json range = closed_object({{"from", true},
                              {"to", true},
                              {"n", true},
                              {"scale", or_null({{"enum", {"lin", "log"}}})},
                              {"step", true}});
  range["required"] = {"from", "to"};  // samples need no n
  Json out = {{"type", "object"},
              {"description", "paths and the values they take"},
              {"properties",
               {{"mode", or_null({{"type", "string"},
                                  {"pattern", "^(product|zip|(latin|sobol):[1-9][0-9]*)$"}})}}},
              {"patternProperties", {{"^x-", true}}}};
  Json values = {{"type", "array"}, {"minItems", 1}};
  out["additionalProperties"] = {{"anyOf", Json::array({values, range, {{"type", "null"}}})}};
  return or_null(std::move(out));
}

Json cluster_schema(SchemaForm form) {
  const Json host = component_schema({.role = Role::host, .has_id = true}, form);
  Json fabric = component_schema({.role = Role::fabric}, form);
  Json out = closed_object({{"hosts", list_of(host, form == SchemaForm::complete)},
                            {"fabric", or_null(std::move(fabric))}});
  if (form == SchemaForm::complete) out["required"] = {"hosts"};
  return out;
}

Json job_schema(SchemaForm form) {
  ComponentSchema job{.role = Role::job, .has_id = true};
  for (const Role role : {Role::model, Role::step, Role::dataset, Role::loader, Role::checkpoint,
                          Role::communication, Role::recovery, Role::elastic}) {
    const std::string id(models::role_info(role).id);
    job.parts[id] = component_schema({.role = role}, form);
    const bool always = role == Role::model || role == Role::step;
    if (always && must_be_given(role)) job.required_parts.push_back(id);
  }
  return component_schema(job, form);
}

/// An object whose list of `key` is not empty.
Json has_some(const char* key) {
  return {{"required", {key}}, {"properties", {{key, {{"type", "array"}, {"minItems", 1}}}}}};
}

/// The same, and one that says how long it lasts: nothing else would end it.
Json runs_for(const char* key) {
  Json out = has_some(key);
  out["required"].push_back("run");
  out["properties"]["run"] = {{"type", "object"}, {"required", {"duration"}}};
  return out;
}

std::string storage_name(SchemaForm form) {
  return form == SchemaForm::complete ? "storage" : "storage-part";
}

Json plan_schema() {
  Json object = closed_object(Json::object());
  for (const base::FieldInfo& field : plan_fields())
    object["properties"][std::string(field.key)] = or_null(field_schema(field, Ranges::none));
  const Json any_text = {{"type", "string"}};
  object["properties"]["survive"] = {
      {"anyOf", Json::array({any_text, object["properties"]["survive"]})}};
  Json range = closed_object({{"from", true},
                              {"to", true},
                              {"n", or_null({{"type", "integer"}, {"minimum", 1}})},
                              {"scale", or_null({{"enum", {"lin", "log"}}})},
                              {"step", or_null({{"type", "number"}, {"exclusiveMinimum", 0}})},
                              {"unit", or_null({{"type", "integer"}, {"minimum", 1}})}});
  range["dependencies"] = {{"from", {"to"}}, {"to", {"from"}}};
  const Json values = {{"type", "array"}, {"minItems", 1}};
  const Json paths = {
      {"type", "object"},
      {"patternProperties", {{"^x-", true}}},
      {"additionalProperties", {{"anyOf", Json::array({values, range, {{"type", "null"}}})}}}};
  const Json names = {{"type", "array"}, {"items", any_text}};
  object["properties"]["over"] =
      or_null({{"description", "what is searched: names of counts, paths, parameters"},
               {"anyOf", Json::array({any_text, names, paths})}});
  object["description"] = "what \"stallcast plan\" searches, and for what";
  return or_null(std::move(object));
}

Json growth_schema() {
  Json object = closed_object(Json::object());
  for (const base::FieldInfo& field : growth_fields())
    object["properties"][std::string(field.key)] = or_null(field_schema(field, Ranges::none));
  const Json trend = {{"type", "string"}, {"description", std::string(kTrendForms)}};
  const Json steps = {{"type", "object"},
                      {"description", "what it is from which month on"},
                      {"minProperties", 1},
                      {"patternProperties", {{"^[0-9]+$", {{"type", {"string", "number"}}}}}},
                      {"additionalProperties", false}};
  object["properties"]["of"] = or_null(
      {{"type", "object"},
       {"description", "values by their path, and how each grows"},
       {"patternProperties", {{"^x-", true}}},
       {"additionalProperties", {{"anyOf", Json::array({trend, steps, {{"type", "null"}}})}}}});
  object["description"] = "how demand and the plant grow, for \"stallcast grow\"";
  return or_null(std::move(object));
}

Json scenario_schema(SchemaForm form) {
  const bool complete = form == SchemaForm::complete;
  const Json storage = {{"$ref", "#/definitions/" + storage_name(form)}};
  const Json extends = {
      {"anyOf", Json::array({{{"type", "string"}}, list_of({{"type", "string"}}, false)})},
      {"description", "files or \"catalog:\" entries this scenario is built on"}};
  const Json variants = {{"type", "object"},
                         {"description", "variants: patches of this scenario"},
                         {"patternProperties", {{"^x-", true}}},
                         {"additionalProperties", {{"$ref", "#/definitions/part"}}}};
  Json properties = Json::object();
  properties["$schema"] = or_null(text("this schema"));
  properties["id"] = or_null(text("name of the scenario"));
  properties["description"] = or_null(text("what it is about"));
  properties["extends"] = or_null(extends);
  properties["params"] = or_null(params_schema());
  properties["cluster"] = cluster_schema(form);
  properties["storage"] = {
      {"anyOf", Json::array({storage, list_of(storage, false), {{"type", "null"}}})}};
  properties["jobs"] = or_null(list_of(job_schema(form), false));
  for (const auto& [key, role] :
       {std::pair{"tenants", Role::tenant}, {"stages", Role::stage}, {"failures", Role::failure}})
    properties[key] =
        or_null(list_of(component_schema({.role = role, .has_id = true}, form), false));
  properties["run"] = or_null(component_schema({.role = Role::run}, form));
  properties["expect"] = expect_schema(form);
  properties["scenarios"] = or_null(variants);
  properties["sweep"] = sweep_schema();
  properties["plan"] = plan_schema();
  properties["growth"] = growth_schema();
  if (!complete) properties["cluster"] = or_null(properties["cluster"]);
  Json out = closed_object(std::move(properties));
  if (complete) out["required"] = {"cluster"};
  if (complete)
    out["anyOf"] = Json::array({has_some("jobs"), has_some("stages"), runs_for("tenants")});
  return out;
}

}  // namespace

std::string schema() {
  Json out = Json::object();
  out["$schema"] = "http://json-schema.org/draft-07/schema#";
  out["$id"] = "urn:stallcast:schema:scenario:" + std::string(kScenarioFormat);
  out["title"] = "Stallcast scenario";
  out["type"] = "object";
  out["if"] = {{"required", {"extends"}}};
  out["then"] = {{"$ref", "#/definitions/part"}};
  out["else"] = {{"$ref", "#/definitions/complete"}};
  out["definitions"] = quantity_definitions();
  for (const SchemaForm form : {SchemaForm::complete, SchemaForm::part})
    out["definitions"][storage_name(form)] =
        component_schema({.role = Role::storage, .has_id = true}, form);
  out["definitions"]["complete"] = scenario_schema(SchemaForm::complete);
  out["definitions"]["part"] = or_null(scenario_schema(SchemaForm::part));
  return out.dump(1) + "\n";
}

}  // namespace stallcast::scenarios
