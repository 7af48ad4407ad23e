#include "ui/report/waterfall.hpp"

#include "ui/report/html/chart.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kFallLine = 30.0;
constexpr double kNarrow = 400.0;  // of narrow screens: names stand above their bars there
constexpr double kHalfPage = 460.0;
constexpr double kFallNames = 215.0;
constexpr double kFallFigures = 76.0;

/// `wide`: names left of the bars.
std::string falls_drawn(const std::vector<Fall>& falls, double width, bool wide) {
  const double left_end = (wide ? kFallNames : 0.0) + kFallFigures;
  const double line = wide ? kFallLine : 1.6 * kFallLine;
  const auto at = [&](int tenths) {
    return left_end + static_cast<double>(tenths) / 1000.0 * (width - left_end);
  };
  std::string out;
  double y = 0.0;
  for (const Fall& fall : falls) {
    const bool rest = &fall == &falls.back();
    const double bar = wide ? y : y + 0.6 * kFallLine;
    out += svg_label(0.0, y + (wide ? 19.0 : 14.0), "start", fall.label);
    out += svg_label(left_end - 10.0, bar + 19.0, "end",
                     (rest ? "" : "-") + print_tenths(fall.part()));
    out += svg_rect(at(fall.to), bar + 4.0, std::max(1.0, at(fall.from) - at(fall.to)),
                    kFallLine - 8.0, fall.cause, 1.0, fall.label);
    y += line;
  }
  return out;
}

}  // namespace

std::string waterfall_chart(std::string_view job, const std::map<std::string, double>& shares,
                            WaterfallWidth room) {
  const std::vector<Fall> falls = waterfall(shares);
  const auto drawn = [&](const char* css, double width, bool wide) {
    const double height = static_cast<double>(falls.size()) * (wide ? kFallLine : 1.6 * kFallLine);
    return "<svg class=\"" + std::string(css) + "\" role=\"img\" aria-label=\"" +
           markup(waterfall_sum(falls)) + "\" viewBox=\"0 0 " + fixed(width, 0) + " " +
           fixed(height, 0) + "\">" + falls_drawn(falls, width, wide) + "</svg>\n";
  };
  return "<figure class=\"waterfall\" data-name=\"time of " + markup(job) + "\">\n" +
         (room == WaterfallWidth::half
              ? drawn("half", kHalfPage, true)
              : drawn("broad", kSvgWidth, true) + drawn("slim", kNarrow, false)) +
         "</figure>\n";
}

}  // namespace stallcast::report::html
