#include "ui/report/markdown.hpp"
#include "ui/report/diff/kinds.hpp"
#include "ui/report/diff/sections.hpp"

namespace stallcast::report {
namespace {

std::string row_of(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + markdown_literal(cell) + " |";
  return out + "\n";
}

/// A comment as `check` writes them: a poster finds it again by its first line.
std::string markdown(const Sections& found, const DiffContext& context) {
  const char* sign = found.word == "WORSE" || found.word == "MIXED"       ? ":x:"
                     : found.word == "CHANGED" || found.word == "UNKNOWN" ? ":warning:"
                                                                          : ":white_check_mark:";
  std::string out = std::string("<!-- stallcast:diff -->\n## ") + sign + " " +
                    markdown_literal(found.headline) + "\n";
  if (!found.sentences.empty()) out += "\n";
  for (const std::string& sentence : found.sentences)
    out += "- " + markdown_literal(sentence) + "\n";
  if (!found.sections.empty()) out += "\n<details><summary>Inputs, metrics and shares</summary>\n";
  for (const Section& s : found.sections) {
    const std::string title = "\n### " + markdown_literal(s.title) + "\n\n";
    std::vector<std::string> rows, lines;
    for (const auto& cells : s.rows) rows.push_back(row_of(cells));
    for (const std::string& line : s.lines) lines.push_back("- " + markdown_literal(line) + "\n");
    std::string head = title + row_of(s.heads) + "|";
    for (std::size_t i = 0; i < s.heads.size(); ++i) head += "---|";
    add_markdown_table(out, head + "\n", rows, kMostOfAComment);
    add_markdown_table(out, rows.empty() ? title : "\n", lines, kMostOfAComment);
  }
  if (!found.sections.empty()) out += "\n</details>\n";
  return out + "\nModels " + context.tool.model_version + ", stallcast " + context.tool.version +
         "\n";
}

}  // namespace

std::string diff_markdown(const Diff& diff, const DiffContext& context) {
  return markdown(sections_of(diff), context);
}

std::string sweep_diff_markdown(const SweepDiff& diff, const DiffContext& context) {
  return markdown(sections_of(diff), context);
}

}  // namespace stallcast::report
