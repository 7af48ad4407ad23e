#include "ui/report/waterfall.hpp"

#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kFallThick = 20.0, kFallGap = 8.0;
constexpr double kFallNames = 240.0, kFallFigures = 76.0;
constexpr double kFallEdge = 2.0, kFallTicks = 20.0;

class Falls {
 public:
  /// Names and figures stand left of the bars, or where that leaves too little room above them.
  Falls(const std::vector<Fall>& falls, double width)
      : falls_(falls),
        above_(width < kSvgWidth),
        width_(width),
        left_(above_ ? kFallEdge : kFallNames + kFallFigures) {}

  Drawn draw() {
    const double step = kFallThick + kFallGap + (above_ ? kTextLine : 0.0);
    const double floor = step * static_cast<double>(falls_.size() + 1);
    std::string out;
    for (int tick = 0; tick <= 4; ++tick) {
      const double at = x(250 * tick);
      const char* anchor = above_ && tick == 0 ? "start" : tick == 4 ? "end" : "middle";
      out += svg_label(at, floor + 14.0, anchor, std::to_string(25 * tick) + " %");
    }
    out += row(0.0, {"", "all of the time", 1000, 0}, "empty", "");
    double y = step;
    for (const Fall& fall : falls_) {
      const bool rest = &fall == &falls_.back();
      out += row(y, fall, fall.cause, rest ? "" : "-");
      // From where the bar above begins, which is where this one ends; names would be in the way.
      const double joint = x(fall.from);
      if (!above_) out += svg_line(joint, y - kFallGap, joint, bar(y) + kFallThick, "soft");
      y += step;
    }
    return {out, floor + kFallTicks};
  }

 private:
  [[nodiscard]] double x(int tenths) const {
    return left_ + static_cast<double>(tenths) / 1000.0 * (width_ - kFallEdge - left_);
  }
  [[nodiscard]] double bar(double y) const {
    return y + kFallGap / 2.0 + (above_ ? kTextLine : 0.0);
  }

  /// The common axis, on the ground of each bar.
  [[nodiscard]] std::string grid(double y) const {
    std::string out = svg_rect(x(0), y, x(1000) - x(0), kFallThick, "tile");
    for (int tick = 0; tick <= 4; ++tick)
      out += svg_line(x(250 * tick), y, x(250 * tick), y + kFallThick + kFallGap, "line");
    return out;
  }

  [[nodiscard]] std::string row(double y, const Fall& fall, std::string_view css,
                                std::string_view sign) const {
    const std::string figure = std::string(sign) + print_tenths(fall.part());
    const double text = above_ ? y + 14.0 : bar(y) + 15.0;
    return svg_label(above_ ? kFallEdge : 0.0, text, "start", fall.label) +
           svg_label(above_ ? width_ - kFallEdge : left_ - 12.0, text, "end", figure) +
           grid(bar(y)) +
           svg_rect(x(fall.to), bar(y), x(fall.from) - x(fall.to), kFallThick, css, 1.0,
                    fall.label + " " + figure);
  }

  const std::vector<Fall>& falls_;
  bool above_;
  double width_, left_;
};

}  // namespace

std::string waterfall_chart(std::string_view job, const std::map<std::string, double>& shares,
                            std::string_view cpu, WaterfallWidth room) {
  const std::vector<Fall> falls = waterfall(shares, cpu);
  const std::string name = waterfall_sum(falls);
  const auto draw = [&](double width) { return Falls(falls, width).draw(); };
  std::string drawing;
  if (room == WaterfallWidth::half) {
    const Drawn half = draw(kHalfWidth);
    drawing = svg(name, kHalfWidth, half.height, half.content, "half");
  } else {
    drawing = svg_twice(name, draw);
  }
  return "<figure class=\"waterfall\" data-name=\"time of " + markup(job) + "\">\n" + drawing +
         "</figure>\n";
}

}  // namespace stallcast::report::html
