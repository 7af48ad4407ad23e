#include <algorithm>

#include "stallcast/label.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/waterfall.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kBarHeight = 34.0, kBarsThick = 18.0;
constexpr double kSeen = 0.0005;  // a part that is printed as 0.0 % is left out
constexpr double kMostLabels = 420.0, kLeastLabels = 120.0;  // where bars of gains begin
constexpr double kLeastSpan = 3.0;                           // shorter ones are not seen
constexpr double kBarsGap = 8.0;

/// Where the labels of bars stand: left of them, or where that leaves no room above each.
struct LabelColumn {
  bool above = false;
  double width = 0.0;  ///< where bars begin
  double letters = 0.0;

  template <class Rows>
  LabelColumn(const Rows& rows, double drawing) : above(drawing < kSvgWidth), letters(drawing) {
    if (above) return;
    width = kLeastLabels;
    for (const auto& row : rows) width = std::max(width, width_of(row.label) + 12.0);
    width = std::min(width, kMostLabels);
    letters = width - 12.0;
  }
};

/// One row: its label, and where its bar is.
struct BarRow {
  std::string label;
  double bar = 0.0, next = 0.0;
};

BarRow row_at(double y, const LabelColumn& column, const std::string& text) {
  const std::vector<std::string> lines = lines_of(text, column.letters);
  const double lettered = kTextLine * static_cast<double>(lines.size());
  if (column.above)
    return {svg_labels(0.0, y + 13.0, "start", lines), y + lettered + 2.0,
            y + lettered + 2.0 + kBarsThick + kBarsGap};
  const double height = std::max(lettered, kBarsThick);
  return {svg_labels(column.width - 12.0, y + 13.0, "end", lines), y + (height - kBarsThick) / 2.0,
          y + height + kBarsGap};
}

Drawn gains_drawn(const std::vector<GainBar>& gains, double low, double high, double width) {
  // Figures stand behind the bars, which leave the room that their text needs.
  const LabelColumn column(gains, width);
  double figures = 0.0;
  for (const GainBar& gain : gains) figures = std::max(figures, width_of(gain.text) + 8.0);
  const auto at = [&](double value) {
    return column.width + (value - low) / (high - low) * (width - column.width - figures);
  };
  Drawn out;
  double y = 2.0;
  for (const GainBar& gain : gains) {
    const double left_end = std::min(gain.from, gain.to), right_end = std::max(gain.from, gain.to);
    const BarRow row = row_at(y, column, gain.label);
    out.content +=
        row.label +
        svg_rect(at(left_end), row.bar, at(right_end) - at(left_end), kBarsThick, "bar", 1.0,
                 gain.label + ": " + gain.text) +
        svg_label(at(std::max(right_end, 0.0)) + 8.0, row.bar + 13.0, "start", gain.text) +
        svg_line(at(0.0), row.bar - 4.0, at(0.0), row.bar + kBarsThick + 4.0, "soft");
    y = row.next;
  }
  out.height = y;
  return out;
}

Drawn spans_drawn(const std::vector<Span>& spans, double width) {
  const LabelColumn column(spans, width);
  const double room = width - column.width;
  Drawn out;
  double y = 2.0;
  for (const Span& span : spans) {
    const double lasts = std::max(span.lasts * room, kLeastSpan);
    const BarRow row = row_at(y, column, span.label);
    out.content += row.label + svg_rect(std::min(column.width + span.begins * room, width - lasts),
                                        row.bar, lasts, kBarsThick, "bar", 1.0, span.label);
    y = row.next;
  }
  out.height = y;
  return out;
}

}  // namespace

std::vector<Part> cause_parts(const std::map<std::string, double>& shares, std::string_view cpu) {
  std::vector<Part> out;
  const std::vector<int> tenths = tenths_of_percent(shares);
  for (std::size_t i = 0; i < tenths.size(); ++i) {
    if (tenths[i] <= 0) continue;
    const std::string name(words_of_cause(i, cpu));
    out.push_back({name, name + " " + print_tenths(tenths[i]), kBreakdownCauses[i],
                   static_cast<double>(tenths[i]) / 1000.0});
  }
  return out;
}

std::string stacked_bar(std::string_view name, const std::vector<Part>& parts) {
  std::string bars, legend;
  double x = 0.0;
  for (const Part& part : parts) {
    if (part.share < kSeen) continue;
    const std::string& text = part.label;
    bars += svg_rect(x, 0, part.share * kSvgWidth, kBarHeight, part.css, 1.0, text);
    legend += "<li><i style=\"background:var(--" + part.css + ")\"></i>" + markup(text) + "</li>";
    x += part.share * kSvgWidth;
  }
  return svg(name, kSvgWidth, kBarHeight, bars) + "<ul class=\"legend\">" + legend + "</ul>\n";
}

std::string stacked_bars(std::string_view name, const std::vector<NamedParts>& bars) {
  std::string drawn, legend;
  std::vector<std::string> causes;  // in the legend
  double y = 0.0;
  for (const NamedParts& bar : bars) {
    double x = 0.0;
    const std::string first = bar.parts.empty() ? "" : bar.parts.front().label;
    drawn +=
        svg_label(0.0, y + 13.0, "start", bar.name) + svg_label(kHalfWidth, y + 13.0, "end", first);
    y += kTextLine;
    for (const Part& part : bar.parts) {
      if (part.share < kSeen) continue;
      drawn += svg_rect(x, y, part.share * kHalfWidth, kBarsThick, part.css, 1.0, part.label);
      x += part.share * kHalfWidth;
      if (std::find(causes.begin(), causes.end(), part.css) != causes.end()) continue;
      causes.push_back(part.css);
      legend +=
          "<li><i style=\"background:var(--" + part.css + ")\"></i>" + markup(part.name) + "</li>";
    }
    y += kBarsThick + kBarsGap;
  }
  return svg(name, kHalfWidth, y, drawn, "half") + "<ul class=\"legend\">" + legend + "</ul>\n";
}

std::string share_bar(double share, std::string_view css) {
  const double filled = 100.0 * std::clamp(share, 0.0, 1.0);
  return "<svg class=\"bar\" aria-hidden=\"true\" viewBox=\"0 0 100 10\" "
         "preserveAspectRatio=\"none\">" +
         svg_rect(0, 0, 100, 10, "empty") +
         (filled > 0.0 ? svg_rect(0, 0, filled, 10, css) : std::string()) + "</svg>";
}

std::string gain_bars(std::string_view name, const std::vector<GainBar>& gains, double least) {
  double low = 0.0, high = 0.0;
  for (const GainBar& gain : gains) {
    low = std::min({low, gain.from, gain.to});
    high = std::max({high, gain.from, gain.to});
  }
  if (!(high - low > least)) return "";
  return svg_twice(name, [&](double width) { return gains_drawn(gains, low, high, width); });
}

std::string span_bars(std::string_view name, const std::vector<Span>& spans) {
  return svg_twice(name, [&](double width) { return spans_drawn(spans, width); });
}

}  // namespace stallcast::report::html
