#include <algorithm>
#include <cmath>

#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/picture_load.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kInner = 12.0, kBar = 5.0;
/// Letters of 13 are about so wide; bold ones a little more.
constexpr double kLetterWidth = 7.3;

std::string n(double value) { return std::to_string(static_cast<long>(std::lround(value))); }

std::string text(double x, double y, std::string_view css, std::string_view content,
                 std::string_view anchor = "start") {
  return "<text class=\"" + std::string(css) + "\" x=\"" + n(x) + "\" y=\"" + n(y) +
         "\" text-anchor=\"" + std::string(anchor) + "\">" + markup(content) + "</text>";
}

std::string fitted(const std::string& content, double width) {
  const auto most = static_cast<std::size_t>(std::max(4.0, width / kLetterWidth));
  return content.size() <= most ? content : content.substr(0, most - 3) + "...";
}

std::string bar(double x, double y, double width, const PartLoad& load) {
  const std::string full(load.limit ? "bad" : "bar");
  return svg_rect(x, y, width, kBar, "empty") +
         svg_rect(x, y, width * load.in_use, kBar, full, 0.4) +
         svg_rect(x, y, width * load.mean, kBar, full);
}

std::string draw_part(const Prediction& p, const PicturePart& part, double x, double y,
                      double width) {
  const PartLoad load = part_load(p, part);
  const std::string label = part.count.empty() ? part.label : part.count + " " + part.label;
  const double room = width - kLetterWidth * static_cast<double>(load.text.size()) - kInner;
  std::string out = text(x, y + 14.0, load.limit ? "limit" : "", fitted(label, room));
  if (load.known) {
    out += text(x + width, y + 14.0, load.limit ? "limit" : "soft", load.text, "end");
    out += bar(x, y + 20.0, width, load);
  } else if (!load.text.empty()) {
    out += text(x + width, y + 14.0, load.limit ? "limit" : "soft", load.text, "end");
  }
  const std::string tip = load.tip.empty() ? "" : "<title>" + markup(load.tip) + "</title>";
  return "<g>" + tip + out + "</g>";
}

std::string draw_box(const Prediction& p, const PictureBox& b, double x, double y) {
  const bool limit = is_limit(p, b);
  const double inner = b.width - 2.0 * kInner;
  std::string out = "<rect class=\"box" + std::string(limit ? " at-limit" : "") + "\" x=\"" + n(x) +
                    "\" y=\"" + n(y) + "\" width=\"" + n(b.width) + "\" height=\"" + n(b.height) +
                    "\" rx=\"6\"/>";
  out += text(x + kInner, y + 20.0, "name", fitted(b.title, inner * 0.93));
  out += text(x + kInner, y + 36.0, "soft", fitted(b.subtitle, inner));
  double at = y + kPictureHead;
  for (const PicturePart& part : b.parts) {
    out += draw_part(p, part, x + kInner, at, inner);
    at += kPictureRow;
  }
  return "<g><title>" + markup(b.path) + "</title>" + out + "</g>\n";
}

std::string draw_wire(const Prediction& p, const Picture& picture, const PictureWire& w) {
  const PartLoad load = wire_load(p, w);
  const PictureBox &from = picture.boxes[w.from], &to = picture.boxes[w.to];
  const double x1 = from.x + from.width, x2 = to.x, middle = (x1 + x2) / 2.0;
  return "<path class=\"wire" + std::string(load.limit ? " at-limit" : "") + "\" stroke-width=\"" +
         n(wire_width(load)) + "\" d=\"M" + n(x1) + " " + n(w.y_from) + " C" + n(middle) + " " +
         n(w.y_from) + " " + n(middle) + " " + n(w.y_to) + " " + n(x2) + " " + n(w.y_to) +
         "\"><title>" + markup(load.tip) + "</title></path>";
}

std::string drawing(std::string_view css, double width, double height, const std::string& content) {
  return "<svg role=\"img\" class=\"system " + std::string(css) +
         "\" aria-label=\"the system, and how busy its parts are\" viewBox=\"0 0 " + n(width) +
         " " + n(height) + "\" style=\"max-width:" + fixed(width / 16.0, 2) + "rem\">" + content +
         "</svg>\n";
}

PictureBox wide(PictureBox b, double width) {
  b.width = width;
  return b;
}

/// For narrow screens: the same boxes below each other, from left to right.
std::string stacked(const Prediction& p) {
  constexpr double kStep = 22.0, kEdge = 2.0;
  std::vector<const PictureBox*> order;
  for (const PictureBox& b : p.picture.boxes) order.push_back(&b);
  std::stable_sort(order.begin(), order.end(),
                   [](const PictureBox* a, const PictureBox* b) { return a->x < b->x; });
  double widest = 0.0;
  for (const PictureBox* b : order) widest = std::max(widest, b->width);
  std::string content;
  double y = kEdge;
  for (const PictureBox* b : order) {
    if (y > kEdge) {
      const double middle = kEdge + widest / 2.0;
      content += "<path class=\"wire\" stroke-width=\"2\" d=\"M" + n(middle) + " " + n(y - kStep) +
                 " V" + n(y) + "\"/>";
    }
    content += draw_box(p, wide(*b, widest), kEdge, y);
    y += b->height + kStep;
  }
  return drawing("slim", widest + 2.0 * kEdge, y - kStep + kEdge, content);
}

}  // namespace

namespace {

/// What is red, or where what limits is no part of the drawing what it is.
std::string limit_in_words(const Prediction& p) {
  const auto limits = [&](const PicturePart& part) { return part_load(p, part).limit; };
  for (const PictureBox& b : p.picture.boxes)
    if (is_limit(p, b))
      return std::any_of(b.parts.begin(), b.parts.end(), limits)
                 ? "; red is what limits"
                 : "; red is what limits: no part of it alone, all of them together";
  for (const PictureWire& w : p.picture.wires)
    if (wire_load(p, w).limit) return "; red is what limits";
  const Limit limit = limit_of(p);
  const bool named = limit.kind == Limit::Kind::gain || limit.kind == Limit::Kind::resource ||
                     limit.kind == Limit::Kind::waited || limit.kind == Limit::Kind::together;
  return named ? "; what limits, the " + limit.label + ", is not in the drawing" : "";
}

}  // namespace

std::string picture_figure(const Prediction& p, std::string_view id) {
  if (p.picture.empty()) return "";
  std::string content;
  for (const PictureWire& w : p.picture.wires) content += draw_wire(p, p.picture, w);
  for (const PictureBox& b : p.picture.boxes) content += draw_box(p, b, b.x, b.y);
  return "<figure id=\"" + std::string(id) + "\">\n" +
         drawing("broad", p.picture.width, p.picture.height, content) + stacked(p) +
         element("figcaption",
                 is_estimate(p) ? "How busy each part is at most."
                                : "How busy each part is: dark over the whole run, light while it "
                                  "is in use" +
                                      limit_in_words(p) + ".",
                 "soft") +
         "</figure>\n";
}

}  // namespace stallcast::report::html
