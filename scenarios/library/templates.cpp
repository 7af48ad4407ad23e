#include "scenarios/library/templates.hpp"

#include <string>
#include <utility>
#include <vector>

namespace stallcast::scenarios {

/// {file name, content} of the files of scenarios/library.
std::span<const std::pair<std::string_view, std::string_view>> embedded_templates();

namespace {

// The first line of a template is its summary: "// summary".
std::string_view first_line(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.front() == '/' || line.front() == ' ')) line.remove_prefix(1);
  return line;
}

}  // namespace

std::span<const Template> templates() {
  static const std::vector<Template> all = [] {
    std::vector<Template> out;
    for (const auto& [file, text] : embedded_templates())
      out.push_back({file.substr(0, file.rfind('.')), first_line(text), text});
    return out;
  }();
  return all;
}

}  // namespace stallcast::scenarios
