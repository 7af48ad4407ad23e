#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/sections.hpp"
#include "ui/report/diff/words.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"

namespace stallcast::report {
namespace {

/// The class that colours a cell.
std::string_view css_of(std::string_view text) {
  return text == "worse" || text == "WORSE"                          ? "fail"
         : text == "better" || text == "BETTER"                      ? "pass"
         : text == "SAME"                                            ? "pass"
         : text == "MIXED" || text == "CHANGED" || text == "UNKNOWN" ? "warn"
                                                                     : "";
}

/// The system as it is after the change; before it, folded.
std::string pictures(const Diff& diff) {
  return html::picture_figure(diff.head.prediction) +
         html::folded("The system before",
                      html::picture_figure(diff.base.prediction, "system-before"));
}

std::string page(const Sections& found, const DiffContext& context, const std::string& picture) {
  std::string body =
      html::element("h1", found.word + ": " + found.headline, css_of(found.word)) + "\n";
  for (const std::string& sentence : found.sentences) body += html::element("p", sentence) + "\n";
  body += picture;
  for (const Section& s : found.sections) {
    std::vector<html::Column> columns;
    for (const std::string& head : s.heads) columns.push_back({head});
    std::vector<std::vector<std::string>> rows;
    for (const auto& cells : s.rows) {
      rows.emplace_back();
      for (const std::string& cell : cells)
        rows.back().push_back(css_of(cell).empty() ? markup(cell)
                                                   : html::element("span", cell, css_of(cell)));
    }
    std::vector<std::vector<std::string>> rest;
    if (rows.size() > kMostRows) {
      rest.assign(rows.begin() + kMostRows, rows.end());
      rows.resize(kMostRows);
    }
    std::string inner = html::table(columns, rows);
    if (!rest.empty())
      inner += "<details>" + html::element("summary", std::to_string(rest.size()) + " more") +
               html::table(columns, rest) + "</details>\n";
    for (const std::string& line : s.lines) inner += html::element("p", line) + "\n";
    body += html::section(s.title, inner);
  }
  return html::page("Stallcast: " + found.headline, body + html::foot(context.tool));
}

}  // namespace

std::string diff_html(const Diff& diff, const DiffContext& context) {
  return page(sections_of(diff), context, pictures(diff));
}

std::string sweep_diff_html(const SweepDiff& diff, const DiffContext& context) {
  return page(sections_of(diff), context, "");
}

}  // namespace stallcast::report
