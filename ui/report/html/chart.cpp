#include "ui/report/html/chart.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "stallcast/label.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kBarHeight = 34.0;
constexpr double kLine = 26.0;
constexpr double kSeen = 0.0005;  // a part that is printed as 0.0 % is left out
constexpr double kLetter = 8.0;   // a letter is at most this wide, on average
constexpr std::size_t kMostLetters = 58;
constexpr double kMostLabels = 420.0, kLeastLabels = 120.0;  // where bars of gains begin
constexpr double kLeastSpan = 3.0;                           // shorter ones are not seen
constexpr std::size_t kTicks = 6;
constexpr double kStripHeight = 76.0, kBandTop = 30.0, kBandHeight = 20.0, kStripSide = 40.0;
constexpr double kSlimWidth = 400.0;  // of narrow screens, in which a unit is about a pixel
constexpr double kPlotHeight = 420.0, kPlotLeft = 110.0, kPlotRight = 40.0, kPlotTop = 30.0,
                 kPlotBottom = 56.0;

std::string number(double value) { return fixed(value, 1); }

double width_of(const std::string& text) { return kLetter * static_cast<double>(text.size()); }

/// From figures to places in a drawing; by ratios where they span many.
class Scale {
 public:
  Scale(double low, double high, double from, double to) : from_(from), to_(to) {
    constexpr double kRatios = 50.0;
    log_ = low > 0.0 && high / low >= kRatios;
    low_ = log_ ? std::log10(low) : low;
    high_ = log_ ? std::log10(high) : high;
    if (!(high_ > low_)) {
      const double half = low_ == 0.0 ? 1.0 : std::abs(low_) / 10.0;
      low_ -= half, high_ += half;
    }
    const double air = (high_ - low_) / 25.0;
    low_ -= air, high_ += air;
  }
  [[nodiscard]] double at(double value) const {
    return from_ + ((log_ ? std::log10(value) : value) - low_) / (high_ - low_) * (to_ - from_);
  }
  /// Round figures inside.
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> out;
    if (log_) {
      const bool few = high_ - low_ < 3.0;
      for (int e = static_cast<int>(std::floor(low_)); e <= static_cast<int>(std::ceil(high_)); ++e)
        for (const double digit : {1.0, 2.0, 5.0}) {
          const double value = digit * std::pow(10.0, e);
          if ((digit == 1.0 || few) && std::log10(value) >= low_ && std::log10(value) <= high_)
            out.push_back(value);
        }
      return out;
    }
    const double rough = (high_ - low_) / static_cast<double>(kTicks);
    const double ten = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * ten;
    for (const double digit : {5.0, 2.0, 1.0})
      if (digit * ten >= rough) step = digit * ten;
    for (double k = std::ceil(low_ / step); k * step <= high_; k += 1.0) out.push_back(k * step);
    return out;
  }

 private:
  double from_, to_, low_ = 0.0, high_ = 1.0;
  bool log_ = false;
};

/// Labels of one line, each below or above its value unless a neighbour or an end is in the way.
std::string labels_at(double y, const Scale& x, double room, std::vector<Mark> marks) {
  constexpr double kGap = 12.0;
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.value < b.value; });
  std::vector<double> left;
  double from = 0.0;
  for (const Mark& mark : marks) {
    left.push_back(std::max(x.at(mark.value) - width_of(mark.text) / 2.0, from));
    from = left.back() + width_of(mark.text) + kGap;
  }
  double to = room;
  std::string out;
  for (std::size_t i = marks.size(); i-- > 0;) {
    const double width = width_of(marks[i].text);
    left[i] = std::min(left[i], to - width);
    to = left[i] - kGap;
    out = svg_label(left[i] + width / 2.0, y, "middle", marks[i].text) + out;
  }
  return out;
}

/// Filled where it meets, hollow where it misses, so that no colour is needed to tell.
std::string mark(double x, double y, const Dot& dot) {
  const std::string at = "\" cx=\"" + number(x) + "\" cy=\"" + number(y) + "\"";
  std::string out;
  if (dot.front) out += "<circle r=\"9.0" + at + " style=\"fill:none;stroke:var(--bar)\"/>";
  const std::string colour = "var(--" + dot.css + ")";
  return out + "<circle r=\"5.0" + at + " style=\"fill:" + (dot.filled ? colour : "var(--page)") +
         ";stroke:" + colour + ";stroke-width:2\">" + element("title", dot.title) + "</circle>";
}

