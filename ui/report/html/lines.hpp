#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Lines over months as inline SVG; their figures are in a table next to them, too.
namespace stallcast::report::html {

/// One line; a gap where it has no value.
struct ShareLine {
  std::string label;
  std::vector<std::optional<double>> values;  ///< one of each month
};

/// Shares over months, with a line where all is used and a legend; "" without any.
[[nodiscard]] std::string share_lines(std::string_view name, const std::vector<int>& months,
                                      const std::vector<ShareLine>& lines);

}  // namespace stallcast::report::html
