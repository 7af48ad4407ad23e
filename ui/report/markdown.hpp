#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Markdown comments, safe for any text of a scenario.
namespace stallcast::report {

/// Text in a Markdown table: no markup of it comes alive, no mention notifies anybody.
[[nodiscard]] std::string markdown_literal(std::string_view text);

/// "### Warnings" and what they are; "" without any.
[[nodiscard]] std::string warnings_markdown(const std::vector<std::string>& warnings);

/// A comment has at most so many bytes: GitHub cuts at 65,536 characters, GitLab later.
inline constexpr std::size_t kMostOfAComment = 60'000;

/// Adds a table to a comment as far as there is room, and says how many rows are missing.
void add_markdown_table(std::string& out, const std::string& head,
                        const std::vector<std::string>& rows, std::size_t most,
                        const std::string& foot = "");

}  // namespace stallcast::report
