#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/scale.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kPlotHeight = 300.0, kHalfPlot = 170.0, kPlotRight = 24.0, kLabelRoom = 10.0;
constexpr double kPlotPanel = 64.0, kPlotColumn = 14.0;  // of bars below a plot
/// A target further from all values than this part of their range would press them together.
constexpr double kFar = 1.0;
constexpr double kLeastShares = 0.04;  // range of an axis of shares
constexpr double kNearShares = 0.1;    // a target so near is on it, however level the dots are

std::string at_place(double value) { return fixed(value, 1); }

/// Filled where it meets, hollow where it misses, so that no colour is needed to tell.
std::string mark(double x, double y, const Dot& dot) {
  const std::string at = "\" cx=\"" + at_place(x) + "\" cy=\"" + at_place(y) + "\"";
  std::string out;
  if (dot.front || dot.chosen)
    out += "<circle r=\"9.0" + at + " style=\"fill:none;stroke:var(--" +
           (dot.chosen ? std::string("ink") : std::string("bar")) + ")\"/>";
  const std::string colour = "var(--" + dot.css + ")";
  return out + "<circle r=\"5.0" + at + " style=\"fill:" + (dot.filled ? colour : "var(--page)") +
         ";stroke:" + colour + ";stroke-width:2\">" + element("title", dot.title) + "</circle>";
}

using PlotCurve = std::vector<const Dot*>;

/// The dots by curve and x; none where that would not show more than dots: too many curves, or one
/// that is not a function of x.
std::vector<PlotCurve> curves_of(const std::vector<Dot>& dots) {
  std::map<std::size_t, PlotCurve> curves;
  for (const Dot& dot : dots) curves[dot.curve].push_back(&dot);
  if (curves.size() > kMostCurves) return {};
  std::vector<PlotCurve> out;
  for (auto& [number, curve] : curves) {
    std::stable_sort(curve.begin(), curve.end(),
                     [](const Dot* a, const Dot* b) { return a->x < b->x; });
    const auto same = [](const Dot* a, const Dot* b) { return a->x == b->x; };
    if (std::adjacent_find(curve.begin(), curve.end(), same) != curve.end()) return {};
    if (curve.size() > 1) out.push_back(std::move(curve));
  }
  return out;
}

bool is_band(const PlotCurve& curve) {
  return std::all_of(curve.begin(), curve.end(),
                     [](const Dot* dot) { return dot->outcomes.has_value(); });
}

std::string stroked(const std::string& path, const std::string& css, const char* more) {
  return "<path d=\"" + path + "\" style=\"stroke:var(--" + css + ");fill:none;" + more + "\"/>";
}

class PlotDrawing {
 public:
  PlotDrawing(const Plot& plot, double width)
      : plot_(plot),
        end_(width - kPlotRight),
        names_(lines_of(plot.y.name, width)),
        top_(kTextLine * (static_cast<double>(names_.size()) + (chosen() ? 2.0 : 1.0))),
        floor_(top_ + (plot.half ? kHalfPlot : kPlotHeight)),
        x_(scale(&Dot::x, 0.0, 1.0)),
        y_(scale(&Dot::y, floor_, top_)) {
    const std::vector<double> ticks = y_.ticks(plot.half ? 5 : 6);
    double room = 0.0;
    for (const double tick : ticks) room = std::max(room, width_of(print_value(tick, plot.y.unit)));
    left_ = room + kLabelRoom + 4.0;
    x_ = scale(&Dot::x, left_, end_);
  }

  Drawn draw() {
    std::string out = grid() + svg_labels(0.0, 13.0, "start", names_) + targets() + curves();
    out += front();
    for (const Dot& dot : plot_.dots) out += mark(x_.at(dot.x), y_.at(dot.y), dot);
    if (const Dot* dot = chosen()) out += chosen_label(*dot);
    const std::vector<std::string> below = lines_of(plot_.x.name, end_);
    out += svg_labels(end_, floor_ + 38.0, "end", below);
    const double end = floor_ + 26.0 + kTextLine * static_cast<double>(below.size());
    return plot_.bars.empty() ? Drawn{out, end} : Drawn{out + bars(end), end + kPlotPanel + 34.0};
  }

 private:
  [[nodiscard]] const Dot* chosen() const {
    const auto found = std::find_if(plot_.dots.begin(), plot_.dots.end(),
                                    [](const Dot& dot) { return dot.chosen; });
    return found == plot_.dots.end() ? nullptr : &*found;
  }

