#include "ui/report/html/lines.hpp"

#include <algorithm>
#include <cmath>

#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kHeight = 360.0, kLeft = 62.0, kRight = 20.0, kTop = 24.0, kBottom = 46.0;
/// Beyond this a line leaves the picture: what matters is when it passes 100 %.
constexpr double kMostShare = 2.0;
constexpr double kMonthRoom = 100.0;

class Frame {
 public:
  Frame(int until, double most, double width)
      : until_(std::max(until, 1)), most_(most), width_(width) {}
  [[nodiscard]] double x(int month) const {
    return kLeft + (width_ - kLeft - kRight) * month / until_;
  }
  [[nodiscard]] double y(double share) const {
    return kHeight - kBottom - (kHeight - kBottom - kTop) * share / most_;
  }
  [[nodiscard]] std::string drawn() const {
    std::string out;
    const int ticks = std::max(2, static_cast<int>((width_ - kLeft - kRight) / kMonthRoom));
    const int step = static_cast<int>(std::ceil(static_cast<double>(until_) / ticks / 3.0)) * 3;
    for (int month = 0; month <= until_; month += until_ <= ticks ? 1 : step)
      out += svg_line(x(month), kTop, x(month), y(0.0), "line") +
             svg_label(x(month), y(0.0) + 18.0, "middle", std::to_string(month));
    for (double share = 0.0; share <= most_ + 1e-9; share += 0.25)
      out += svg_line(kLeft, y(share), width_ - kRight, y(share), share == 1.0 ? "bad" : "line") +
             svg_label(kLeft - 8.0, y(share) + 4.0, "end", fixed(share * 100.0, 0) + " %");
    return out + svg_label(width_ - kRight, kHeight - 8.0, "end", "months from now");
  }
  [[nodiscard]] double most() const { return most_; }

 private:
  int until_;
  double most_, width_;
};

std::string path_of(const ShareLine& line, const std::vector<int>& months, const Frame& frame,
                    const std::string& colour) {
  std::string d, dots;
  bool open = false;
  for (std::size_t i = 0; i < months.size() && i < line.values.size(); ++i) {
    if (!line.values[i]) {
      open = false;
      continue;
    }
    const double share = *line.values[i];
    const std::string at = fixed(frame.x(months[i]), 1) + " " + fixed(frame.y(share), 1);
    d += (open ? "L" : "M") + at;
    open = true;
    if (share <= frame.most())
      dots += "<circle cx=\"" + fixed(frame.x(months[i]), 1) + "\" cy=\"" +
              fixed(frame.y(share), 1) + "\" r=\"3\" style=\"fill:var(--" + colour + ")\"><title>" +
              markup(line.label + ", " + in_month(months[i]) + ": " +
                     print_value(*line.values[i], "ratio")) +
              "</title></circle>";
  }
  return "<path d=\"" + d + "\" style=\"stroke:var(--" + colour + ");stroke-width:2;fill:none\"/>" +
         dots;
}

}  // namespace

std::string share_lines(std::string_view name, const std::vector<int>& months,
                        const std::vector<ShareLine>& lines) {
  if (lines.empty() || months.empty()) return "";
  double most = 1.0;
  for (const ShareLine& line : lines)
    for (const auto& value : line.values) most = std::max(most, value.value_or(0.0));
  most = std::ceil(std::min(most, kMostShare) * 4.0) / 4.0;
  std::vector<std::string> names;
  for (const ShareLine& line : lines) names.push_back(line.label);
  return svg_twice(name,
                   [&](double width) {
                     const Frame frame(months.back(), most, width);
                     std::string content = frame.drawn();
                     for (std::size_t i = 0; i < lines.size(); ++i)
                       content += path_of(lines[i], months, frame, curve_colour(i));
                     return Drawn{content, kHeight};
                   }) +
         curve_legend(names);
}

}  // namespace stallcast::report::html