using Curve = std::vector<const Dot*>;

/// The dots with outcomes, by curve and x; empty where whiskers show more: too many curves, or one
/// that is not a function of x.
std::vector<Curve> curves_of(const std::vector<Dot>& dots) {
  constexpr std::size_t kMostCurves = 6;
  std::map<std::size_t, Curve> curves;
  for (const Dot& dot : dots)
    if (dot.outcomes) curves[dot.curve].push_back(&dot);
  if (curves.size() > kMostCurves) return {};
  std::vector<Curve> out;
  for (auto& [number, curve] : curves) {
    std::stable_sort(curve.begin(), curve.end(),
                     [](const Dot* a, const Dot* b) { return a->x < b->x; });
    const auto same = [](const Dot* a, const Dot* b) { return a->x == b->x; };
    if (curve.size() < 2 || std::adjacent_find(curve.begin(), curve.end(), same) != curve.end())
      return {};
    out.push_back(std::move(curve));
  }
  return out;
}

/// Bands of outcomes around the lines through `dots`, or whiskers; "" without any.
std::string outcomes_of(const std::vector<Dot>& dots, const Scale& x, const Scale& y) {
  std::string out;
  const std::vector<Curve> curves = curves_of(dots);
  for (const Curve& curve : curves) {
    std::string there, back, line, middle;
    for (const Dot* dot : curve) {
      const std::string at = number(x.at(dot->x)) + " ", to = there.empty() ? "M" : "L";
      there += to + at + number(y.at(dot->outcomes->high));
      line += to + at + number(y.at(dot->y));
      middle += to + at + number(y.at(dot->outcomes->middle));
      back.insert(0, "L" + at + number(y.at(dot->outcomes->low)));
    }
    out += "<path d=\"" + there + back + "z\" opacity=\"0.25\" style=\"fill:var(--bar)\"/>" +
           "<path d=\"" + middle +
           "\" style=\"stroke:var(--bar);stroke-dasharray:2 4;fill:none\"/>" + "<path d=\"" + line +
           "\" style=\"stroke:var(--bar);stroke-width:2;fill:none\"/>";
  }
  if (!curves.empty()) return out;
  for (const Dot& dot : dots) {
    if (!dot.outcomes) continue;
    const double at = x.at(dot.x), low = y.at(dot.outcomes->low), high = y.at(dot.outcomes->high);
    out += svg_line(at, low, at, high, "bar") + svg_line(at - 4.0, low, at + 4.0, low, "bar") +
           svg_line(at - 4.0, high, at + 4.0, high, "bar");
  }
  return out;
}

}  // namespace

std::string svg_rect(double x, double y, double width, double height, std::string_view css,
                     double opacity, std::string_view title) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
         number(std::max(width, 0.5)) + "\" height=\"" + number(height) + "\"" +
         (opacity < 1.0 ? " opacity=\"" + fixed(opacity, 2) + "\"" : std::string()) +
         " style=\"fill:var(--" + std::string(css) + ")\">" +
         (title.empty() ? "" : element("title", title)) + "</rect>";
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
         "\" y2=\"" + number(y2) + "\" style=\"stroke:var(--" + std::string(css) + ")\"/>";
}

std::string svg(std::string_view name, double height, const std::string& content) {
  const bool lettered = content.find("<text") != std::string::npos;
  return "<svg role=\"img\"" + std::string(lettered ? " class=\"text\"" : "") + " aria-label=\"" +
         markup(name) + "\" viewBox=\"0 0 " + number(kSvgWidth) + " " + number(height) + "\">" +
         content + "</svg>\n";
}

std::string svg_label(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\">" + markup(text) + "</text>";
}

