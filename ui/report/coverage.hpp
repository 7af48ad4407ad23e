#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "stallcast/coverage.hpp"
#include "ui/report/layout.hpp"

/// How often intervals hold what was measured, in the formats of validations. All are "" (null)
/// where there are no intervals.
namespace stallcast::report {

/// Levels that tables show, as places in kLevels: 50, 80, 90 and 95 %.
inline constexpr std::size_t kShownLevels[] = {0, 3, 4, 5};

/// "50 %"
[[nodiscard]] std::string level_name(std::size_t level);
/// The median half width of nine in ten: "4.20 points", "x 1.080".
[[nodiscard]] std::string half_width(const ClassCoverage& of);
/// "measured 91.2 %, predicted 95.3 % (93.0 % to 96.8 %), 1.8 half widths from its middle".
[[nodiscard]] std::string missed_phrase(const MissedFigure& missed);

[[nodiscard]] std::string coverage_text(const Coverage& coverage, const Ink& ink);
[[nodiscard]] std::string coverage_markdown(const Coverage& coverage);
[[nodiscard]] nlohmann::ordered_json coverage_object(const Coverage& coverage);
/// Sections of a page.
[[nodiscard]] std::string coverage_html(const Coverage& coverage);

}  // namespace stallcast::report
