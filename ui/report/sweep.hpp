#pragma once

#include <string>

#include "stallcast/sweep.hpp"
#include "ui/report/report.hpp"

/// Sweeps as text, JSON, CSV, Markdown and a page.
namespace stallcast::report {

struct SweepStyle {
  Style style;
  Format format = Format::text;
  bool wide = false;  ///< CSV with a row per point, instead of one per figure
};

/// The points and their figures, as far as there are any. Text has at most 80 columns and
/// kMostSweepRows points, those of the Pareto front first of all.
[[nodiscard]] std::string render(const SweepReport& sweep, const SweepStyle& style);
/// How far a sweep is, without its points (text and JSON; the other formats as `render`).
[[nodiscard]] std::string render_status(const SweepReport& sweep, const SweepStyle& style);

inline constexpr std::size_t kMostSweepRows = 100;

}  // namespace stallcast::report
