#include "ui/desktop/gantt.hpp"

#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/desktop/figures.hpp"
#include "ui/desktop/lane_paint.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kGanttRow = 1.6;  // lines of text
constexpr std::size_t kMostTwinRows = 5000;

}  // namespace

Gantt::Gantt(QWidget* parent)
    : TimeChart(parent, {tr("lane"), tr("what"), tr("begin"), tr("end"), tr("lasts")}) {
  constexpr int kRestMs = 100;
  refill_.setSingleShot(true);
  refill_.setInterval(kRestMs);
  connect(&refill_, &QTimer::timeout, this, &Gantt::fill_twin);
}

void Gantt::set(GanttData timeline) {
  timeline_ = std::move(timeline);
  lane_ = 0;
  kinds_.clear();
  for (const GanttData::Lane& lane : timeline_.lanes)
    for (const GanttData::Span& span : lane.spans) kinds_.insert(span.what);
  set_time(timeline_.begin, timeline_.end);
  fill_twin();
  say();
  updateGeometry();
}

void Gantt::fill_twin() {
  std::vector<Row> rows;
  for (const GanttData::Lane& lane : timeline_.lanes)
    for (const GanttData::Span& span : lane.spans) {
      if (rows.size() >= kMostTwinRows || span.begin > to()) break;
      if (span.end < from()) continue;
      rows.push_back({Cell(lane.name), Cell(span.text), figure_cell(span.begin, "s"),
                      figure_cell(span.end, "s"), figure_cell(span.end - span.begin, "s")});
    }
  twin_.set(std::move(rows));
}

void Gantt::range_shown() { refill_.start(); }

void Gantt::say() {
  if (timeline_.empty()) return describe(tr("No timeline was recorded"));
  std::size_t stalls = 0;
  for (const GanttData::Lane& lane : timeline_.lanes)
    for (const GanttData::Span& span : lane.spans)
      stalls += span.what == GanttData::What::stall ? 1 : 0;
  QString text = tr("%1 lanes over %2, %3 stalls")
                     .arg(timeline_.lanes.size())
                     .arg(figure_text(timeline_.end, "s"))
                     .arg(stalls);
  if (hasFocus()) text += tr("; at %1").arg(timeline_.lanes[lane_].name);
  describe(text);
}

QString Gantt::label(const GanttData::Lane& lane) const {
  return pinned_.contains(lane.name) ? QStringLiteral("\u2605 ") + lane.name : lane.name;
}

void Gantt::set_pinned(const QStringList& lanes) {
  pinned_ = lanes;
  update();
}

double Gantt::needed_label_width() const {
  double out = 0.0;
  for (const GanttData::Lane& lane : timeline_.lanes)
    out = std::max(out, QFontMetricsF(font()).horizontalAdvance(label(lane)));
  return out + line();
}

QSize Gantt::minimumSizeHint() const {
  return in_lines(24, kGanttRow * static_cast<double>(timeline_.lanes.size()) + 3.2);
}

void Gantt::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  if (timeline_.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height(), labels = label_width();
  const QRectF plot(area.left() + labels, area.top() + 1.4 * unit,
                    area.width() - labels - right_gap(), area.height() - 1.4 * unit);
  paint_ticks(painter, plot, theme);
  double y = plot.top();
  for (const GanttData::Lane& lane : timeline_.lanes) {
    painter.setPen(theme.text);
    const QRectF place(area.left(), y, labels - 6, kGanttRow * unit);
    painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(label(lane), Qt::ElideMiddle, labels - 6));
    if (hasFocus() && &lane == &timeline_.lanes[lane_]) {
      painter.setPen(QPen(theme.accent, 1, Qt::DotLine));
      painter.drawRect(place.adjusted(0, 1, 0, -1));
    }
    painter.save();
    painter.setClipRect(QRectF(plot.left(), y, plot.width(), kGanttRow * unit));
    paint_spans(painter, lane.spans, from(), to(),
                QRectF(plot.left(), y + 0.1 * unit, plot.width(), (kGanttRow - 0.2) * unit), theme,
                true);
    painter.restore();
    y += kGanttRow * unit;
  }
  paint_choice(painter, plot, theme);
  paint_legend(painter, area, theme);
}

void Gantt::paint_legend(QPainter& painter, const QRectF& area, const Theme& theme) const {
  const std::pair<GanttData::What, QString> names[] = {
      {GanttData::What::step, tr("compute")},
      {GanttData::What::stall, tr("waiting")},
      {GanttData::What::checkpoint, tr("saving, restarting")},
      {GanttData::What::flush, tr("saves on their way")},
      {GanttData::What::transfer, tr("reading")},
      {GanttData::What::other, tr("other")}};
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height(), box = 0.6 * unit, top = area.bottom() - unit;
  double x = area.left() + label_width();
  for (const auto& [what, name] : names) {
    const double wide = metrics.horizontalAdvance(name);
    if (!kinds_.contains(what) || x + box + wide > area.right()) continue;
    painter.fillRect(QRectF(x, top + 0.2 * unit, box, box), colour_of(what, theme));
    painter.setPen(theme.faint);
    painter.drawText(QRectF(x + 1.4 * box, top, wide + 2.0, unit), Qt::AlignLeft, name);
    x += wide + 1.4 * box + unit;
  }
}

bool Gantt::go_to_stall(bool forward) {
  const double middle = (from() + to()) / 2.0;
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
               half = std::max((to() - from()) / 2.0, best->end - best->begin);
  // Near the ends the range cannot be centred without a smaller one.
  const double room = std::min({half, at - begin(), timeline_.end - at});
  show_range(at - room, at + room);
  return true;
}

bool Gantt::choose_lane(double y) {
  const double row = (y - 2.0) / line() - 1.4;
  const auto lane = static_cast<std::size_t>(std::max(0.0, row / kGanttRow));
  if (row < 0.0 || lane >= timeline_.lanes.size()) return false;
  lane_ = lane;
  say();
  return true;
}

void Gantt::keyPressEvent(QKeyEvent* event) {
  if (timeline_.empty()) return TimeChart::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_N:
    case Qt::Key_P:
      go_to_stall(event->key() == Qt::Key_N);
      return;
    case Qt::Key_Up:
      lane_ -= lane_ > 0 ? 1 : 0;
      return say();
    case Qt::Key_Down:
      lane_ += lane_ + 1 < timeline_.lanes.size() ? 1 : 0;
      return say();
    case Qt::Key_Space:
      emit pin_wanted(timeline_.lanes[lane_].name);
      return;
    default:
      TimeChart::keyPressEvent(event);
  }
}

void Gantt::mousePressEvent(QMouseEvent* event) {
  choose_lane(event->position().y());
  TimeChart::mousePressEvent(event);
}

void Gantt::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_mouse = event->reason() == QContextMenuEvent::Mouse;
  if (timeline_.empty() || (by_mouse && !choose_lane(event->pos().y()))) return;
  const QString name = timeline_.lanes[lane_].name;
  QMenu menu(this);
  menu.addAction(pinned_.contains(name) ? tr("&Unpin %1").arg(name) : tr("&Pin %1").arg(name));
  if (menu.exec(event->globalPos()) != nullptr) emit pin_wanted(name);
}

}  // namespace stallcast::desktop
