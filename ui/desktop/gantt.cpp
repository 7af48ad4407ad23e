#include "ui/desktop/gantt.hpp"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/desktop/figures.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kKinds = 6;  // of GanttData::What
constexpr double kSeen = 0.01;     // of a pixel's time
constexpr double kRow = 1.6;       // lines of text
constexpr std::size_t kMostTwinRows = 5000;

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

}  // namespace

Gantt::Gantt(QWidget* parent)
    : Chart(parent), twin_({tr("lane"), tr("what"), tr("begin"), tr("end"), tr("lasts")}) {
  setFocusPolicy(Qt::StrongFocus);
}

void Gantt::set(GanttData timeline) {
  timeline_ = std::move(timeline);
  std::vector<Row> rows;
  std::size_t stalls = 0;
  for (const GanttData::Lane& lane : timeline_.lanes)
    for (const GanttData::Span& span : lane.spans) {
      stalls += span.what == GanttData::What::stall ? 1 : 0;
      if (rows.size() >= kMostTwinRows) continue;
      rows.push_back({Cell(lane.name), Cell(span.text),
                      Cell(figure_text(span.begin, "s"), span.begin),
                      Cell(figure_text(span.end, "s"), span.end),
                      Cell(figure_text(span.end - span.begin, "s"), span.end - span.begin)});
    }
  twin_.set(std::move(rows));
  describe(timeline_.empty() ? tr("No timeline was recorded")
                             : tr("%1 lanes over %2, %3 stalls")
                                   .arg(timeline_.lanes.size())
                                   .arg(figure_text(timeline_.end, "s"))
                                   .arg(stalls));
  show_range(timeline_.begin, timeline_.end);
  updateGeometry();
}

double Gantt::label_width() const {
  double out = 0.0;
  for (const GanttData::Lane& lane : timeline_.lanes)
    out = std::max(out, QFontMetricsF(font()).horizontalAdvance(lane.name));
  return std::min(out + line(), 0.3 * width());
}

QSize Gantt::minimumSizeHint() const {
  return {static_cast<int>(30 * line()),
          static_cast<int>((kRow * static_cast<double>(timeline_.lanes.size()) + 2.0) * line())};
}

void Gantt::show_range(double from, double to) {
  const double all = std::max(timeline_.end - timeline_.begin, 1e-9);
  const double span = std::clamp(to - from, all * 1e-9, all);
  from_ = std::clamp(from, timeline_.begin, std::max(timeline_.begin, timeline_.end - span));
  to_ = from_ + span;
  update();
}

void Gantt::zoom(double factor, double around) {
  show_range(around + (from_ - around) * factor, around + (to_ - around) * factor);
}

void Gantt::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  if (timeline_.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height(), labels = label_width();
  const QRectF plot(area.left() + labels, area.top() + 1.4 * unit, area.width() - labels,
                    area.height() - 1.4 * unit);
  // Ticks at 1, 2 or 5 times a power of ten.
  const double rough = (to_ - from_) / 6.0, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double tick = power * (rough / power < 2.0 ? 2.0 : rough / power < 5.0 ? 5.0 : 10.0);
  for (double t = std::ceil(from_ / tick) * tick; t <= to_; t += tick) {
    const double x = plot.left() + (t - from_) / (to_ - from_) * plot.width();
    painter.setPen(theme.grid);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    painter.setPen(theme.faint);
    painter.drawText(QPointF(x + 2, area.top() + unit), figure_text(t, "s"));
  }
  double y = plot.top();
  for (const GanttData::Lane& lane : timeline_.lanes) {
    painter.setPen(theme.text);
    painter.drawText(QRectF(area.left(), y, labels - 6, kRow * unit),
                     Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(lane.name, Qt::ElideMiddle, labels - 6));
    painter.save();
    painter.setClipRect(QRectF(plot.left(), y, plot.width(), kRow * unit));
    paint_lane(painter, lane,
               QRectF(plot.left(), y + 0.1 * unit, plot.width(), (kRow - 0.2) * unit), theme);
    painter.restore();
    y += kRow * unit;
  }
}