std::vector<Part> cause_parts(const std::map<std::string, double>& shares) {
  std::vector<Part> out;
  const std::vector<int> tenths = tenths_of_percent(shares);
  for (std::size_t i = 0; i < tenths.size(); ++i)
    if (tenths[i] > 0)
      out.push_back(
          {std::string(label::of_cause(kBreakdownCauses[i])) + " " + print_tenths(tenths[i]),
           kBreakdownCauses[i], static_cast<double>(tenths[i]) / 1000.0});
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
  return svg(name, kBarHeight, bars) + "<ul class=\"legend\">" + legend + "</ul>\n";
}

std::string share_bar(double share, std::string_view css) {
  const double filled = 100.0 * std::clamp(share, 0.0, 1.0);
  return "<svg class=\"bar\" aria-hidden=\"true\" viewBox=\"0 0 100 10\" "
         "preserveAspectRatio=\"none\">" +
         svg_rect(0, 0, 100, 10, "empty") +
         (filled > 0.0 ? svg_rect(0, 0, filled, 10, css) : std::string()) + "</svg>";
}

std::string gain_bars(std::string_view name, const std::vector<GainBar>& gains) {
  double low = 0.0, high = 0.0;
  for (const GainBar& gain : gains) {
    low = std::min({low, gain.from, gain.to});
    high = std::max({high, gain.from, gain.to});
  }
  if (!(high > low)) return "";
  // Labels stand at the left, figures behind the bars; both take the room their text needs.
  double labels = kLeastLabels, figures = 0.0;
  for (const GainBar& gain : gains) {
    labels = std::max(labels, width_of(shortened(gain.label, kMostLetters)) + 12.0);
    figures = std::max(figures, width_of(gain.text) + 8.0);
  }
  labels = std::min(labels, kMostLabels);
  const auto at = [&](double value) {
    return labels + (value - low) / (high - low) * (kSvgWidth - labels - figures);
  };
  const double height = kLine * static_cast<double>(gains.size()) + 4.0;
  std::string content;
  double y = 2.0;
  for (const GainBar& gain : gains) {
    const double left_end = std::min(gain.from, gain.to), right_end = std::max(gain.from, gain.to);
    content += svg_label(labels - 12.0, y + 17.0, "end", shortened(gain.label, kMostLetters));
    content += svg_rect(at(left_end), y + 4.0, at(right_end) - at(left_end), kLine - 8.0, "bar",
                        1.0, gain.label + ": " + gain.text);
    content += svg_label(at(std::max(right_end, 0.0)) + 8.0, y + 17.0, "start", gain.text);
    y += kLine;
  }
  content += svg_line(at(0.0), 0.0, at(0.0), height, "soft");
  return svg(name, height, content);
}

std::string span_bars(std::string_view name, const std::vector<Span>& spans) {
  double labels = kLeastLabels;
  for (const Span& span : spans)
    labels = std::max(labels, width_of(shortened(span.label, kMostLetters)) + 12.0);
  labels = std::min(labels, kMostLabels);
  const double room = kSvgWidth - labels;
  std::string content;
  double y = 2.0;
  for (const Span& span : spans) {
    const double width = std::max(span.lasts * room, kLeastSpan);
    content += svg_label(labels - 12.0, y + 17.0, "end", shortened(span.label, kMostLetters));
    content += svg_rect(std::min(labels + span.begins * room, kSvgWidth - width), y + 4.0, width,
                        kLine - 8.0, "bar", 1.0, span.label);
    y += kLine;
  }
  return svg(name, y + 2.0, content);
}

