#include "ui/desktop/time_chart.hpp"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/desktop/figures.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kMargin = 2.0;      // of Chart::paintEvent
constexpr double kSameTime = 1e-12;  // of all time: rounding, no other range
constexpr double kMinute = 60.0, kHour = 3600.0, kDay = 86400.0;

}  // namespace

double tick_step(double span) {
  const double rough = span / 6.0;
  if (rough > kDay / 2.0) return kDay * std::max(1.0, report::decimal_step(rough / kDay));
  for (const double step : {30.0, kMinute, 2.0 * kMinute, 5.0 * kMinute, 10.0 * kMinute,
                            30.0 * kMinute, kHour, 2.0 * kHour, 6.0 * kHour, kDay / 2.0})
    if (rough <= step && rough > 10.0) return step;
  return report::decimal_step(rough);
}

QString tick_text(double seconds, double step) {
  const QString text = figure_text(seconds, "s");
  // As everywhere, unless that is too short to tell it from the ticks beside it.
  if (text != figure_text(seconds - step, "s") && text != figure_text(seconds + step, "s"))
    return text;
  QStringList parts;
  double left = std::round(seconds / step) * step;
  for (const auto& [unit, name] : {std::pair{kDay, "d"}, {kHour, "h"}, {kMinute, "min"}}) {
    const double whole = std::floor(left / unit + kSameTime);
    left = std::max(0.0, left - whole * unit);
    if (whole > 0.0)
      parts << QStringLiteral("%1 %2").arg(whole, 0, 'f', 0).arg(QLatin1String(name));
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + kSameTime)));
  if (left > step / 2.0) parts << QStringLiteral("%1 s").arg(left, 0, 'f', decimals);
  return parts.isEmpty() ? text : parts.join(u' ');
}

TimeChart::TimeChart(QWidget* parent, QStringList headers) : Chart(parent, std::move(headers)) {
  setFocusPolicy(Qt::StrongFocus);
}

void TimeChart::set_time(double begin, double end) {
  begin_ = begin;
  end_ = end;
  choosing_ = false;
  show_range(begin, end);
}

void TimeChart::show_all() { show_range(begin_, end_); }

void TimeChart::show_range(double from, double to) {
  const double all = std::max(end_ - begin_, 1e-9);
  const double span = std::clamp(to - from, all * 1e-9, all);
  const double start = std::clamp(from, begin_, std::max(begin_, end_ - span));
  const bool other =
      std::abs(start - from_) > kSameTime * all || std::abs(start + span - to_) > kSameTime * all;
  from_ = start;
  to_ = start + span;
  range_shown();
  update();
  if (other) emit range_changed(from_, to_);
}

double TimeChart::label_width() const {
  double out = needed_label_width();
  for (const TimeChart* chart : linked_) out = std::max(out, chart->needed_label_width());
  return std::min(out, 0.3 * width());
}

double TimeChart::right_gap() const {
  const auto right_of = [](const TimeChart& chart) {
    return chart.mapTo(chart.window(), QPoint(chart.width(), 0)).x();
  };
  int out = 0;
  for (const TimeChart* chart : linked_)
    if (chart->isVisible() && isVisible()) out = std::max(out, right_of(*this) - right_of(*chart));
  return out;
}

void TimeChart::zoom(double factor, double around) {
  show_range(around + (from_ - around) * factor, around + (to_ - around) * factor);
}

double TimeChart::time_at(double x) const {
  const double left = label_width() + kMargin;
  const double wide = std::max(1.0, width() - left - kMargin - right_gap());
  const double at = from_ + (x - left) / wide * (to_ - from_);
  return std::clamp(at, from_, to_);
}

void TimeChart::paint_ticks(QPainter& painter, const QRectF& plot, const Theme& theme) const {
  const double tick = tick_step(to_ - from_);
  const QFontMetricsF metrics(painter.font());
  double free = plot.left();
  for (double t = std::ceil(from_ / tick) * tick; t <= to_; t += tick) {
    const double x = plot.left() + (t - from_) / (to_ - from_) * plot.width();
    painter.setPen(theme.grid);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    const QString text = tick_text(t, tick);
    const double wide = metrics.horizontalAdvance(text);
    if (x < free || x + 2 + wide > plot.right()) continue;
    painter.setPen(theme.faint);
    painter.drawText(QPointF(x + 2, plot.top() - 0.4 * metrics.height()), text);
    free = x + wide + metrics.height();
  }
}

void TimeChart::paint_choice(QPainter& painter, const QRectF& plot, const Theme& theme) const {
  if (!choosing_) return;
  const auto x_of = [&](double t) {
    return plot.left() + (t - from_) / (to_ - from_) * plot.width();
  };
  const QRectF box =
      QRectF(QPointF(x_of(choice_from_), plot.top()), QPointF(x_of(choice_to_), plot.bottom()))
          .normalized();
  QColor fill = theme.accent;
  fill.setAlphaF(0.25F);
  painter.fillRect(box, fill);
  painter.setPen(QPen(theme.accent, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box);
}

void TimeChart::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  for (TimeChart* chart : linked_) chart->update();
}

void TimeChart::wheelEvent(QWheelEvent* event) {
  zoom(event->angleDelta().y() > 0 ? 0.8 : 1.25, time_at(event->position().x()));
}

void TimeChart::keyPressEvent(QKeyEvent* event) {
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
    case Qt::Key_Home:
      return show_all();
    case Qt::Key_B:
      emit bookmark_wanted();
      return;
    default:
      Chart::keyPressEvent(event);
  }
}

void TimeChart::mousePressEvent(QMouseEvent* event) {
  grabbed_ = event->position().x();
  choosing_ = event->modifiers().testFlag(Qt::ShiftModifier);
  choice_from_ = choice_to_ = time_at(grabbed_);
}

void TimeChart::mouseMoveEvent(QMouseEvent* event) {
  const double x = event->position().x();
  if (choosing_) {
    choice_to_ = time_at(x);
    update();
    return;
  }
  const double moved =
      (grabbed_ - x) / std::max(1.0, width() - label_width() - right_gap()) * (to_ - from_);
  grabbed_ = x;
  show_range(from_ + moved, to_ + moved);
}

void TimeChart::mouseReleaseEvent(QMouseEvent*) {
  if (!choosing_) return;
  choosing_ = false;
  update();
  const auto [low, high] = std::minmax(choice_from_, choice_to_);
  if (high > low) show_range(low, high);
}

}  // namespace stallcast::desktop
