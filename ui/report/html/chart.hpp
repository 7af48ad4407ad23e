#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/coverage.hpp"

/// Charts as inline SVG. Every figure they show is in a table or a label next to them, too.
namespace stallcast::report::html {

/// One part of a whole; `css` is the name of its colour ("compute", "data", ...).
struct Part {
  std::string name;
  std::string label;  ///< that and its share
  std::string css;
  double share = 0.0;  ///< 0..1
};

/// The causes that the time of a job goes to, by cause, as every view rounds them: they sum to
/// 100.0 %.
[[nodiscard]] std::vector<Part> cause_parts(const std::map<std::string, double>& shares,
                                            std::string_view cpu);

/// A bar of parts and its legend.
[[nodiscard]] std::string stacked_bar(std::string_view name, const std::vector<Part>& parts);

/// Such bars below each other, for half a page, with one legend: what each is of above it.
struct NamedParts {
  std::string name;
  std::vector<Part> parts;
};
[[nodiscard]] std::string stacked_bars(std::string_view name, const std::vector<NamedParts>& bars);

/// From 100 % of the GPU time, cause after cause, down to what computes.
/// `half`: for half a page, names above their bars.
enum class WaterfallWidth { full, half };
[[nodiscard]] std::string waterfall_chart(std::string_view job,
                                          const std::map<std::string, double>& shares,
                                          std::string_view cpu,
                                          WaterfallWidth width = WaterfallWidth::full);

/// A small bar for a cell: `share` of what there is.
[[nodiscard]] std::string share_bar(double share, std::string_view css = "bar");

/// One line of a chart of gains and losses.
struct GainBar {
  std::string label;
  double from = 0.0;  ///< both ends of the bar, in any unit; 0 is the design as it is
  double to = 0.0;
  std::string text;
};
/// What is printed as nothing of utilization, or of time.
inline constexpr double kShownGain = 0.0005;
/// Bars to both sides of the design as it is; "" where they all are within `least`, or nothing.
[[nodiscard]] std::string gain_bars(std::string_view name, const std::vector<GainBar>& gains,
                                    double least = 0.0);

/// Something that begins and lasts: shares of the width.
struct Span {
  std::string label;
  double begins = 0.0;
  double lasts = 0.0;
};
/// A bar for each, one under the other.
[[nodiscard]] std::string span_bars(std::string_view name, const std::vector<Span>& spans);

/// A value on a line, and what is said of it; `css` names its colour.
struct Mark {
  double value = 0.0;
  std::string text;
  std::string css = "ink";
};
/// What a figure may turn out to be.
struct Strip {
  std::array<Mark, 3> outcomes;  ///< low end, median, high end
  double half_low = 0.0;         ///< ends of the inner half
  double half_high = 0.0;
  Mark predicted;
  std::vector<Mark> limits;  ///< of targets
};
/// A band of outcomes with its inner half, on a line with limits; every place is labelled.
[[nodiscard]] std::string strip(std::string_view name, const Strip& strip);

/// One axis of a plot.
struct PlotAxis {
  std::string name;
  std::string unit;  ///< of its figures, as of a Metric
};
/// What a figure may turn out to be: nine in ten outcomes are within.
struct Outcomes {
  double low = 0.0, middle = 0.0, high = 0.0;
};
/// One point of it; `css` names its colour.
struct Dot {
  double x = 0.0, y = 0.0;
  std::string css;
  bool filled = true;
  bool front = false;  ///< circled, and joined to the others
  std::string title = {};
  std::optional<Outcomes> outcomes = std::nullopt;  ///< of y
  std::size_t curve = 0;                            ///< dots of one curve differ in x only
  bool chosen = false;                              ///< at most one is
};
/// A column below a plot, at the place of its `x`.
struct PlotBar {
  double x = 0.0, value = 0.0;
  std::string text;
  bool chosen = false;
};
/// Points in a plane. What outcomes are within is a band around the line through the dots of each
/// curve, or a whisker at each dot where there are no lines.
struct Plot {
  PlotAxis x, y;
  std::vector<Dot> dots;
  bool joined = false;                   ///< lines through the dots of each curve, where possible
  std::vector<std::string> curves = {};  ///< names for the legend; none: one colour for all
  std::vector<Mark> targets = {};        ///< limits of y, dashed
  std::string chosen = {};               ///< what is said of the dot that is chosen
  std::vector<PlotBar> bars = {};
  std::string bars_name = {};
  bool half = false;  ///< for half a page
};
/// More lines cannot be told apart.
inline constexpr std::size_t kMostCurves = 8;
/// The colour of a curve, by its number; and a legend of all.
[[nodiscard]] std::string curve_colour(std::size_t curve);
[[nodiscard]] std::string curve_legend(const std::vector<std::string>& names);
/// The plot; "" without dots.
[[nodiscard]] std::string scatter(std::string_view name, const Plot& plot);

/// Of each class how many measurements are inside intervals, against how many should be; "" without
/// any.
[[nodiscard]] std::string calibration_plot(const Coverage& coverage);
/// The same as an SVG file of its own, light.
[[nodiscard]] std::string calibration_file(const Coverage& coverage);

}  // namespace stallcast::report::html
