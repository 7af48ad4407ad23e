#pragma once

#include <string>
#include <string_view>

/// Pieces of charts, in a drawing 1000 wide.
namespace stallcast::report::html {

inline constexpr double kSvgWidth = 1000.0;

/// `css` names the colour; `title` shows where the pointer rests, "" none.
[[nodiscard]] std::string svg_rect(double x, double y, double width, double height,
                                   std::string_view css, double opacity = 1.0,
                                   std::string_view title = "");
[[nodiscard]] std::string svg_line(double x1, double y1, double x2, double y2,
                                   std::string_view css);
/// `anchor` is "start", "middle" or "end".
[[nodiscard]] std::string svg_label(double x, double y, std::string_view anchor,
                                    std::string_view text);
/// The drawing; `name` is read aloud.
[[nodiscard]] std::string svg(std::string_view name, double height, const std::string& content);

}  // namespace stallcast::report::html
