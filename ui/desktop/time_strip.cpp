#include "ui/desktop/time_strip.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/desktop/figures.hpp"
#include "ui/desktop/lane_paint.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kStripHeight = 1.6;  // lines of text
constexpr double kGripWidth = 6.0;    // pixels
constexpr double kNarrowest = 1e-6;   // of all time

}  // namespace

TimeStrip::TimeStrip(QWidget* parent) : Chart(parent, {tr("what"), tr("from"), tr("to")}) {
  setFocusPolicy(Qt::StrongFocus);
  setToolTip(tr("All that was recorded: drag the range, or its ends"));
}

void TimeStrip::set(const GanttData& recorded) {
  lane_ = recorded.empty() ? GanttData::Lane{} : recorded.lanes.front();
  begin_ = recorded.begin;
  end_ = std::max(recorded.end, recorded.begin + 1e-9);
  show_window(begin_, end_);
}

void TimeStrip::show_window(double from, double to) {
  from_ = from;
  to_ = to;
  twin_.set({{Cell(tr("recorded")), figure_cell(begin_, "s"), figure_cell(end_, "s")},
             {Cell(tr("on screen")), figure_cell(from_, "s"), figure_cell(to_, "s")}});
  describe(tr("%1 to %2 of %3 to %4")
               .arg(figure_text(from_, "s"), figure_text(to_, "s"), figure_text(begin_, "s"),
                    figure_text(end_, "s")));
}

QSize TimeStrip::sizeHint() const { return in_lines(30, kStripHeight); }

QSize TimeStrip::minimumSizeHint() const { return in_lines(10, kStripHeight); }

double TimeStrip::x_at(double time) const {
  return (time - begin_) / (end_ - begin_) * std::max(1, width());
}

double TimeStrip::time_at(double x) const {
  return begin_ + std::clamp(x / std::max(1, width()), 0.0, 1.0) * (end_ - begin_);
}

void TimeStrip::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  painter.fillRect(area, theme.palette.color(QPalette::Base));
  paint_spans(painter, lane_.spans, begin_, end_, area, theme, false);
  QColor shade = theme.palette.color(QPalette::Window);
  shade.setAlphaF(0.65F);
  const double left = std::max(area.left(), x_at(from_)), right = std::min(area.right(), x_at(to_));
  painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), shade);
  painter.fillRect(QRectF(right, area.top(), area.right() - right, area.height()), shade);
  // However narrow the range is, there is something to grasp.
  const double wide = std::max(right - left, 3.0);
  painter.setPen(QPen(theme.accent, 2.0));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(
      QRectF(std::min(left, area.right() - wide), area.top() + 1.0, wide, area.height() - 2.0));
}

void TimeStrip::move_to(double from, double to) {
  const double all = end_ - begin_;
  const double span = std::clamp(to - from, kNarrowest * all, all);
  const double start = std::clamp(from, begin_, end_ - span);
  emit moved(start, start + span);
}

void TimeStrip::mousePressEvent(QMouseEvent* event) {
  const double x = event->position().x();
  grip_ = std::abs(x - x_at(from_)) <= kGripWidth && x_at(to_) - x_at(from_) > 2.0 * kGripWidth
              ? Grip::begin
          : std::abs(x - x_at(to_)) <= kGripWidth && x_at(to_) - x_at(from_) > 2.0 * kGripWidth
              ? Grip::end
              : Grip::whole;
  grabbed_ = time_at(x);
  const bool outside = x < x_at(from_) - kGripWidth || x > x_at(to_) + kGripWidth;
  if (!outside) return;
  const double half = (to_ - from_) / 2.0;
  move_to(grabbed_ - half, grabbed_ + half);
}

void TimeStrip::mouseMoveEvent(QMouseEvent* event) {
  const double now = time_at(event->position().x());
  const double by = now - grabbed_;
  grabbed_ = now;
  if (grip_ == Grip::whole)
    move_to(from_ + by, to_ + by);
  else if (grip_ == Grip::begin)
    move_to(std::min(now, to_), to_);
  else
    move_to(from_, std::max(now, from_));
}

void TimeStrip::keyPressEvent(QKeyEvent* event) {
  const double step = 0.5 * (to_ - from_);
  switch (event->key()) {
    case Qt::Key_Left:
      return move_to(from_ - step, to_ - step);
    case Qt::Key_Right:
      return move_to(from_ + step, to_ + step);
    case Qt::Key_Up:
      return move_to(from_ + step / 2.0, to_ - step / 2.0);
    case Qt::Key_Down:
      return move_to(from_ - step / 2.0, to_ + step / 2.0);
    case Qt::Key_Home:
      return move_to(begin_, end_);
    default:
      Chart::keyPressEvent(event);
  }
}

}  // namespace stallcast::desktop
