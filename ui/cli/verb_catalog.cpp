#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/resolve/component_reader.hpp"
#include "ui/cli/catalog_list.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::cli {
namespace {

using Json = nlohmann::ordered_json;
using models::CatalogueEntry;
using models::CatalogueFigure;
using models::CatalogueFigures;
using models::CatalogueValue;
using models::KindInfo;
using models::RoleInfo;
using report::wrapped;

/// One thing of the list and all that is known of it.
struct Item {
  std::string heading;  ///< of the part of the list it is in
  std::string id;
  std::string summary;  ///< one line
  Json object;
  std::string details;  ///< what `show` prints below id and summary
};

/// One number: "ost.read = 4 GB/s (assumed)", and where it is from.
std::string number_lines(const std::string& what, bool assumption, const std::string& source) {
  return "\n" + wrapped("  ", what + (assumption ? " (assumed)" : ""), 4) +
         (source.empty() ? "" : wrapped("      ", source, 6));
}

std::string read_on(const std::string& source, const std::string& date) {
  return date.empty() ? source : source + "; " + date;
}

// A kind: every field with its default, meaning and source.
Item item_of(const RoleInfo& role, const KindInfo& kind) {
  Item item{"Kinds: what a scenario can describe",
            std::string(role.id) + "/" + std::string(kind.id),
            std::string(kind.summary),
            {},
            {}};
  Json values = Json::array();
  for (const base::FieldInfo* field : models::fields_of(kind)) {
    const std::string key(field->key), fallback(field->fallback);
    const std::string value = field->required()   ? "required"
                              : field->optional() ? "optional"
                                                  : "default " + fallback;
    item.details += number_lines(
        key + ": " + value, field->limits.assumption,
        std::string(field->doc) +
            (field->limits.source.empty() ? "" : "; " + std::string(field->limits.source)));
    values.push_back({{"key", key},
                      {"takes", base::dimension_name(field->dimension)},
                      {"default", fallback},
                      {"doc", field->doc},
                      {"source", field->limits.source},
                      {"assumption", field->limits.assumption}});
  }
  item.object = {{"id", item.id},  {"role", role.id},         {"kind", kind.id},
                 {"what", "kind"}, {"summary", kind.summary}, {"values", std::move(values)}};
  return item;
}

Item item_of(const CatalogueEntry& entry) {
  Item item{"Products: for \"use\" in a scenario", entry.id, entry.summary, {}, {}};
  Json values = Json::array();
  for (const CatalogueValue& v : entry.values) {
    item.details += number_lines(v.key + " = " + v.text, v.assumption, read_on(v.source, v.date));
    values.push_back({{"key", v.key},
                      {"value", v.text},
                      {"source", v.source},
                      {"date", v.date},
                      {"assumption", v.assumption}});
  }
  item.object = {{"id", entry.id},           {"role", models::role_info(entry.role).id},
                 {"kind", entry.kind},       {"what", "product"},
                 {"summary", entry.summary}, {"values", std::move(values)}};
  return item;
}

Item item_of(const CatalogueFigures& entry) {
  Item item{"Figures: " + entry.section, entry.id, entry.name + ": ", {}, {}};
  Json values = Json::array();
  for (const CatalogueFigure& f : entry.values) {
    item.summary += (&f == &entry.values.front() ? "" : ", ") + f.parameter;
    item.details += number_lines(f.parameter + " = " + models::text_of(f), f.assumption,
                                 read_on(f.source + " (" + f.provenance + ")", f.date));
    Json value = {{"key", f.parameter}, {"value", f.value}, {"unit", f.unit}};
    if (f.number) value.update({{"low", f.low}, {"high", f.high}});
    value.update({{"source", f.source},
                  {"date", f.date},
                  {"provenance", f.provenance},
                  {"assumption", f.assumption}});
    values.push_back(std::move(value));
  }
  item.object = {{"id", entry.id},
                 {"what", "figures"},
                 {"section", entry.section},
                 {"name", entry.name},
                 {"values", std::move(values)}};
  return item;
}

std::vector<Item> all_items() {
  std::vector<Item> out;
  for (const RoleInfo& role : models::roles())
    for (const KindInfo& kind : models::kinds(role.role)) out.push_back(item_of(role, kind));
  for (const CatalogueEntry& entry : models::catalogue()) out.push_back(item_of(entry));
  for (const CatalogueFigures& entry : models::figures()) out.push_back(item_of(entry));
  return out;
}

std::string list_text(const std::vector<Item>& items) {
  constexpr std::size_t kIdWidth = 30;
  std::string out;
  std::string heading;
  for (const Item& item : items) {
    if (item.heading != heading) out += (out.empty() ? "" : "\n") + item.heading + "\n";
    heading = item.heading;
    // An id that is too long for its column has its summary on the next line.
    const bool beside = item.id.size() < kIdWidth;
    if (!beside) out += "  " + item.id + "\n";
    out +=
        wrapped("  " + report::left(beside ? item.id : "", kIdWidth), item.summary, kIdWidth + 2);
  }
  return out;
}

int unknown(const std::string& id, const std::vector<Item>& items) {
  std::vector<std::string> ids;
  for (const Item& item : items) ids.push_back(item.id);
  const std::string near = base::nearest(id, ids);
  return report_failure(
      {ExitCode::bad_input, "nothing in the catalogue is named \"" + id + "\"",
       near.empty() ? "\"stallcast catalog list\" lists it" : "did you mean \"" + near + "\"?"});
}

}  // namespace

std::string catalog_json() {
  Json all = Json::array();
  for (const Item& item : all_items()) all.push_back(item.object);
  return all.dump(2) + "\n";
}

int catalog_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string what, id;
  CommandLine line(verb);
  line.positional("ACTION", what, "list (default) or show", false);
  line.positional("ID", id, "what to show, as in host/dgx-h100", false);
  line.text("--format", options.format, "NAME", "text (default) or json");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const bool json = options.format == "json";
  if (!json && options.format != "text")
    return report_failure({ExitCode::bad_input, "catalog has no format \"" + options.format + "\"",
                           "use text or json"});
  const std::vector<Item> items = all_items();
  if (what.empty() || (what == "list" && id.empty()))
    return deliver(options, json ? catalog_json() : list_text(items), ExitCode::ok);
  if (what != "show" || id.empty())
    return report_failure({ExitCode::bad_input, "catalog does not know what to do",
                           "write \"catalog list\" or \"catalog show ID\""});
  for (const Item& item : items)
    if (item.id == id)
      return deliver(options,
                     json ? item.object.dump(2) + "\n"
                          : item.id + "\n" + wrapped("  ", item.summary, 2) + item.details,
                     ExitCode::ok);
  return unknown(id, items);
}

}  // namespace stallcast::cli
