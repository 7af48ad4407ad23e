#include "ui/report/html/svg.hpp"

#include <algorithm>

#include "ui/report/html/page.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::report::html {
namespace {

std::string svg_place(double value) { return fixed(value, 1); }

/// How much of `text` the first of lines of `most` letters takes, and how many blanks follow it.
std::pair<std::size_t, std::size_t> first_line(std::string_view text, std::size_t most) {
  if (text.size() <= most) return {text.size(), 0};
  if (const std::size_t blank = text.rfind(' ', most); blank != text.npos && blank > 0)
    return {blank, 1};
  if (const std::size_t dot = text.find_last_of("./,", most - 1); dot != text.npos && dot > 0)
    return {dot + 1, 0};
  return {most, 0};
}

}  // namespace

double width_of(std::string_view text) { return kLetter * static_cast<double>(text.size()); }

std::vector<std::string> lines_of(std::string_view text, double width) {
  const auto most = static_cast<std::size_t>(std::max(4.0, width / kLetter));
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto [taken, blanks] = first_line(text, most);
    out.emplace_back(text.substr(0, taken));
    text.remove_prefix(taken + blanks);
  }
  return out;
}

std::string svg_rect(double x, double y, double width, double height, std::string_view css,
                     double opacity, std::string_view title) {
  return "<rect x=\"" + svg_place(x) + "\" y=\"" + svg_place(y) + "\" width=\"" +
         svg_place(std::max(width, 0.5)) + "\" height=\"" + svg_place(height) + "\"" +
         (opacity < 1.0 ? " opacity=\"" + fixed(opacity, 2) + "\"" : std::string()) +
         " style=\"fill:var(--" + std::string(css) + ")\">" +
         (title.empty() ? "" : element("title", title)) + "</rect>";
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css,
                     std::string_view dashes) {
  return "<line x1=\"" + svg_place(x1) + "\" y1=\"" + svg_place(y1) + "\" x2=\"" + svg_place(x2) +
         "\" y2=\"" + svg_place(y2) + "\" style=\"stroke:var(--" + std::string(css) + ")" +
         (dashes.empty() ? "" : ";stroke-dasharray:" + std::string(dashes)) + "\"/>";
}

std::string svg_label(double x, double y, std::string_view anchor, std::string_view text,
                      std::string_view css) {
  return "<text x=\"" + svg_place(x) + "\" y=\"" + svg_place(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\"" +
         (css.empty() ? "" : " style=\"fill:var(--" + std::string(css) + ")\"") + ">" +
         markup(text) + "</text>";
}

std::string svg_labels(double x, double y, std::string_view anchor,
                       const std::vector<std::string>& lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += svg_label(x, y + kTextLine * static_cast<double>(i), anchor, lines[i]);
  return out;
}

std::string svg(std::string_view name, double width, double height, const std::string& content,
                std::string_view css) {
  return "<svg role=\"img\"" + (css.empty() ? "" : " class=\"" + std::string(css) + "\"") +
         " aria-label=\"" + markup(name) + "\" viewBox=\"0 0 " + svg_place(width) + " " +
         svg_place(height) + "\">" + content + "</svg>\n";
}

std::string svg_twice(std::string_view name, const std::function<Drawn(double width)>& draw) {
  const Drawn broad = draw(kSvgWidth), slim = draw(kSlimWidth);
  return svg(name, kSvgWidth, broad.height, broad.content, "broad") +
         svg(name, kSlimWidth, slim.height, slim.content, "slim");
}

}  // namespace stallcast::report::html
