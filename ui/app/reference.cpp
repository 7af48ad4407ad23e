#include "ui/app/reference.hpp"

#include <utility>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/resolve/print_resolved.hpp"
#include "scenarios/schema/schema.hpp"

namespace stallcast::client {
namespace {

using base::Json;
using Entry = std::pair<CatalogueItem, Json>;

std::string read_on(const std::string& source, const std::string& date) {
  return date.empty() ? source : source + "; " + date;
}

/// A kind: every field with its default, meaning and source.
Entry entry_of(const models::RoleInfo& role, const models::KindInfo& kind) {
  CatalogueItem item{"Kinds: what a scenario can describe",
                     std::string(role.id) + "/" + std::string(kind.id),
                     std::string(kind.summary),
                     {},
                     {}};
  Json values = Json::array();
  for (const base::FieldInfo* field : models::fields_of(kind)) {
    const std::string key(field->key), fallback(field->fallback), source(field->limits.source);
    const std::string value = field->required()   ? "required"
                              : field->optional() ? "optional"
                                                  : "default " + fallback;
    item.numbers.push_back({key + ": " + value, field->limits.assumption,
                            std::string(field->doc) + (source.empty() ? "" : "; " + source)});
    values.push_back({{"key", key},
                      {"takes", base::dimension_name(field->dimension)},
                      {"default", fallback},
                      {"doc", field->doc},
                      {"source", source},
                      {"assumption", field->limits.assumption}});
  }
  Json object = {{"id", item.id},  {"role", role.id},         {"kind", kind.id},
                 {"what", "kind"}, {"summary", kind.summary}, {"values", std::move(values)}};
  return {std::move(item), std::move(object)};
}

Entry entry_of(const models::CatalogueEntry& product) {
  CatalogueItem item{"Products: for \"use\" in a scenario", product.id, product.summary, {}, {}};
  Json values = Json::array();
  for (const models::CatalogueValue& v : product.values) {
    item.numbers.push_back({v.key + " = " + v.text, v.assumption, read_on(v.source, v.date)});
    values.push_back({{"key", v.key},
                      {"value", v.text},
                      {"source", v.source},
                      {"date", v.date},
                      {"assumption", v.assumption}});
  }
  Json object = {{"id", product.id},           {"role", models::role_info(product.role).id},
                 {"kind", product.kind},       {"what", "product"},
                 {"summary", product.summary}, {"values", std::move(values)}};
  return {std::move(item), std::move(object)};
}

Entry entry_of(const models::CatalogueFigures& figures) {
  CatalogueItem item{"Figures: " + figures.section, figures.id, figures.name + ": ", {}, {}};
  Json values = Json::array();
  for (const models::CatalogueFigure& f : figures.values) {
    item.summary += (&f == &figures.values.front() ? "" : ", ") + f.parameter;
    item.numbers.push_back({f.parameter + " = " + models::text_of(f), f.assumption,
                            read_on(f.source + " (" + f.provenance + ")", f.date)});
    Json value = {{"key", f.parameter}, {"value", f.value}, {"unit", f.unit}};
    if (f.number) value.update({{"low", f.low}, {"high", f.high}});
    value.update({{"source", f.source},
                  {"date", f.date},
                  {"provenance", f.provenance},
                  {"assumption", f.assumption}});
    values.push_back(std::move(value));
  }
  Json object = {{"id", figures.id},
                 {"what", "figures"},
                 {"section", figures.section},
                 {"name", figures.name},
                 {"values", std::move(values)}};
  return {std::move(item), std::move(object)};
}

std::vector<Entry> all_entries() {
  std::vector<Entry> out;
  for (const models::RoleInfo& role : models::roles())
    for (const models::KindInfo& kind : models::kinds(role.role))
      out.push_back(entry_of(role, kind));
  for (const models::CatalogueEntry& product : models::catalogue())
    out.push_back(entry_of(product));
  for (const models::CatalogueFigures& figures : models::figures())
    out.push_back(entry_of(figures));
  return out;
}

}  // namespace

std::string scenario_schema() { return scenarios::schema(); }

std::string field_reference() { return scenarios::reference(); }

std::string resolved(const Design& design, bool provenance) {
  return scenarios::print_resolved(design, provenance);
}

std::vector<CatalogueItem> catalogue_items() {
  std::vector<CatalogueItem> out;
  for (auto& [item, object] : all_entries()) {
    out.push_back(std::move(item));
    out.back().json = object.dump(2) + "\n";
  }
  return out;
}

std::string catalogue_json() {
  Json all = Json::array();
  for (auto& [item, object] : all_entries()) all.push_back(std::move(object));
  return all.dump(2) + "\n";
}

}  // namespace stallcast::client
