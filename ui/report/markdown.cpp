#include "ui/report/markdown.hpp"

#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

constexpr std::size_t kReserve = 400;  // for the lines that say what was left out

}  // namespace

std::string markdown_literal(std::string_view text) {
  std::string out;
  for (const char c : markdown_cell(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '@')
      out += "&#64;";
    else if (c == '`' || c == '*' || c == '_' || c == '[' || c == ']')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string warnings_markdown(const std::vector<std::string>& warnings) {
  std::string out;
  for (const std::string& warning : warnings) out += "- " + markdown_literal(warning) + "\n";
  return out.empty() ? out : "\n### Warnings\n\n" + out;
}

void add_markdown_table(std::string& out, const std::string& head,
                        const std::vector<std::string>& rows, std::size_t most,
                        const std::string& foot) {
  if (rows.empty() || out.size() + head.size() + foot.size() + kReserve > most) return;
  out += head;
  std::size_t shown = 0;
  while (shown < rows.size() && out.size() + rows[shown].size() + foot.size() + kReserve <= most)
    out += rows[shown++];
  if (shown < rows.size())
    out += "\n" + std::to_string(rows.size() - shown) + " more are not shown.\n";
  out += foot;
}

}  // namespace stallcast::report
