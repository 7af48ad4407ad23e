#include "ui/desktop/lane_paint.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace stallcast::desktop {

QColor colour_of(GanttData::What what, const Theme& theme) {
  switch (what) {
    case GanttData::What::step:
      return theme.causes[0];
    case GanttData::What::stall:
      return theme.bad;
    case GanttData::What::checkpoint:
      return theme.causes[5];
    case GanttData::What::flush:
      return theme.warn;
    case GanttData::What::transfer:
      return theme.causes[2];
    case GanttData::What::other:
      break;
  }
  return theme.faint;
}

namespace {

constexpr std::size_t kKinds = 6;  // of GanttData::What
constexpr double kSeen = 0.01;     // of a pixel's time

/// How much of each pixel of a lane is of which kind; spans come by begin.
class Pixels {
 public:
  using Time = std::array<double, kKinds>;
  explicit Pixels(std::size_t count) : time_(count), mixed_(count) {}

  /// A span over `left` to `right`, in pixels. Long ones count where they begin and end: between
  /// them nothing else is.
  void add(double left, double right, std::size_t kind) {
    const double end = static_cast<double>(time_.size());
    if (right <= 0.0 || left >= end) return;
    const auto first = static_cast<std::size_t>(std::max(left, 0.0));
    const auto last = static_cast<std::size_t>(std::min(right, end - 0.5));
    for (const std::size_t pixel : {first, last}) {
      const double from = static_cast<double>(pixel);
      time_[pixel][kind] += std::max(0.0, std::min(right, from + 1.0) - std::max(left, from));
      mixed_[pixel] = mixed_[pixel] || right - left < 1.0;
      if (first == last) break;
    }
  }

  template <class Use>
  void for_each_mixed(const Use& use) const {
    for (std::size_t pixel = 0; pixel < time_.size(); ++pixel)
      if (mixed_[pixel]) use(pixel, time_[pixel]);
  }

 private:
  std::vector<Time> time_;
  std::vector<bool> mixed_;
};

}  // namespace

void paint_spans(QPainter& painter, const std::vector<GanttData::Span>& spans, double from,
                 double to, const QRectF& area, const Theme& theme, bool named) {
  const double scale = area.width() / (to - from);
  const auto first = std::lower_bound(spans.begin(), spans.end(), from,
                                      [](const GanttData::Span& s, double t) { return s.end < t; });
  Pixels pixels(static_cast<std::size_t>(std::ceil(area.width())) + 1);
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (auto span = first; span != spans.end() && span->begin <= to; ++span) {
    const double left = (span->begin - from) * scale, right = (span->end - from) * scale;
    const auto kind = static_cast<std::size_t>(span->what);
    pixels.add(left, right, kind);
    if (right - left < 1.0) continue;
    const QColor colour = colour_of(span->what, theme);
    const QRectF box(area.left() + left, area.top(), right - left, area.height());
    painter.fillRect(box, colour);
    if (named && QFontMetricsF(painter.font()).horizontalAdvance(span->text) + 6 < box.width()) {
      painter.setPen(readable_on(colour));
      painter.drawText(box, Qt::AlignCenter, span->text);
    }
  }
  // Spans that share a pixel share its height as they share its time, long ones that reach into it
  // too; what is more than next to nothing of a stall is never rounded away.
  pixels.for_each_mixed([&](std::size_t pixel, const Pixels::Time& time) {
    const double all = std::accumulate(time.begin(), time.end(), 0.0);
    double bottom = area.bottom();
    for (std::size_t kind = kKinds; kind-- > 0 && all > 0.0;) {
      const auto what = static_cast<GanttData::What>(kind);
      const double share = time[kind] / all;
      double high = share * area.height();
      if (what == GanttData::What::stall && share >= kSeen) high = std::max(high, 1.0);
      if (high <= 0.0) continue;
      painter.fillRect(QRectF(area.left() + static_cast<double>(pixel), bottom - high, 1.0, high),
                       colour_of(what, theme));
      bottom -= high;
    }
  });
  painter.setRenderHint(QPainter::Antialiasing, true);
}

}  // namespace stallcast::desktop
