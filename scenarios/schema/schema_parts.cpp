#include "scenarios/schema/schema_parts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "scenarios/resolve/component_reader.hpp"

namespace stallcast::scenarios {
namespace {

using base::FieldInfo;
using base::Json;
using models::KindInfo;
using models::Role;

Json expression() { return {{"type", "string"}, {"pattern", "^="}}; }

constexpr std::string_view kNumber = "[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?";

// Regular expression of number and unit as parse_quantity reads them; spaces are free.
std::string plain_pattern(Dimension dimension, bool with_sign) {
  std::string units;
  for (const std::string_view unit : base::unit_texts(dimension)) {
    if (!units.empty()) units += "|";
    for (const char c : unit) units += c == '$' ? "\\$" : std::string(1, c);
  }
  const std::string number = (with_sign ? "[-+]?" : "\\+?") + std::string(kNumber);
  // A count or a number may be written as a text without a unit ("1e9"); all else needs one.
  const bool plain = dimension == Dimension::count || dimension == Dimension::number;
  std::string pattern = number + "\\s*(" + units + (plain ? ")?" : ")");
  // Durations in parts; that they descend is said when the file is read.
  if (dimension == Dimension::time)
    pattern += "(\\s*" + std::string(kNumber) + "\\s*(" + units + "))*";
  return dimension == Dimension::money ? "(" + pattern + "|\\$\\s*" + number + ")" : pattern;
}

std::string whole(const std::string& pattern) { return "^\\s*" + pattern + "\\s*$"; }

std::string quantity_pattern(Dimension dimension, bool with_sign) {
  const std::string pattern = plain_pattern(dimension, with_sign);
  // a price of the catalogue
  if (dimension == Dimension::money || dimension == Dimension::money_rate ||
      dimension == Dimension::power)
    return whole("(" + pattern + "|catalog:[^\\s].*)");
  return whole(pattern);
}

// "4 GB/s +- 10 %", "4 GB/s +- 500 MB/s"; of a share in its own unit, which is "%" as well.
std::string tolerance_pattern(Dimension dimension, bool with_sign) {
  std::string amount = plain_pattern(dimension, false);
  if (dimension != Dimension::ratio)
    amount = "(" + amount + "|" + plain_pattern(Dimension::ratio, false) + ")";
  return whole(plain_pattern(dimension, with_sign) + "\\s*(\\+-|\u00b1)\\s*" + amount);
}

// A value that says how sure it is: with a tolerance, as a ceiling, or with both ends.
Json ranged_definition(Dimension dimension, bool with_sign, const Json& exact) {
  Json number = exact;
  if (dimension == Dimension::count || dimension == Dimension::number) {
    Json bare = {{"type", dimension == Dimension::count ? "integer" : "number"}};
    if (!with_sign) bare["minimum"] = 0;
    number = {{"anyOf", Json::array({std::move(bare), exact})}};
  }
  Json ends = closed_object({{"value", number},
                             {"low", number},
                             {"high", number},
                             {"why", {{"type", {"string", "null"}}}}});
  ends["required"] = {"value", "low", "high"};
  Json any = Json::array(
      {exact, {{"type", "string"}, {"pattern", tolerance_pattern(dimension, with_sign)}}});
  if (dimension == Dimension::rate || dimension == Dimension::op_rate)
    any.push_back({{"type", "string"},
                   {"pattern", whole("up to\\s+" + plain_pattern(dimension, with_sign))}});
  any.push_back(std::move(ends));
  return {{"anyOf", std::move(any)}};
}

std::string quantity_name(Dimension dimension, bool with_sign) {
  std::string name(base::dimension_name(dimension));  // "a rate"
  std::replace(name.begin(), name.end(), ' ', '-');
  return name + (with_sign ? "-or-less-than-zero" : "");
}

constexpr std::string_view kWithRange = "-with-range";

// Quantities are defined once.
Json reference(const FieldInfo& field, Ranges ranges) {
  return {{"$ref", "#/definitions/" +
                       quantity_name(field.dimension, !(field.limits.minimum >= 0.0)) +
                       std::string(ranges == Ranges::allowed ? kWithRange : "")}};
}

Json number_schema(const FieldInfo& field, Ranges ranges) {
  Json number = {{"type", field.dimension == Dimension::count ? "integer" : "number"}};
  const double low = field.dimension == Dimension::count ? std::max(field.limits.minimum, 0.0)
                                                         : field.limits.minimum;
  if (std::isfinite(low)) number[field.limits.above_minimum ? "exclusiveMinimum" : "minimum"] = low;
  if (std::isfinite(field.limits.maximum)) number["maximum"] = field.limits.maximum;
  return {{"anyOf", Json::array({number, reference(field, ranges)})}};
}

Json choice_schema(const FieldInfo& field) {
  if (field.limits.choices.empty()) return {{"type", "string"}};
  Json choices = Json::array();
  for (const std::string_view choice : field.limits.choices) choices.push_back(choice);
  return text_or_expression({{"enum", std::move(choices)}});
}

std::string describe(const FieldInfo& field) {
  std::string out(field.doc);
  if (!field.limits.deprecated.empty())
    out += ". Deprecated since " + std::string(field.limits.deprecated) + ": " +
           std::string(field.limits.instead);
  if (field.required()) return out + ". Required";
  if (field.optional()) return out;
  out += ". Default: " + std::string(field.fallback);
  if (!field.limits.source.empty()) out += " (" + std::string(field.limits.source) + ")";
  if (field.limits.assumption) out += " [assumption]";
  return out;
}

// Texts of products of one kind; all kinds of the role when `kind` is empty.
Json product_ids(Role role, std::string_view kind) {
  Json out = Json::array();
  for (const models::CatalogueEntry& entry : models::catalogue())
    if (entry.role == role && (kind.empty() || entry.kind == kind)) out.push_back(entry.id);
  return out;
}

// True when every product of the kind gives the field: then `use` is enough.
bool given_by_products(Role role, std::string_view kind, std::string_view key) {
  bool any = false;
  for (const models::CatalogueEntry& entry : models::catalogue()) {
    if (entry.role != role || entry.kind != kind) continue;
    any = true;
    if (std::none_of(entry.values.begin(), entry.values.end(),
                     [&](const models::CatalogueValue& v) { return v.key == key; }))
      return false;
  }
  return any;
}

// The object `properties` sits in, made of closed objects all the way down to the dotted key.
Json& object_of(Json& object, std::span<const std::string> path) {
  Json* at = &object;
  for (const std::string& part : path) {
    Json& inner = (*at)["properties"][part];
    if (inner.is_null()) inner = closed_object(Json::object());
    at = &inner;
  }
  return *at;
}

// {"required": [...]} with nested objects for dotted keys, null when nothing is.
void require(Json& rule, std::span<const std::string> path) {
  Json* at = &rule;
  for (std::size_t i = 0; i < path.size(); ++i) {
    Json& required = (*at)["required"];
    if (std::find(required.begin(), required.end(), Json(path[i])) == required.end())
      required.push_back(path[i]);
    if (i + 1 < path.size()) at = &(*at)["properties"][path[i]];
  }
}

// Null stands for "left out" everywhere but where something is required.
void allow_null(Json& object) {
  for (auto& [key, child] : object["properties"].items()) {
    if (child.contains("additionalProperties")) allow_null(child);
    child = or_null(child);
  }
}

Json kind_schema(const ComponentSchema& component, const KindInfo& kind, SchemaForm form) {
  Json object = closed_object(component.parts);
  object["description"] = kind.summary;
  Json always = Json::object();
  Json without_product = Json::object();
  Json required_leaves = Json::array();
  for (const FieldInfo* field : models::fields_of(kind)) {
    const std::vector<std::string> path = base::split(field->key, '.');
    Json& inner = object_of(object, std::span(path).first(path.size() - 1));
    inner["properties"][path.back()] = field_schema(*field, Ranges::allowed);
    if (field->required())
      require(given_by_products(component.role, kind.id, field->key) ? without_product : always,
              path);
  }
  for (const Json& part : component.required_parts)
    require(always, std::vector<std::string>{part.get<std::string>()});
  allow_null(object);
  // a patch that switches the kind leaves out what only another kind has
  for (const KindInfo& other : models::kinds(component.role))
    for (const FieldInfo* field : models::fields_of(other)) {
      Json& key = object["properties"][std::string(field->key.substr(0, field->key.find('.')))];
      if (key.is_null()) key = {{"type", "null"}};
    }
  if (form == SchemaForm::part) return object;
  if (!always.empty()) object["allOf"].push_back(always);
  if (!without_product.empty())
    object["allOf"].push_back({{"if", {{"required", {"use"}}}},
                               {"then", Json::object()},
                               {"else", std::move(without_product)}});
  return object;
}

}  // namespace

Json closed_object(Json properties) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"patternProperties", {{"^x-", true}}},
          {"additionalProperties", false}};
}