void Gantt::paint_lane(QPainter& painter, const GanttData::Lane& lane, const QRectF& area,
                       const Theme& theme) const {
  const QFontMetricsF metrics(painter.font());
  const double scale = area.width() / (to_ - from_);
  auto span = std::lower_bound(lane.spans.begin(), lane.spans.end(), from_,
                               [](const GanttData::Span& s, double t) { return s.end < t; });
  painter.setRenderHint(QPainter::Antialiasing, false);
  while (span != lane.spans.end() && span->begin <= to_) {
    const double left = area.left() + (span->begin - from_) * scale;
    const double right = area.left() + (span->end - from_) * scale;
    const QColor colour = colour_of(span->what, theme);
    if (right - left >= 1.0) {
      const QRectF box(left, area.top(), right - left, area.height());
      painter.fillRect(box, colour);
      if (metrics.horizontalAdvance(span->text) + 6 < box.width()) {
        painter.setPen(colour.lightness() > 140 ? Qt::black : Qt::white);
        painter.drawText(box, Qt::AlignCenter, span->text);
      }
      ++span;
      continue;
    }
    // All spans that begin in this pixel share its height as they share its time; what is more than
    // next to nothing of a stall is never rounded away.
    const double pixel = std::floor(left - area.left());
    const double pixel_end = from_ + (pixel + 1.0) / scale;
    std::array<double, kKinds> time{};
    double all = 0.0;
    do {
      time[static_cast<std::size_t>(span->what)] += span->end - span->begin;
      all += span->end - span->begin;
      ++span;
    } while (span != lane.spans.end() && span->begin < pixel_end);
    double bottom = area.bottom();
    for (std::size_t kind = kKinds; kind-- > 0 && all > 0.0;) {
      const auto what = static_cast<GanttData::What>(kind);
      const double share = time[kind] / all;
      double high = share * area.height();
      if (what == GanttData::What::stall && share >= kSeen) high = std::max(high, 1.0);
      if (high <= 0.0) continue;
      painter.fillRect(QRectF(area.left() + pixel, bottom - high, 1.0, high),
                       colour_of(what, theme));
      bottom -= high;
    }
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
}

bool Gantt::go_to_stall(bool forward) {
  const double middle = (from_ + to_) / 2.0;
  const GanttData::Span* best = nullptr;
  for (const GanttData::Lane& lane : timeline_.lanes)
    for (const GanttData::Span& span : lane.spans) {
      const double at = (span.begin + span.end) / 2.0;
      if (span.what != GanttData::What::stall || std::abs(at - middle) <= 1e-9 * timeline_.end ||
          (at > middle) != forward)
        continue;
      if (best == nullptr ||
          std::abs(at - middle) < std::abs((best->begin + best->end) / 2.0 - middle))
        best = &span;
    }
  if (best == nullptr) return false;
  const double at = (best->begin + best->end) / 2.0,
               half = std::max((to_ - from_) / 2.0, best->end - best->begin);
  // Near the ends the range cannot be centred without a smaller one.
  const double room = std::min({half, at - timeline_.begin, timeline_.end - at});
  show_range(at - room, at + room);
  return true;
}

void Gantt::wheelEvent(QWheelEvent* event) {
  const double labels = label_width();
  const double at =
      from_ + (event->position().x() - labels) / std::max(1.0, width() - labels) * (to_ - from_);
  zoom(event->angleDelta().y() > 0 ? 0.8 : 1.25, std::clamp(at, from_, to_));
}

void Gantt::keyPressEvent(QKeyEvent* event) {
  const double step = 0.2 * (to_ - from_), middle = (from_ + to_) / 2.0;
  switch (event->key()) {
    case Qt::Key_W:
      return zoom(0.7, middle);
    case Qt::Key_S:
      return zoom(1.0 / 0.7, middle);
    case Qt::Key_A:
      return show_range(from_ - step, to_ - step);
    case Qt::Key_D:
      return show_range(from_ + step, to_ + step);
    case Qt::Key_N:
    case Qt::Key_P:
      go_to_stall(event->key() == Qt::Key_N);
      return;
    case Qt::Key_Home:
      return show_range(timeline_.begin, timeline_.end);
    default:
      Chart::keyPressEvent(event);
  }
}

void Gantt::mousePressEvent(QMouseEvent* event) { grabbed_ = event->position().x(); }

void Gantt::mouseMoveEvent(QMouseEvent* event) {
  const double moved =
      (grabbed_ - event->position().x()) / std::max(1.0, width() - label_width()) * (to_ - from_);
  grabbed_ = event->position().x();
  show_range(from_ + moved, to_ + moved);
}

}  // namespace stallcast::desktop