  /// All dots and what outcomes are within are inside; targets, too, unless they are far away.
  [[nodiscard]] Scale scale(double Dot::*value, double from, double to) const {
    double low = plot_.dots.front().*value, high = low;
    for (const Dot& dot : plot_.dots) {
      low = std::min(low, dot.*value);
      high = std::max(high, dot.*value);
      if (value != &Dot::y || !dot.outcomes) continue;
      low = std::min(low, dot.outcomes->low);
      high = std::max(high, dot.outcomes->high);
    }
    if (value == &Dot::y)
      for (const Mark& target : plot_.targets) {
        // What is level has no size to tell what is far of it.
        const double least = plot_.y.unit == "ratio" ? kNearShares : 0.0;
        const double reach = std::max(kFar * (high - low), least);
        if (target.value >= low - reach && target.value <= high + reach) {
          low = std::min(low, target.value);
          high = std::max(high, target.value);
        }
      }
    if (value == &Dot::y && plot_.y.unit == "ratio" && high - low < kLeastShares) {
      const double middle = (low + high) / 2.0;  // what is level looks level, and its ticks differ
      low = std::max(low < 0.0 ? low : 0.0, middle - kLeastShares / 2.0);
      high = low + kLeastShares;
    }
    return {low, high, from, to};
  }

  [[nodiscard]] std::string grid() const {
    std::string out;
    double free = 0.0;
    for (const double tick : x_.ticks(end_ < kSlimWidth ? 4 : 6)) {
      if (plot_.x.unit == "count" && tick != std::floor(tick)) continue;
      const std::string text = print_value(tick, plot_.x.unit);
      const double at = x_.at(tick), half = width_of(text) / 2.0;
      out += svg_line(at, top_, at, floor_, "line");
      if (at - half < free || at + half > end_ + kPlotRight) continue;
      out += svg_label(at, floor_ + 18.0, "middle", text);
      free = at + half + kLabelRoom;
    }
    for (const double tick : y_.ticks(plot_.half ? 5 : 6))
      out +=
          svg_line(left_, y_.at(tick), end_, y_.at(tick), "line") +
          svg_label(left_ - kLabelRoom, y_.at(tick) + 4.0, "end", print_value(tick, plot_.y.unit));
    return out + svg_line(left_, floor_, end_, floor_, "soft") +
           svg_line(left_, top_, left_, floor_, "soft");
  }

  [[nodiscard]] std::string targets() const {
    std::string out;
    std::vector<double> taken;
    for (const Mark& target : plot_.targets) {
      const double at = y_.at(target.value);
      if (at < top_ || at > floor_) continue;
      out += svg_line(left_, at, end_, at, "ink", "6 4");
      const auto near = [&](double other) { return std::abs(other - at) < 2.0 * kTextLine; };
      if (std::any_of(taken.begin(), taken.end(), near)) continue;
      taken.push_back(at);
      out += target_label(at, target.text);
    }
    return out;
  }

  /// Above or below its line, at its right or left end: where least is in the way.
  [[nodiscard]] std::string target_label(double line, const std::string& text) const {
    constexpr double kInset = 4.0, kAbove = 5.0, kBelow = 14.0;
    constexpr double kLetters = 11.0, kTail = 3.0, kDotSize = 7.0;
    constexpr int kDotInWay = 10;  // times as bad as a band, on which letters can be read
    const double wide = width_of(text);
    std::string best;
    int least = std::numeric_limits<int>::max();
    for (const bool at_end : {true, false})
      for (const double base : {line - kAbove, line + kBelow}) {
        const double from = at_end ? end_ - kInset - wide : left_ + kInset;
        const double top = base - kLetters, bottom = base + kTail;
        int in_way = bottom > floor_ || top < top_ ? 1 : 0;
        for (const Dot& dot : plot_.dots) {
          if (x_.at(dot.x) < from - kDotSize || x_.at(dot.x) > from + wide + kDotSize) continue;
          const double y = y_.at(dot.y);
          if (y > top - kDotSize && y < bottom + kDotSize) in_way += kDotInWay;
          if (dot.outcomes && y_.at(dot.outcomes->high) < bottom && y_.at(dot.outcomes->low) > top)
            ++in_way;
        }
        if (in_way >= least) continue;
        least = in_way;
        best = svg_label(at_end ? end_ - kInset : from, base, at_end ? "end" : "start", text);
      }
    return "<g class=\"halo\">" + best + "</g>";
  }