Json text_or_expression(Json text) {
  return {{"anyOf", Json::array({std::move(text), expression()})}};
}

Json or_null(Json schema) {
  Json out = {{"anyOf", Json::array({std::move(schema), {{"type", "null"}}})}};
  // Editors show the description that stands outside.
  Json& inner = out["anyOf"][0];
  if (const auto it = inner.find("description"); it != inner.end()) {
    const Json description = *it;
    inner.erase("description");
    out["description"] = description;
  }
  return out;
}

Json quantity_definitions() {
  Json out = Json::object();
  for (int i = 0; i <= static_cast<int>(Dimension::power); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    if (base::unit_texts(dimension).empty()) continue;
    for (const bool with_sign : {false, true}) {
      const std::string name = quantity_name(dimension, with_sign);
      out[name] = text_or_expression(
          {{"type", "string"}, {"pattern", quantity_pattern(dimension, with_sign)}});
      out[name + std::string(kWithRange)] =
          ranged_definition(dimension, with_sign, {{"$ref", "#/definitions/" + name}});
    }
  }
  return out;
}

Json field_schema(const FieldInfo& field, Ranges ranges) {
  Json out;
  switch (field.dimension) {
    case Dimension::count:
    case Dimension::number:
      out = number_schema(field, ranges);
      break;
    case Dimension::boolean:
      out = {{"type", "boolean"}};
      break;
    case Dimension::text:
      out = choice_schema(field);
      break;
    case Dimension::text_list:
      out = {{"type", "array"}, {"items", choice_schema(field)}};
      break;
    default:
      out = {{"allOf", Json::array({reference(field, ranges)})}};
  }
  out["description"] = describe(field);
  if (!field.limits.deprecated.empty()) {  // "deprecated" is of a later draft: editors know both
    out["deprecated"] = true;
    out["deprecationMessage"] = field.limits.instead;
  }
  return out;
}

