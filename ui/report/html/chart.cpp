#include "ui/report/html/chart.hpp"

#include <algorithm>
#include <cmath>

#include "ui/report/html/page.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kBarHeight = 34.0;
constexpr double kLine = 26.0;
constexpr double kLabels = 420.0;  // where the bars of gains begin
constexpr double kSeen = 0.0005;   // a part that is printed as 0.0 % is left out
constexpr double kFigures = 90.0;  // what they leave free at the right

std::string number(double value) { return fixed(value, 1); }

}  // namespace

std::string svg_rect(double x, double y, double width, double height, std::string_view css,
                     double opacity, std::string_view title) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
         number(std::max(width, 0.5)) + "\" height=\"" + number(height) + "\"" +
         (opacity < 1.0 ? " opacity=\"" + fixed(opacity, 2) + "\"" : std::string()) +
         " style=\"fill:var(--" + std::string(css) + ")\">" +
         (title.empty() ? "" : element("title", title)) + "</rect>";
}

std::string svg(std::string_view name, double height, const std::string& content) {
  return "<svg role=\"img\" aria-label=\"" + markup(name) + "\" viewBox=\"0 0 " +
         number(kSvgWidth) + " " + number(height) + "\">" + content + "</svg>\n";
}

std::string svg_label(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\">" + markup(text) + "</text>";
}

std::string stacked_bar(std::string_view name, const std::vector<Part>& parts) {
  std::string bars, legend;
  double x = 0.0;
  for (const Part& part : parts) {
    if (part.share < kSeen) continue;
    const std::string text = part.label + " " + print_share(part.share);
    bars += svg_rect(x, 0, part.share * kSvgWidth, kBarHeight, part.css, 1.0, text);
    legend += "<li><i style=\"background:var(--" + part.css + ")\"></i>" + markup(text) + "</li>";
    x += part.share * kSvgWidth;
  }
  return svg(name, kBarHeight, bars) + "<ul class=\"legend\">" + legend + "</ul>\n";
}

std::string share_bar(double share, std::string_view css) {
  const double filled = 100.0 * std::clamp(share, 0.0, 1.0);
  return "<svg class=\"bar\" aria-hidden=\"true\" viewBox=\"0 0 100 10\" "
         "preserveAspectRatio=\"none\">" +
         svg_rect(0, 0, 100, 10, "empty") +
         (filled > 0.0 ? svg_rect(0, 0, filled, 10, css) : std::string()) + "</svg>";
}

std::string gain_bars(std::string_view name, const std::vector<Gain>& gains) {
  double low = 0.0, high = 0.0;
  for (const Gain& gain : gains) {
    low = std::min({low, gain.from, gain.to});
    high = std::max({high, gain.from, gain.to});
  }
  if (!(high > low)) return "";
  const auto at = [&](double value) {
    return kLabels + (value - low) / (high - low) * (kSvgWidth - kLabels - kFigures);
  };
  const double height = kLine * static_cast<double>(gains.size()) + 4.0;
  std::string content;
  double y = 2.0;
  for (const Gain& gain : gains) {
    const double left_end = std::min(gain.from, gain.to), right_end = std::max(gain.from, gain.to);
    content += svg_label(kLabels - 12.0, y + 17.0, "end", shortened(gain.label, 58));
    content += svg_rect(at(left_end), y + 4.0, at(right_end) - at(left_end), kLine - 8.0, "bar",
                        1.0, gain.label + ": " + gain.text);
    content += svg_label(at(std::max(right_end, 0.0)) + 8.0, y + 17.0, "start", gain.text);
    y += kLine;
  }
  content += "<line x1=\"" + number(at(0.0)) + "\" y1=\"0\" x2=\"" + number(at(0.0)) + "\" y2=\"" +
             number(height) + "\" style=\"stroke:var(--soft)\"/>";
  return svg(name, height, content);
}

}  // namespace stallcast::report::html
