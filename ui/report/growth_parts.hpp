#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/growth.hpp"

/// What a report of growth says, whatever it looks like.
namespace stallcast::report {

/// "storage.scratch.ost runs out in month 14; ..." in one sentence.
[[nodiscard]] std::string growth_headline(const GrowthResult& growth);
/// Months that a table shows: at most `most` of those that were simulated.
[[nodiscard]] std::vector<std::size_t> growth_columns(const GrowthResult& growth, std::size_t most);
/// Which simulated months are none of `columns`, and where they are told; "" where all are.
[[nodiscard]] std::string growth_left_out(const GrowthResult& growth,
                                          const std::vector<std::size_t>& columns);

/// "now", "mo 12".
[[nodiscard]] std::string month_name(int month);
/// "1,024 GPUs 4 %/month: 1.2 M to 4.9 M", a line for each trend.
[[nodiscard]] std::vector<std::string> growth_lines(const GrowthResult& growth);

/// A row of the table.
struct GrowthRow {
  std::string group;  ///< heading above it; "" where it is that of the row before
  std::string label;
  std::vector<std::string> cells;  ///< one of each column
  std::string reached;             ///< "month 14"; "" where it is not
};
[[nodiscard]] std::vector<GrowthRow> growth_rows(const GrowthResult& growth,
                                                 const std::vector<std::size_t>& columns);
/// What happens, in order, with what would do.
[[nodiscard]] std::vector<std::string> growth_events(const GrowthResult& growth);

}  // namespace stallcast::report
