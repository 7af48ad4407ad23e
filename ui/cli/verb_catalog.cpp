#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::cli {
namespace {

using Json = nlohmann::ordered_json;
using models::CatalogueEntry;
using models::CatalogueValue;

Json entry_object(const CatalogueEntry& entry) {
  Json values = Json::array();
  for (const CatalogueValue& v : entry.values)
    values.push_back({{"key", v.key},
                      {"value", v.text},
                      {"source", v.source},
                      {"date", v.date},
                      {"assumption", v.assumption}});
  return {{"id", entry.id},
          {"role", models::role_info(entry.role).id},
          {"kind", entry.kind},
          {"summary", entry.summary},
          {"values", std::move(values)}};
}

std::string entry_text(const CatalogueEntry& entry) {
  using report::wrapped;
  std::string out = entry.id + " (" + entry.kind + ")\n" + wrapped("  ", entry.summary, 2);
  for (const CatalogueValue& v : entry.values) {
    out += "\n" + wrapped("  ", v.key + " = " + v.text + (v.assumption ? " (assumed)" : ""), 4);
    out += wrapped("      ", v.source + (v.date.empty() ? "" : ", read " + v.date), 6);
  }
  return out;
}

std::string list_text() {
  std::string out;
  for (const CatalogueEntry& entry : models::catalogue())
    out += entry.id + "\n    " + entry.summary + "\n";
  return out;
}

int unknown(const std::string& id) {
  std::vector<std::string> ids;
  for (const CatalogueEntry& entry : models::catalogue()) ids.push_back(entry.id);
  const std::string near = base::nearest(id, ids);
  return report_failure(
      {ExitCode::bad_input, "no product is named \"" + id + "\"",
       near.empty() ? "\"stallcast catalog list\" lists them" : "did you mean \"" + near + "\"?"});
}

}  // namespace

int catalog_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string what, id;
  CommandLine line(verb);
  line.positional("ACTION", what, "list (default) or show", false);
  line.positional("ID", id, "product to show, as in host/dgx-h100", false);
  line.text("--format", options.format, "NAME", "text (default) or json");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const bool json = options.format == "json";
  if (!json && options.format != "text")
    return report_failure({ExitCode::bad_input, "catalog has no format \"" + options.format + "\"",
                           "use text or json"});
  if (what.empty() || (what == "list" && id.empty())) {
    Json all = Json::array();
    for (const CatalogueEntry& entry : models::catalogue()) all.push_back(entry_object(entry));
    return deliver(options, json ? all.dump(2) + "\n" : list_text(), ExitCode::ok);
  }
  if (what != "show" || id.empty())
    return report_failure({ExitCode::bad_input, "catalog does not know what to do",
                           "write \"catalog list\" or \"catalog show ID\""});
  const CatalogueEntry* entry = models::find_product(id);
  if (entry == nullptr) return unknown(id);
  return deliver(options, json ? entry_object(*entry).dump(2) + "\n" : entry_text(*entry),
                 ExitCode::ok);
}

}  // namespace stallcast::cli
