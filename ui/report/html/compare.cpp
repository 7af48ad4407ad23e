#include "ui/report/compare_parts.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

std::string compared_cell(const ComparedCell& cell) {
  std::string out = cell.status == "best" ? "<b>" + markup(cell.text) + "</b>"
                    : cell.status.empty() ? markup(cell.text)
                                          : html::element("span", cell.text, cell.status);
  if (!cell.interval.empty()) out += "<br>" + html::element("small", cell.interval);
  return out;
}

std::string side_by_side(const SideBySide& comparison) {
  std::vector<html::Column> columns{{""}};
  for (const std::string& name : compare_names(comparison)) columns.push_back({name});
  std::vector<std::vector<std::string>> rows;
  for (const CompareRow& row : compare_rows(comparison)) {
    if (!row.group.empty()) {
      rows.push_back({"<b>" + markup(row.group) + "</b>"});
      rows.back().resize(columns.size());
    }
    std::vector<std::string> cells{markup(row.title())};
    for (const ComparedCell& cell : row.cells) cells.push_back(compared_cell(cell));
    rows.push_back(std::move(cells));
  }
  return "<div class=\"wide\">" + html::table(columns, rows) + "</div>";
}

/// Where the time of jobs goes, a bar for each design.
std::string times(const SideBySide& comparison) {
  const std::vector<std::string> names = compare_names(comparison);
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const auto& [job, shares] : comparison.designs[i].prediction.breakdown) {
      const std::string name = names[i] + ", " + job;
      out += html::element("h3", name) +
             html::stacked_bar(
                 "where the time goes: " + name,
                 html::cause_parts(shares, cpu_words(comparison.designs[i].prediction, job)));
    }
  return out;
}

/// The system of each design, with its loads.
std::string pictures(const SideBySide& comparison) {
  const std::vector<std::string> names = compare_names(comparison);
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Prediction& p = comparison.designs[i].prediction;
    const std::string id = i == 0 ? "system" : "system-" + std::to_string(i + 1);
    const std::string figure = html::picture_figure(p, id);
    if (figure.empty()) continue;
    out += html::element("h3", names[i]) +
           (p.system.empty() ? "" : html::element("p", p.system, "soft")) + figure;
  }
  return out;
}

std::string noted(const std::vector<std::string>& notes) {
  std::string out;
  for (const std::string& note : notes) out += html::element("p", note);
  return out;
}

}  // namespace

std::string compare_html(const SideBySide& comparison, const ReportContext& context,
                         const Style& style) {
  return html::page(
      "Stallcast comparison",
      html::heading("Side by side", "", compare_headline(comparison), "") +
          html::section(
              "Figures",
              side_by_side(comparison) +
                  html::element("p",
                                "Bold: the best, and what cannot be told apart from it" +
                                    interval_legend(compare_rows(comparison), ". Below") + ".",
                                "soft")) +
          html::section("Where the time goes", times(comparison)) +
          html::section("The systems", pictures(comparison)) +
          html::section("Notes", noted(comparison.notes)) +
          html::section("Warnings", noted(comparison.warnings)) + html::foot(context) +
          html::data("result", compare_json(comparison, context, style)));
}

}  // namespace stallcast::report
