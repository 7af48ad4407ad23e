#include "ui/desktop/tornado_chart.hpp"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "ui/desktop/figures.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kTornadoRow = 2.5;  // lines of text

}  // namespace

TornadoChart::TornadoChart(QWidget* parent)
    : Chart(parent, {tr("input"), tr("low"), tr("metric there"), tr("high"), tr("metric there")}) {}

void TornadoChart::set(std::vector<Bar> bars, const QString& metric, const Metric& now) {
  bars_ = std::move(bars);
  std::stable_sort(bars_.begin(), bars_.end(), [](const Bar& a, const Bar& b) {
    return std::abs(a.high - a.low) > std::abs(b.high - b.low);
  });
  metric_ = metric;
  now_ = now;
  current_ = 0;
  std::vector<Row> rows;
  for (const Bar& bar : bars_)
    rows.push_back({Cell(bar.name), Cell(bar.low_text), figure_cell(bar.low, now.unit),
                    Cell(bar.high_text), figure_cell(bar.high, now.unit)});
  twin_.set(
      {tr("input"), tr("low"), tr("%1 there").arg(metric), tr("high"), tr("%1 there").arg(metric)},
      std::move(rows));
  describe(bars_.empty() ? tr("No input moves %1").arg(metric)
                         : tr("%1 moves most with %2").arg(metric, bars_.front().name));
  updateGeometry();
}

QSize TornadoChart::minimumSizeHint() const {
  return in_lines(14, kTornadoRow * at_least_one(bars_.size()) + 2.5);
}

void TornadoChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  if (bars_.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height();
  double low = now_.value, high = now_.value;
  for (const Bar& bar : bars_) {
    low = std::min({low, bar.low, bar.high});
    high = std::max({high, bar.low, bar.high});
  }
  std::tie(low, high) = told_apart(low, high, now_.unit);
  if (high <= low) high = low + 1e-12;
  const QString low_end = figure_text(low, now_.unit), high_end = figure_text(high, now_.unit);
  const auto x_of = [&](double value) {
    return area.left() + (value - low) / (high - low) * area.width();
  };
  painter.setPen(theme.text);
  const QRectF head(area.left(), area.top(), area.width(), 1.2 * unit);
  painter.drawText(head, Qt::AlignLeft, low_end);
  painter.drawText(head, Qt::AlignRight, high_end);
  painter.drawText(head, Qt::AlignHCenter, tr("now %1").arg(figure_text(now_.value, now_.unit)));
  double y = head.bottom() + 0.3 * unit;
  for (std::size_t i = 0; i < bars_.size(); ++i) {
    const Bar& bar = bars_[i];
    painter.setPen(theme.text);
    const QString right = QStringLiteral("%1 \u2026 %2").arg(bar.low_text, bar.high_text);
    const QRectF label(area.left(), y, area.width(), 1.1 * unit);
    painter.drawText(label, Qt::AlignRight, right);
    painter.drawText(label, Qt::AlignLeft,
                     metrics.elidedText(bar.name, Qt::ElideMiddle,
                                        area.width() - metrics.horizontalAdvance(right) - unit));
    const double top = y + 1.15 * unit;
    const auto part = [&](double to, const QColor& colour, Qt::BrushStyle style) {
      const double from_x = x_of(now_.value), to_x = x_of(to);
      const QRectF box(std::min(from_x, to_x), top, std::max(1.0, std::abs(to_x - from_x)),
                       0.9 * unit);
      painter.fillRect(box, QBrush(colour, style));
      painter.setPen(QPen(colour, 1));
      painter.drawRect(box);
    };
    part(bar.low, theme.warn, Qt::Dense4Pattern);
    part(bar.high, theme.accent, Qt::SolidPattern);
    if (hasFocus() && static_cast<int>(i) == current_) {
      painter.setPen(QPen(theme.accent, 1, Qt::DotLine));
      painter.drawRect(QRectF(area.left(), y, area.width() - 1, 2.2 * unit));
    }
    y += kTornadoRow * unit;
  }
  painter.setPen(QPen(theme.text, 1, Qt::DashLine));
  painter.drawLine(QPointF(x_of(now_.value), head.bottom()), QPointF(x_of(now_.value), y));
  painter.setPen(theme.faint);
  painter.drawText(QRectF(area.left(), y, area.width(), 1.2 * unit), Qt::AlignLeft,
                   tr("dotted: with the lower value, full: with the higher"));
}

void TornadoChart::mousePressEvent(QMouseEvent* event) {
  const double unit = line();
  const int bar = static_cast<int>((event->position().y() - 1.5 * unit) / (kTornadoRow * unit));
  if (bar < 0 || bar >= static_cast<int>(bars_.size())) return;
  current_ = bar;
  update();
  emit chosen(bar);
}

void TornadoChart::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(bars_.size());
  if (event->key() == Qt::Key_Down && current_ + 1 < count)
    ++current_;
  else if (event->key() == Qt::Key_Up && current_ > 0)
    --current_;
  else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_ < count)
    emit chosen(current_);
  else
    return Chart::keyPressEvent(event);
  update();
}

}  // namespace stallcast::desktop
