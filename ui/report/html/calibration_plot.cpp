#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "ui/report/coverage.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report::html {
namespace {

constexpr std::size_t kPanelsInRow = 3;
constexpr double kPanelWidth = kSvgWidth / static_cast<double>(kPanelsInRow), kPanelHeight = 350.0;
constexpr double kLeftOfPanel = 52.0, kRightOfPanel = 14.0, kAbovePanel = 58.0, kBelowPanel = 52.0;
constexpr double kLowestLevel = 0.4;
/// Fewer say nothing; where no class has as many, all are shown.
constexpr std::size_t kFewestFigures = 5;
/// Nine in ten dots of intervals that hold what they say.
constexpr double kTail = 0.05;

/// The part of `n` that are inside, below which lies a part `tail` of what chance gives where each
/// is inside with probability `p`: the quantile of the binomial distribution over n.
double by_chance(std::size_t n, double p, double tail) {
  const auto count = static_cast<double>(n);
  double below = 0.0;
  for (double k = 0.0; k < count; k += 1.0) {
    below +=
        std::exp(std::lgamma(count + 1.0) - std::lgamma(k + 1.0) - std::lgamma(count - k + 1.0) +
                 k * std::log(p) + (count - k) * std::log1p(-p));
    if (below >= tail) return k / count;
  }
  return 1.0;
}

std::string text_of(double value) { return fixed(value, 1); }

/// One class, with its corner at `left` and `top`.
class Panel {
 public:
  Panel(const ClassCoverage& shown, double left, double top)
      : shown_(shown), left_(left), top_(top) {}

  [[nodiscard]] std::string draw() const {
    return head() + expected() + grid() + diagonal() + curve();
  }

 private:
  [[nodiscard]] double x(double level) const {
    return left_ + kLeftOfPanel +
           (level - kLowestLevel) / (1.0 - kLowestLevel) *
               (kPanelWidth - kLeftOfPanel - kRightOfPanel);
  }
  [[nodiscard]] double y(double part) const {
    return top_ + kPanelHeight - kBelowPanel - part * (kPanelHeight - kAbovePanel - kBelowPanel);
  }
  [[nodiscard]] std::string at(double level, double part) const {
    return text_of(x(level)) + " " + text_of(y(part));
  }

  [[nodiscard]] std::string head() const {
    return svg_label(left_ + kLeftOfPanel, top_ + 20.0, "start", shortened(shown_.metric, 36)) +
           svg_label(left_ + kLeftOfPanel, top_ + 40.0, "start",
                     count_of(shown_.figures, "figure") + ", half width " + half_width(shown_));
  }

  [[nodiscard]] std::string expected() const {
    std::string there, back;
    for (const double level : kLevels) {
      there += (there.empty() ? "M" : "L") + at(level, by_chance(shown_.figures, level, kTail));
      back.insert(0, "L" + at(level, by_chance(shown_.figures, level, 1.0 - kTail)));
    }
    return "<path d=\"" + there + back + "z\" style=\"fill:var(--empty)\"/>";
  }

  [[nodiscard]] std::string grid() const {
    std::string out;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
      out += svg_line(x(kLowestLevel), y(part), x(1.0), y(part), part == 0.0 ? "soft" : "line") +
             svg_label(x(kLowestLevel) - 6.0, y(part) + 4.0, "end", base::percent(part, 0));
    for (const double level : {0.5, 0.7, 0.9})
      out += svg_label(x(level), y(0.0) + 18.0, "middle", base::percent(level, 0));
    return out + svg_label(x((1.0 + kLowestLevel) / 2.0), y(0.0) + 38.0, "middle",
                           "nominal; upwards: actual");
  }

  [[nodiscard]] std::string diagonal() const {
    return "<path d=\"M" + at(kLowestLevel, kLowestLevel) + "L" + at(1.0, 1.0) +
           "\" style=\"stroke:var(--soft);stroke-dasharray:5 4;fill:none\"/>";
  }

  [[nodiscard]] std::string curve() const {
    std::string line, dots;
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      const double part = shown_.actual(i);
      line += (i == 0 ? "M" : "L") + at(kLevels[i], part);
      dots += "<circle r=\"4.5\" cx=\"" + text_of(x(kLevels[i])) + "\" cy=\"" + text_of(y(part)) +
              "\" style=\"fill:var(--bar)\">" +
              element("title", level_name(i) + " of outcomes: " + std::to_string(shown_.inside[i]) +
                                   " of " + std::to_string(shown_.figures) + " inside") +
              "</circle>";
      // Below the dot where the curve comes from below, else in the way of the line.
      const bool above = part < kLevels[i] ? part < 0.08 : part <= 0.93;
      dots += svg_label(x(kLevels[i]), y(part) + (above ? -9.0 : 19.0), "middle",
                        std::to_string(shown_.inside[i]));
    }
    return "<path d=\"" + line + "\" style=\"stroke:var(--bar);stroke-width:2;fill:none\"/>" + dots;
  }

  const ClassCoverage& shown_;
  double left_, top_;
};

Drawn panels(const Coverage& coverage, std::size_t in_row) {
  Drawn out;
  std::size_t i = 0;
  const auto enough = [](const ClassCoverage& one) { return one.figures >= kFewestFigures; };
  const bool some = std::any_of(coverage.classes.begin(), coverage.classes.end(), enough);
  for (const ClassCoverage& shown : coverage.classes) {
    if (some && !enough(shown)) continue;
    const double left = kPanelWidth * static_cast<double>(i % in_row);
    const double top = kPanelHeight * static_cast<double>(i / in_row);
    out.content += Panel(shown, left, top).draw() + "\n";
    out.height = top + kPanelHeight;
    ++i;
  }
  return out;
}

constexpr const char* kPlotName = "measurements inside intervals, against how many should be";

}  // namespace

std::string calibration_plot(const Coverage& coverage) {
  if (coverage.classes.empty()) return "";
  return svg_twice(kPlotName, [&](double width) {
    return panels(coverage, width < kSvgWidth ? 1 : kPanelsInRow);
  });
}

std::string calibration_file(const Coverage& coverage) {
  Drawn drawn = panels(coverage, kPanelsInRow);
  // Pages have names for colours; what shows a picture may not know them.
  constexpr std::pair<std::string_view, std::string_view> kColours[] = {
      {"var(--soft)", "#555f6b"},
      {"var(--line)", "#d7dce2"},
      {"var(--bar)", "#3b6ea8"},
      {"var(--empty)", "#e4e8ed"}};
  for (const auto& [name, colour] : kColours)
    for (std::size_t at = 0; (at = drawn.content.find(name, at)) != std::string::npos;)
      drawn.content.replace(at, name.size(), colour);
  const std::string height = fixed(std::max(drawn.height, 1.0), 0);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"1000\" height=\"" +
         height + "\" viewBox=\"0 0 1000 " + height +
         "\" font-family=\"system-ui, DejaVu Sans, sans-serif\" font-size=\"13\">\n" +
         element("title", kPlotName) +
         "\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + drawn.content + "</svg>\n";
}

}  // namespace stallcast::report::html
