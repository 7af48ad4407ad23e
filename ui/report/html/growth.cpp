#include "stallcast/label.hpp"
#include "ui/report/growth_parts.hpp"
#include "ui/report/html/lines.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

/// Lines of a picture: more cannot be told apart.
constexpr std::size_t kMostLines = 8;
constexpr std::size_t kPageColumns = 9;

std::string words_for(const std::string& name) {
  return label::knows(name) ? label::of_resource(name) : name;
}

std::string picture(const GrowthResult& growth) {
  std::vector<html::ShareLine> lines;
  for (const auto* all : {&growth.space, &growth.loads})
    for (const GrowthSeries& series : *all)
      if (lines.size() < kMostLines) lines.push_back({words_for(series.name), series.values});
  return html::share_lines("what is used of what there is, month by month", growth.months, lines);
}

std::string growth_table(const GrowthResult& growth) {
  const std::vector<std::size_t> shown = growth_columns(growth, kPageColumns);
  std::vector<html::Column> columns{{""}};
  for (const std::size_t i : shown) columns.push_back({month_name(growth.months[i]), "number"});
  columns.push_back({"limit"});
  std::vector<std::vector<std::string>> rows;
  for (const GrowthRow& row : growth_rows(growth, shown)) {
    if (!row.group.empty()) {
      rows.push_back({"<b>" + markup(row.group) + "</b>"});
      rows.back().resize(columns.size());
    }
    std::vector<std::string> cells{label::knows(row.label) ? html::named(row.label)
                                                           : markup(row.label)};
    for (const std::string& cell : row.cells) cells.push_back(markup(cell));
    cells.push_back(html::element("span", row.reached, row.reached.empty() ? "" : "fail"));
    rows.push_back(std::move(cells));
  }
  return html::table(columns, rows);
}

}  // namespace

std::string growth_html(const GrowthResult& growth, const ReportContext& context,
                        const Style& style) {
  return html::page("Stallcast growth: " + growth.scenario_id,
                    html::heading(growth.scenario_id, "", growth_headline(growth), "") +
                        html::section("What grows", html::list(growth_lines(growth))) +
                        html::section("Used of what there is", picture(growth)) +
                        html::section("Month by month",
                                      "<div class=\"wide\">" + growth_table(growth) + "</div>") +
                        html::section("What happens", html::list(growth_events(growth))) +
                        html::section("Notes", html::list(growth.notes)) +
                        html::section("Warnings", html::list(growth.warnings)) +
                        html::foot(context) +
                        html::data("result", growth_json(growth, context, style)));
}

}  // namespace stallcast::report
