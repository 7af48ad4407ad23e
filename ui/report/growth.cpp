#include <algorithm>

#include "engine/base/quantity_text.hpp"
#include "ui/report/growth_parts.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/markdown.hpp"
#include "ui/report/renderers.hpp"

/// When what there is runs out.
namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMonthColumns = 4, kGrowthLabel = 32, kLeastLabel = 24, kMonthCell = 9;

/// The table of a page of so many columns: cells stand apart, and where they are wide there are
/// fewer months.
struct Table {
  std::vector<std::size_t> columns;
  std::vector<GrowthRow> rows;
  std::size_t label = kGrowthLabel, cell = kMonthCell;
};

Table table_of(const GrowthResult& growth) {
  Table out;
  for (std::size_t months = kMonthColumns; months > 0; --months) {
    out = {growth_columns(growth, months), {}};
    out.rows = growth_rows(growth, out.columns);
    std::size_t reached = std::string_view("limit").size();
    for (const GrowthRow& row : out.rows) {
      reached = std::max(reached, row.reached.size());
      for (const std::string& cell : row.cells) out.cell = std::max(out.cell, cell.size() + 1);
    }
    const std::size_t taken = out.columns.size() * out.cell + 2 + reached;
    if (taken + kLeastLabel > page_columns()) continue;
    out.label = std::min(kGrowthLabel, page_columns() - taken);
    return out;
  }
  out.label = kLeastLabel;
  return out;
}

std::string growth_text(const GrowthResult& growth, const ReportContext& context,
                        const Style& style) {
  const Ink ink(style.colour);
  std::string out = wrapped("", ink.bold(growth.scenario_id) + ": " + growth_headline(growth), 2);
  for (const std::string& line : growth_lines(growth)) out += wrapped("  ", line, 4);
  const Table table = table_of(growth);
  std::string head = left("", table.label);
  for (const std::size_t i : table.columns) head += right(month_name(growth.months[i]), table.cell);
  out += "\n" + ink.bold(head + "  limit") + "\n";
  for (const GrowthRow& row : table.rows) {
    if (!row.group.empty()) out += row.group + "\n";
    std::string line = "  " + left(shortened(row.label, table.label - 3), table.label - 2);
    for (const std::string& cell : row.cells) line += right(cell, table.cell);
    if (!row.reached.empty()) line += "  " + ink.bad(row.reached);
    out += line + "\n";
  }
  if (const auto events = growth_events(growth); !events.empty())
    out += "\n" + ink.bold("What happens") + "\n" + bullets(events, events.size(), "events");
  if (!growth.notes.empty())
    out += "\n" + ink.bold("Notes") + "\n" + bullets(growth.notes, growth.notes.size(), "notes");
  if (!growth.warnings.empty())
    out += "\n" + ink.bold("Warnings") + "\n" +
           bullets(growth.warnings, growth.warnings.size(), "more");
  const std::string missing = growth_left_out(growth, table.columns);
  return out + "\n" +
         wrapped("",
                 std::to_string(growth.months.size()) + " months simulated" +
                     (missing.empty() ? "" : ", " + missing) + "; " + made_by(context),
                 0);
}

Json values_array(const std::vector<std::optional<double>>& values) {
  Json out = Json::array();
  for (const auto& value : values) out.push_back(value ? Json(*value) : Json(nullptr));
  return out;
}

Json series_array(const std::vector<GrowthSeries>& all) {
  Json out = Json::array();
  for (const GrowthSeries& s : all)
    out.push_back({{"name", s.name}, {"unit", s.unit}, {"values", values_array(s.values)}});
  return out;
}

std::string growth_csv(const GrowthResult& growth) {
  std::string out = csv_row({"scenario", "kind", "name", "unit", "month", "value", "status"});
  const auto add = [&](const char* kind, const std::vector<GrowthSeries>& all) {
    for (const GrowthSeries& s : all)
      for (std::size_t i = 0; i < s.values.size(); ++i)
        out += csv_row({growth.scenario_id, kind, s.name, s.unit, std::to_string(growth.months[i]),
                        s.values[i] ? csv_number(*s.values[i]) : "", ""});
  };
  add("space", growth.space);
  add("load", growth.loads);
  add("figure", growth.figures);
  for (const GrowthTarget& t : growth.targets)
    for (std::size_t i = 0; i < t.values.size(); ++i)
      out +=
          csv_row({growth.scenario_id, "target", t.that, t.unit, std::to_string(growth.months[i]),
                   t.values[i] ? csv_number(*t.values[i]) : "", t.status[i]});
  return out;
}

std::string growth_markdown(const GrowthResult& growth) {
  std::string out = "## " + growth.scenario_id + ": " + growth_headline(growth) + "\n\n";
  for (const std::string& line : growth_lines(growth)) out += "- " + line + "\n";
  const std::vector<std::size_t> columns = growth_columns(growth, kMonthColumns + 3);
  std::string rule = "|---|";
  out += "\n| |";
  for (const std::size_t i : columns) {
    out += " " + month_name(growth.months[i]) + " |";
    rule += "---:|";
  }
  out += " limit |\n" + rule + "---|\n";
  for (const GrowthRow& row : growth_rows(growth, columns)) {
    out += "| " + markdown_cell(row.label) + " |";
    for (const std::string& cell : row.cells) out += " " + cell + " |";
    out += " " + row.reached + " |\n";
  }
  out += "\n";
  for (const std::string& line : growth_events(growth)) out += "- " + line + "\n";
  if (const std::string missing = growth_left_out(growth, columns); !missing.empty())
    out += "- " + missing + "\n";
  if (!growth.notes.empty()) out += "\n### Notes\n\n";
  for (const std::string& note : growth.notes) out += "- " + markdown_literal(note) + "\n";
  return out + warnings_markdown(growth.warnings);
}

}  // namespace

std::string growth_json(const GrowthResult& growth, const ReportContext& context, const Style&) {
  constexpr const char* kKinds[] = {"space", "load", "target"};
  Json out;
  out["schema"] = "stallcast.growth/1";
  out["tool"] = tool_object(context, growth.profile_sha256);
  out["scenario"] = {{"id", growth.scenario_id}, {"file", growth.scenario_file}};
  out["until"] = growth.until;
  out["months"] = growth.months;
  out["trends"] = Json::array();
  for (const GrownValue& v : growth.trends)
    out["trends"].push_back(
        {{"path", v.path}, {"trend", v.written}, {"first", v.first}, {"last", v.last}});
  out["space"] = series_array(growth.space);
  out["loads"] = series_array(growth.loads);
  out["figures"] = series_array(growth.figures);
  out["targets"] = Json::array();
  for (const GrowthTarget& t : growth.targets) {
    out["targets"].push_back({{"id", t.id},
                              {"that", t.that},
                              {"level", t.level},
                              {"unit", t.unit},
                              {"values", values_array(t.values)},
                              {"status", t.status}});
  }
  out["ceilings"] = Json::array();
  for (const GrowthCeiling& c : growth.ceilings)
    out["ceilings"].push_back({{"kind", kKinds[static_cast<int>(c.kind)]},
                               {"name", c.name},
                               {"month", c.month},
                               {"message", c.message},
                               {"remedy", c.remedy}});
  out["notes"] = growth.notes;
  out["warnings"] = growth.warnings;
  return dump(out);
}

std::string render(const GrowthResult& growth, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return growth_json(growth, context, style);
  if (format == Format::csv) return growth_csv(growth);
  if (format == Format::markdown) return growth_markdown(growth);
  if (format == Format::html) return growth_html(growth, context, style);
  return growth_text(growth, context, style);
}

}  // namespace stallcast::report
