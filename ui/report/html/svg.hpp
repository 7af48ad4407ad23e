#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Pieces of charts, in drawings whose letters are 13 high.
namespace stallcast::report::html {

inline constexpr double kSvgWidth = 1000.0;
/// Of narrow screens, on which a unit is about a pixel.
inline constexpr double kSlimWidth = 360.0;
/// Of half a page, which a narrow screen shows as wide as it is.
inline constexpr double kHalfWidth = 440.0;
/// A letter is at most this wide, on average; and lines are so far apart.
inline constexpr double kLetter = 8.0, kTextLine = 17.0;

/// The room that a text needs.
[[nodiscard]] double width_of(std::string_view text);
/// `text` in lines of at most `width`, broken at blanks, else behind dots and slashes, else
/// anywhere.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text, double width);

/// `css` names the colour; `title` shows where the pointer rests, "" none.
[[nodiscard]] std::string svg_rect(double x, double y, double width, double height,
                                   std::string_view css, double opacity = 1.0,
                                   std::string_view title = "");
[[nodiscard]] std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css,
                                   std::string_view dashes = "");
/// `anchor` is "start", "middle" or "end"; `css` names the colour, "" that of text.
[[nodiscard]] std::string svg_label(double x, double y, std::string_view anchor,
                                    std::string_view text, std::string_view css = "");
/// The same in several lines, the first at `y`.
[[nodiscard]] std::string svg_labels(double x, double y, std::string_view anchor,
                                     const std::vector<std::string>& lines);

/// A drawing; `name` is read aloud. `css` is a class of the page.
[[nodiscard]] std::string svg(std::string_view name, double width, double height,
                              const std::string& content, std::string_view css = "");

struct Drawn {
  std::string content;
  double height = 0.0;
};
/// For the whole page, and once more for narrow screens, where one shrunk to fit could not be read.
[[nodiscard]] std::string svg_twice(std::string_view name,
                                    const std::function<Drawn(double width)>& draw);

}  // namespace stallcast::report::html