bool must_be_given(Role role) {
  const auto fields = models::fields_of(*models::find_kind(role, models::role_info(role).fallback));
  return std::any_of(fields.begin(), fields.end(),
                     [](const FieldInfo* field) { return field->required(); });
}

Json component_schema(const ComponentSchema& component, SchemaForm form) {
  const models::RoleInfo& role = models::role_info(component.role);
  ComponentSchema own = component;
  Json common = Json::object();
  common["use"] = text_or_expression({{"enum", product_ids(role.role, "")}});
  common["use"]["description"] = "product of the catalogue whose values come first";
  if (component.has_id) {
    common["id"] = {{"type", "string"},
                    {"pattern", "^[^][.*/ \\t\\n\"=]+$|^="},
                    {"description", "name, part of metric names and of --set paths"}};
  }
  if (!role.selector.empty()) {
    Json ids = Json::array();
    for (const KindInfo& kind : models::kinds(role.role)) ids.push_back(kind.id);
    common[std::string(role.selector)] = text_or_expression({{"enum", std::move(ids)}});
    common[std::string(role.selector)]["description"] = "kind of " + std::string(role.id);
  }
  for (const auto& [key, node] : component.parts.items()) common[key] = node;
  own.parts = std::move(common);

  const auto kinds = models::kinds(role.role);
  if (role.selector.empty()) return kind_schema(own, kinds.front(), form);
  const std::string selector(role.selector);
  if (form == SchemaForm::part) {
    Json any = Json::array();
    for (const KindInfo& kind : kinds) any.push_back(kind_schema(own, kind, form));
    return {{"anyOf", std::move(any)}};
  }
  // The kind follows from the selector, else from the product, else it is the usual one.
  Json out = {{"type", "object"},
              {"properties", {{selector, own.parts[selector]}, {"use", own.parts["use"]}}}};
  if (role.fallback.empty())
    out["anyOf"] = Json::array({{{"required", {selector}}}, {{"required", {"use"}}}});
  for (const KindInfo& kind : kinds) {
    Json when = Json::array();
    when.push_back({{"required", {selector}}, {"properties", {{selector, {{"const", kind.id}}}}}});
    const Json without = {{"not", {{"required", {selector}}}}};
    when.push_back(
        {{"allOf", Json::array({without,
                                {{"required", {"use"}},
                                 {"properties",
                                  {{"use", {{"enum", product_ids(role.role, kind.id)}}}}}}})}});
    if (when[1]["allOf"][1]["properties"]["use"]["enum"].empty()) when.erase(1);
    if (kind.id == role.fallback)
      when.push_back({{"allOf", Json::array({without, {{"not", {{"required", {"use"}}}}}})}});
    Json test = Json::object();
    test["anyOf"] = std::move(when);
    Json rule = Json::object();
    rule["if"] = std::move(test);
    rule["then"] = kind_schema(own, kind, form);
    out["allOf"].push_back(std::move(rule));
  }
  return out;
}

}  // namespace stallcast::scenarios