namespace {

std::string strip_content(const Strip& s, double width) {
  double low = std::min(s.outcomes.front().value, s.predicted.value);
  double high = std::max(s.outcomes.back().value, s.predicted.value);
  for (const Mark& limit : s.limits) {
    low = std::min(low, limit.value);
    high = std::max(high, limit.value);
  }
  const Scale x(low, high, kStripSide, width - kStripSide);
  const double middle = kBandTop + kBandHeight / 2.0, end = kBandTop + kBandHeight;
  const auto band = [&](double from, double to, double opacity) {
    return svg_rect(x.at(from), kBandTop, x.at(to) - x.at(from), kBandHeight, "bar", opacity);
  };
  const auto upright = [&](const Mark& mark, double y1, double y2, double width) {
    return svg_rect(x.at(mark.value) - width / 2.0, y1, width, y2 - y1, mark.css);
  };
  std::string out = svg_line(0.0, middle, width, middle, "line");
  out += band(s.outcomes.front().value, s.outcomes.back().value, 0.35);
  out += band(s.half_low, s.half_high, 0.6);
  out += upright(s.outcomes[1], kBandTop, end, 2.0);
  for (const Mark& limit : s.limits) out += upright(limit, kBandTop - 10.0, end + 6.0, 3.0);
  const double at = x.at(s.predicted.value);
  out += "<path d=\"M" + number(at - 6.0) + " " + number(kBandTop - 10.0) +
         "h12l-6 9z\" style=\"fill:var(--" + s.predicted.css + ")\"/>";
  std::vector<Mark> above = s.limits;
  above.push_back(s.predicted);
  out += labels_at(kBandTop - 14.0, x, width, above);
  return out + labels_at(kStripHeight - 6.0, x, width, {s.outcomes.begin(), s.outcomes.end()});
}

}  // namespace

std::string strip(std::string_view name, const Strip& s) {
  // Once more for narrow screens, where one shrunk to fit could not be read.
  const std::string height = number(kStripHeight);
  return "<svg class=\"broad\" role=\"img\" aria-label=\"" + markup(name) + "\" viewBox=\"0 0 " +
         number(kSvgWidth) + " " + height + "\">" + strip_content(s, kSvgWidth) + "</svg>\n" +
         "<svg class=\"slim\" role=\"img\" aria-label=\"" + markup(name) + "\" viewBox=\"0 0 " +
         number(kSlimWidth) + " " + height + "\">" + strip_content(s, kSlimWidth) + "</svg>\n";
}

std::string scatter(std::string_view name, const PlotAxis& x_axis, const PlotAxis& y_axis,
                    const std::vector<Dot>& dots) {
  if (dots.empty()) return "";
  const auto ends = [&](double Dot::*value) {
    const auto [low, high] = std::minmax_element(
        dots.begin(), dots.end(), [&](const Dot& a, const Dot& b) { return a.*value < b.*value; });
    return std::pair(*low.*value, *high.*value);
  };
  const auto [left, right] = ends(&Dot::x);
  auto [low, high] = ends(&Dot::y);
  for (const Dot& dot : dots)
    if (dot.outcomes) {
      low = std::min(low, dot.outcomes->low);
      high = std::max(high, dot.outcomes->high);
    }
  const double end = kSvgWidth - kPlotRight, floor = kPlotHeight - kPlotBottom;
  const Scale x(left, right, kPlotLeft, end), y(low, high, floor, kPlotTop);
  std::string out;
  for (const double tick : x.ticks())
    out += svg_line(x.at(tick), kPlotTop, x.at(tick), floor, "line") +
           svg_label(x.at(tick), floor + 18.0, "middle", print_value(tick, x_axis.unit));
  for (const double tick : y.ticks())
    out += svg_line(kPlotLeft, y.at(tick), end, y.at(tick), "line") +
           svg_label(kPlotLeft - 8.0, y.at(tick) + 4.0, "end", print_value(tick, y_axis.unit));
  out += svg_line(kPlotLeft, floor, end, floor, "soft") +
         svg_line(kPlotLeft, kPlotTop, kPlotLeft, floor, "soft");
  out += svg_label(end, kPlotHeight - 12.0, "end", x_axis.name);
  out += svg_label(8.0, 16.0, "start", y_axis.name);
  out += outcomes_of(dots, x, y);
  std::vector<const Dot*> front;
  for (const Dot& dot : dots)
    if (dot.front) front.push_back(&dot);
  std::stable_sort(front.begin(), front.end(),
                   [](const Dot* a, const Dot* b) { return a->x < b->x; });
  for (std::size_t i = 1; i < front.size(); ++i)
    out += svg_line(x.at(front[i - 1]->x), y.at(front[i - 1]->y), x.at(front[i]->x),
                    y.at(front[i]->y), "bar");
  for (const Dot& dot : dots) out += mark(x.at(dot.x), y.at(dot.y), dot);
  return svg(name, kPlotHeight, out);
}

}  // namespace stallcast::report::html