  /// Bands of outcomes around the lines through the dots; whiskers where there are no lines.
  [[nodiscard]] std::string curves() const {
    std::string out;
    const std::vector<PlotCurve> curves =
        plot_.joined ? curves_of(plot_.dots) : std::vector<PlotCurve>();
    for (const PlotCurve& curve : curves) {
      std::string there, back, line, middle;
      const bool drawn = is_band(curve);
      for (const Dot* dot : curve) {
        const std::string at = at_place(x_.at(dot->x)) + " ", to = line.empty() ? "M" : "L";
        line += to + at + at_place(y_.at(dot->y));
        if (!drawn) continue;
        there += to + at + at_place(y_.at(dot->outcomes->high));
        middle += to + at + at_place(y_.at(dot->outcomes->middle));
        back.insert(0, "L" + at + at_place(y_.at(dot->outcomes->low)));
      }
      const std::string css =
          plot_.curves.empty() ? std::string("bar") : curve_colour(curve.front()->curve);
      if (drawn)
        out += "<path d=\"" + there + back + "z\" opacity=\"0.25\" style=\"fill:var(--" + css +
               ")\"/>" + stroked(middle, css, "stroke-dasharray:2 4");
      out += stroked(line, css, "stroke-width:2");
    }
    const auto in_band = [&](const Dot& dot) {
      return std::any_of(curves.begin(), curves.end(), [&](const PlotCurve& curve) {
        return curve.front()->curve == dot.curve && is_band(curve);
      });
    };
    for (const Dot& dot : plot_.dots) {
      if (!dot.outcomes || in_band(dot)) continue;
      const double at = x_.at(dot.x), low = y_.at(dot.outcomes->low),
                   high = y_.at(dot.outcomes->high);
      out += svg_line(at, low, at, high, "bar") + svg_line(at - 4.0, low, at + 4.0, low, "bar") +
             svg_line(at - 4.0, high, at + 4.0, high, "bar");
    }
    return out;
  }

  [[nodiscard]] std::string front() const {
    PlotCurve front;
    for (const Dot& dot : plot_.dots)
      if (dot.front) front.push_back(&dot);
    std::stable_sort(front.begin(), front.end(),
                     [](const Dot* a, const Dot* b) { return a->x < b->x; });
    std::string out;
    for (std::size_t i = 1; i < front.size(); ++i)
      out += svg_line(x_.at(front[i - 1]->x), y_.at(front[i - 1]->y), x_.at(front[i]->x),
                      y_.at(front[i]->y), "bar");
    return out;
  }

  [[nodiscard]] std::string chosen_label(const Dot& dot) const {
    const double half = width_of(plot_.chosen) / 2.0;
    const double at = std::clamp(x_.at(dot.x), std::min(half, end_), std::max(half, end_ - half));
    return svg_line(x_.at(dot.x), top_, x_.at(dot.x), y_.at(dot.y) - 9.0, "ink") +
           svg_label(at, top_ - 5.0, "middle", plot_.chosen);
  }

  /// Columns from 0 up below the plot, at the same places. The chosen one is labelled first.
  [[nodiscard]] std::string bars(double top) const {
    double most = 0.0;
    for (const PlotBar& bar : plot_.bars) most = std::max(most, bar.value);
    if (!(most > 0.0)) return "";
    const double head = top + 22.0, floor = head + 8.0 + kPlotPanel;
    std::string out = svg_label(0.0, top + 14.0, "start", plot_.bars_name) +
                      svg_line(left_, floor, end_, floor, "soft");
    std::vector<std::pair<double, double>> taken;
    std::vector<const PlotBar*> order;
    for (const PlotBar& bar : plot_.bars) order.push_back(&bar);
    std::stable_partition(order.begin(), order.end(),
                          [](const PlotBar* bar) { return bar->chosen; });
    for (const PlotBar* bar : order) {
      const double at = x_.at(bar->x), high = bar->value / most * (kPlotPanel - kTextLine);
      out += svg_rect(at - kPlotColumn / 2.0, floor - high, kPlotColumn, high, "bar",
                      bar->chosen ? 1.0 : 0.45, bar->text);
      const double half = width_of(bar->text) / 2.0, low = at - half, end = at + half;
      const bool free =
          end <= end_ + kPlotRight && low >= 0.0 &&
          std::none_of(taken.begin(), taken.end(), [&](const std::pair<double, double>& other) {
            return low < other.second + kLabelRoom && other.first < end + kLabelRoom;
          });
      if (!free) continue;
      taken.emplace_back(low, end);
      out += svg_label(at, floor - high - 5.0, "middle", bar->text);
    }
    return out;
  }

  const Plot& plot_;
  double end_, left_ = 0.0;
  std::vector<std::string> names_;
  double top_, floor_;
  Scale x_, y_;
};

}  // namespace

std::string curve_colour(std::size_t curve) {
  // Told apart side by side, by the colour-blind too; the order is that of the legend.
  constexpr const char* kColours[] = {"compute",  "data",    "checkpoint", "communication",
                                      "metadata", "restart", "cpu",        "sync"};
  static_assert(std::size(kColours) == kMostCurves);
  return kColours[curve % std::size(kColours)];
}

std::string curve_legend(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += "<li><i style=\"background:var(--" + curve_colour(i) + ")\"></i>" + markup(names[i]) +
           "</li>";
  return out.empty() ? out : "<ul class=\"legend\">" + out + "</ul>\n";
}

std::string scatter(std::string_view name, const Plot& plot) {
  if (plot.dots.empty()) return "";
  const auto draw = [&](double width) { return PlotDrawing(plot, width).draw(); };
  if (!plot.half) return svg_twice(name, draw) + curve_legend(plot.curves);
  const Drawn half = draw(kHalfWidth);
  return svg(name, kHalfWidth, half.height, half.content, "half") + curve_legend(plot.curves);
}

}  // namespace stallcast::report::html
