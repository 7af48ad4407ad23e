#include <algorithm>
#include <filesystem>
#include <set>

#include "ui/report/compare_parts.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

/// Architectures side by side.
namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCompareLabel = 20, kWideLabel = 27, kLeastColumn = 18;

/// A miss is said of targets, not only shown in red.
std::string marked(const CompareRow& row, std::size_t i) {
  const ComparedCell& cell = row.cells[i];
  if (row.target && cell.status == "fail") return cell.text + " FAIL";
  if (row.target && cell.status == "inconclusive") return cell.text + " unsure";
  if (row.target && cell.status == "pass") return cell.text + " PASS";
  return cell.text + (cell.status == "best" ? " *" : "");
}

std::string coloured_cell(const Ink& ink, const std::string& status, const std::string& text) {
  if (status == "best") return ink.bold(text);
  return status.empty() ? text : ink.by_status(status, text);
}

/// Variants of one file differ behind the "#": that is what stays where the room is short.
std::string head_of(const std::string& name, std::size_t width) {
  const std::size_t variant = name.find('#');
  return name.size() > width && variant != std::string::npos
             ? shortened(name.substr(variant), width)
             : shortened(name, width);
}

/// One block of the designs `from` to `to`.
std::string block(const std::vector<CompareRow>& rows, const std::vector<std::string>& names,
                  std::size_t from, std::size_t to, const Ink& ink) {
  const std::size_t wide = (page_columns() - kWideLabel) / (to - from) - 1;
  const std::size_t label = wide >= kLeastColumn ? kWideLabel : kCompareLabel;
  const std::size_t width = (page_columns() - label) / (to - from) - 1;
  std::string out = left("", label);
  for (std::size_t i = from; i < to; ++i)
    out += " " + ink.bold(left(head_of(names[i], width), width));
  out += "\n";
  for (const CompareRow& row : rows) {
    if (!row.group.empty()) out += ink.bold(row.group) + "\n";
    std::vector<std::vector<std::string>> cells;
    const std::vector<std::string> said = in_lines(row.title(), label - 2);
    std::size_t lines = said.size();
    for (std::size_t i = from; i < to; ++i) {
      cells.push_back(in_lines(marked(row, i), width));
      if (!row.cells[i].interval.empty())
        for (std::string& line : in_lines(row.cells[i].interval, width))
          cells.back().push_back(std::move(line));
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t l = 0; l < lines; ++l) {
      std::string line = left(l < said.size() ? "  " + said[l] : "", label);
      for (std::size_t i = from; i < to; ++i) {
        const auto& cell = cells[i - from];
        const std::string text = left(l < cell.size() ? cell[l] : "", width);
        line += " " + (l == 0 ? coloured_cell(ink, row.cells[i].status, text) : text);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::string compare_text(const SideBySide& comparison, const ReportContext& context,
                         const Style& style) {
  const Ink ink(style.colour);
  std::string out = wrapped("", compare_headline(comparison), 2);
  const std::vector<CompareRow> rows = compare_rows(comparison);
  const std::vector<std::string> names = compare_names(comparison);
  const std::size_t across =
      std::max<std::size_t>(1, (page_columns() - kCompareLabel) / (kLeastColumn + 1));
  for (std::size_t from = 0; from < names.size(); from += across)
    out += "\n" + block(rows, names, from, std::min(from + across, names.size()), ink);
  out += "\n" + wrapped("",
                        "* the best, and what cannot be told apart from it" +
                            interval_legend(rows, "; below"),
                        2);
  if (!comparison.notes.empty())
    out += "\n" + ink.bold("Notes") + "\n" +
           bullets(comparison.notes, comparison.notes.size(), "notes");
  if (!comparison.warnings.empty())
    out += "\n" + ink.bold("Warnings") + "\n" +
           bullets(comparison.warnings, comparison.warnings.size(), "more");
  return out + "\n" + made_by(context) + "\n";
}

std::string compare_csv(const SideBySide& comparison) {
  std::string out = csv_row({"design", "row", "metric", "value", "interval", "status"});
  const std::vector<CompareRow> rows = compare_rows(comparison);
  for (std::size_t i = 0; i < comparison.designs.size(); ++i)
    for (const CompareRow& row : rows)
      out += csv_row({comparison.designs[i].name, row.label, row.metric, row.cells[i].text,
                      row.cells[i].interval, row.cells[i].status});
  return out;
}

std::string compare_markdown(const SideBySide& comparison) {
  std::string out = "## " + compare_headline(comparison) + "\n\n| |", rule = "|---|";
  for (const std::string& name : compare_names(comparison)) {
    out += " " + markdown_cell(name) + " |";
    rule += "---|";
  }
  out += "\n" + rule + "\n";
  for (const CompareRow& row : compare_rows(comparison)) {
    out += "| " + markdown_cell(row.title()) + " |";
    for (const ComparedCell& cell : row.cells) {
      const std::string text = markdown_cell(cell.text);
      out += " " + (cell.status == "best" ? "**" + text + "**" : text) +
             (cell.status == "fail" ? " (missed)" : "") +
             (cell.interval.empty() ? "" : "<br>" + markdown_cell(cell.interval)) + " |";
    }
    out += "\n";
  }
  if (const std::string legend = interval_legend(compare_rows(comparison), "Below");
      !legend.empty())
    out += "\n" + legend + ".\n";
  for (const std::string& note : comparison.notes) out += "\n- " + note;
  for (const std::string& warning : comparison.warnings) out += "\n- " + warning;
  return out + (comparison.notes.empty() && comparison.warnings.empty() ? "" : "\n");
}

}  // namespace

std::vector<std::string> compare_names(const SideBySide& comparison) {
  const auto all_differ = [](const std::vector<std::string>& names) {
    return std::set<std::string>(names.begin(), names.end()).size() == names.size();
  };
  std::vector<std::string> ids, stems, paths;
  for (const ComparedDesign& d : comparison.designs) {
    const std::size_t hash = std::min(d.name.find('#'), d.name.size());
    ids.push_back(d.prediction.scenario_id + d.name.substr(hash));
    stems.push_back(std::filesystem::path(d.name.substr(0, hash)).stem().string() +
                    d.name.substr(hash));
    paths.push_back(d.name);
  }
  const bool named = std::ranges::none_of(
      comparison.designs, [](const ComparedDesign& d) { return d.prediction.scenario_id.empty(); });
  return named && all_differ(ids) ? ids : all_differ(stems) ? stems : paths;
}

std::string compare_json(const SideBySide& comparison, const ReportContext& context,
                         const Style& style) {
  Json out;
  out["schema"] = "stallcast.comparison/1";
  out["tool"] = tool_object(context, comparison.designs.front().prediction.profile_sha256);
  out["headline"] = compare_headline(comparison);
  out["rows"] = Json::array();
  for (const CompareRow& row : compare_rows(comparison)) {
    Json cells = Json::array();
    for (const ComparedCell& cell : row.cells)
      cells.push_back({{"text", cell.text}, {"interval", cell.interval}, {"status", cell.status}});
    out["rows"].push_back({{"label", row.label}, {"metric", row.metric}, {"cells", cells}});
    if (row.target) out["rows"].back()["limit"] = row.limit;
  }
  out["designs"] = Json::array();
  for (const ComparedDesign& d : comparison.designs) {
    Json plant = Json::array();
    for (const auto& [what, of] : d.plant) plant.push_back({{"what", what}, {"of", of}});
    out["designs"].push_back({{"name", d.name},
                              {"plant", plant},
                              {"result", result_object(d.prediction, context, style)}});
  }
  out["notes"] = comparison.notes;
  out["warnings"] = comparison.warnings;
  return dump(out);
}

std::string render(const SideBySide& comparison, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return compare_json(comparison, context, style);
  if (format == Format::csv) return compare_csv(comparison);
  if (format == Format::markdown) return compare_markdown(comparison);
  if (format == Format::html) return compare_html(comparison, context, style);
  return compare_text(comparison, context, style);
}

}  // namespace stallcast::report
