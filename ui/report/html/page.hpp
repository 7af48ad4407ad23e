#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/report/report.hpp"

namespace stallcast::report {

/// `text` as it may appear in XML and HTML, between tags and in quoted attributes: & < > " '
/// escaped, control characters replaced.
[[nodiscard]] std::string markup(std::string_view text);

}  // namespace stallcast::report

/// Pages in one file: nothing to fetch, readable without scripts, in light and dark, and on paper.
namespace stallcast::report::html {

/// <tag class="css">text</tag>, the text escaped; no class when that is empty.
[[nodiscard]] std::string element(std::string_view tag, std::string_view text,
                                  std::string_view css = "");

/// A dotted name, which may be broken after its dots.
[[nodiscard]] std::string path(std::string_view text);

/// A resource by its name for people; its path shows where the pointer rests.
[[nodiscard]] std::string named(std::string_view resource);

/// Words for people, whose path shows where the pointer rests.
[[nodiscard]] std::string titled(std::string_view words, std::string_view path);

/// A table; cells are HTML already. Columns of `css` "number" are right-aligned.
struct Column {
  std::string head;
  std::string css = {};
};
[[nodiscard]] std::string table(const std::vector<Column>& columns,
                                const std::vector<std::vector<std::string>>& rows);

/// Tables of `body` without a name get this one, which is read out and not shown. Sections do
/// it with their titles.
[[nodiscard]] std::string captioned(std::string_view title, const std::string& body);

/// A heading and what belongs under it; "" when that is empty.
[[nodiscard]] std::string list(const std::vector<std::string>& lines);
[[nodiscard]] std::string section(std::string_view title, const std::string& body);

/// The same, closed until somebody opens it.
[[nodiscard]] std::string folded(std::string_view title, const std::string& body);

/// JSON for programs that read the page, as a script element that no browser runs.
[[nodiscard]] std::string data(std::string_view id, const std::string& json);

/// The last line of a page: what made it.
[[nodiscard]] std::string foot(const ReportContext& context);

/// The whole document; without `scripts` its charts have no buttons that save them.
[[nodiscard]] std::string page(std::string_view title, const std::string& body,
                               bool scripts = true);

}  // namespace stallcast::report::html
