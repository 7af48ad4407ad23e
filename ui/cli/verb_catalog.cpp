#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"
#include "ui/app/reference.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::cli {
namespace {

using client::CatalogueItem;
using report::wrapped;

/// One number and where it is from: "ost.read = 4 GB/s (assumed)".
std::string number_lines(const CatalogueItem::Number& number) {
  return "\n" + wrapped("  ", number.text + (number.assumption ? " (assumed)" : ""), 4) +
         (number.source.empty() ? "" : wrapped("      ", number.source, 6));
}

std::string item_text(const CatalogueItem& item) {
  std::string out = item.id + "\n" + wrapped("  ", item.summary, 2);
  for (const CatalogueItem::Number& number : item.numbers) out += number_lines(number);
  return out;
}

std::string list_text(const std::vector<CatalogueItem>& items) {
  constexpr std::size_t kIdWidth = 30;
  std::string out;
  std::string heading;
  for (const CatalogueItem& item : items) {
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

/// What is listed, or the numbers of one, as a table of `format`.
std::string items_table(const std::vector<CatalogueItem>& items, report::Format format) {
  std::vector<std::vector<std::string>> rows;
  for (const CatalogueItem& item : items) rows.push_back({item.id, item.heading, item.summary});
  return report::table_of({"id", "part", "summary"}, rows, format);
}

std::string numbers_table(const CatalogueItem& item, report::Format format) {
  std::vector<std::vector<std::string>> rows;
  for (const CatalogueItem::Number& number : item.numbers)
    rows.push_back({item.id, number.text, number.assumption ? "assumed" : "", number.source});
  return report::table_of({"id", "value", "assumed", "source"}, rows, format);
}

int unknown(const std::string& id, const std::vector<CatalogueItem>& items) {
  std::vector<std::string> ids;
  for (const CatalogueItem& item : items) ids.push_back(item.id);
  constexpr std::size_t kFew = 8;
  std::vector<std::string> alike;
  for (const std::string& one : ids)
    if (!id.empty() && one.find(id) != std::string::npos) alike.push_back(one);
  std::string otherwise = "\"stallcast catalog list\" lists it";
  if (!alike.empty()) {
    const std::size_t more = alike.size() - std::min(alike.size(), kFew);
    alike.resize(alike.size() - more);
    otherwise = "it has " + base::join(alike, ", ") +
                (more > 0 ? " and " + std::to_string(more) + " more; " + otherwise : "");
  }
  return refuse("nothing in the catalogue is named \"" + id + "\"", suggestion(id, ids, otherwise));
}

}  // namespace

int catalog_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string what, id;
  CommandLine line(verb);
  line.positional("ACTION", what, "list (default), show, or the ID to show", false);
  line.takes("ACTION", {"list", "show"});
  line.positional("ID", id, "what to show, as in host/dgx-h100", false);
  line.format_option(options);
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const auto format = report::parse_format(options.format);
  if (!format.ok()) return report_failure(format.failure());
  const bool json = *format == report::Format::json, text = *format == report::Format::text;
  const std::vector<CatalogueItem> items = client::catalogue_items();
  if (id.empty() && !what.empty() && what != "list" && what != "show")
    id = std::exchange(what, "show");
  if (what.empty() || (what == "list" && id.empty()))
    return deliver(options,
                   json   ? client::catalogue_json()
                   : text ? list_text(items)
                          : items_table(items, *format),
                   ExitCode::ok);
  if (what == "show" && id.empty())
    return refuse("catalog show needs the ID of what to show",
                  "write \"catalog show host/dgx-h100\"; \"catalog list\" has all");
  if (what == "list")
    return refuse("catalog list takes no ID", "write \"catalog show " + id + "\"");
  if (what != "show")
    return refuse("catalog does not know \"" + what + "\"",
                  "write \"catalog list\" or \"catalog show ID\"");
  for (const CatalogueItem& item : items)
    if (item.id == id)
      return deliver(options,
                     json   ? item.json
                     : text ? item_text(item)
                            : numbers_table(item, *format),
                     ExitCode::ok);
  return unknown(id, items);
}

}  // namespace stallcast::cli
