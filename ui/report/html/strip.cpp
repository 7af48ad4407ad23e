#include <algorithm>

#include "ui/report/html/chart.hpp"
#include "ui/report/html/scale.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kStripBand = 20.0, kStripSide = 40.0, kStripGap = 12.0;

/// Labels of one line each, below or above their values; where there is no room for all beside
/// each other, in as many rows as it takes. Rows grow away from the band: `down` or up.
struct LabelRows {
  std::vector<std::pair<double, std::string>> places;  ///< x, with the label
  std::vector<std::size_t> row;
  std::size_t rows = 0;
};

LabelRows rows_of(const Scale& x, double room, std::vector<Mark> marks) {
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.value < b.value; });
  LabelRows out;
  std::vector<double> ends;  // of rows, so far
  for (const Mark& mark : marks) {
    const double half = std::min(width_of(mark.text), room) / 2.0;
    const double middle = std::clamp(x.at(mark.value), half, room - half);
    std::size_t row = 0;
    while (row < ends.size() && middle - half < ends[row]) ++row;
    if (row == ends.size()) ends.push_back(0.0);
    ends[row] = middle + half + kStripGap;
    out.places.emplace_back(middle, mark.text);
    out.row.push_back(row);
  }
  out.rows = ends.size();
  return out;
}

std::string drawn_rows(const LabelRows& labels, double first, double step) {
  std::string out;
  for (std::size_t i = 0; i < labels.places.size(); ++i)
    out += svg_label(labels.places[i].first, first + step * static_cast<double>(labels.row[i]),
                     "middle", labels.places[i].second);
  return out;
}

Drawn strip_drawn(const Strip& s, double width) {
  double low = std::min(s.outcomes.front().value, s.predicted.value);
  double high = std::max(s.outcomes.back().value, s.predicted.value);
  for (const Mark& limit : s.limits) {
    low = std::min(low, limit.value);
    high = std::max(high, limit.value);
  }
  const Scale x(low, high, kStripSide, width - kStripSide);
  std::vector<Mark> over = s.limits;
  over.push_back(s.predicted);
  const LabelRows above = rows_of(x, width, over);
  const LabelRows below = rows_of(x, width, {s.outcomes.begin(), s.outcomes.end()});
  const double top = 12.0 + kTextLine * static_cast<double>(above.rows);
  const double middle = top + kStripBand / 2.0, end = top + kStripBand;
  const auto band = [&](double from, double to, double opacity) {
    return svg_rect(x.at(from), top, x.at(to) - x.at(from), kStripBand, "bar", opacity);
  };
  const auto upright = [&](const Mark& mark, double y1, double y2, double thick) {
    return svg_rect(x.at(mark.value) - thick / 2.0, y1, thick, y2 - y1, mark.css);
  };
  std::string out = svg_line(0.0, middle, width, middle, "line");
  out += band(s.outcomes.front().value, s.outcomes.back().value, 0.35);
  out += band(s.half_low, s.half_high, 0.6);
  out += upright(s.outcomes[1], top, end, 2.0);
  for (const Mark& limit : s.limits) out += upright(limit, top - 8.0, end + 6.0, 3.0);
  const double at = x.at(s.predicted.value);
  out += "<path d=\"M" + fixed(at - 6.0, 1) + " " + fixed(top - 10.0, 1) +
         "h12l-6 9z\" style=\"fill:var(--" + s.predicted.css + ")\"/>";
  out += drawn_rows(above, top - 14.0, -kTextLine) + drawn_rows(below, end + 18.0, kTextLine);
  return {out, end + 6.0 + kTextLine * static_cast<double>(below.rows)};
}

}  // namespace

std::string strip(std::string_view name, const Strip& s) {
  return svg_twice(name, [&](double width) { return strip_drawn(s, width); });
}

}  // namespace stallcast::report::html
