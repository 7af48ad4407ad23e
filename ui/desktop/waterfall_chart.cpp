#include "ui/desktop/waterfall_chart.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "stallcast/metric.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/report/diff/words.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kWaterfallRow = 2.6;  // lines of text

QString share_text(double share, const MetricChange& metric) {
  return QString::fromStdString(report::part_text(share, metric));
}

QString fraction_text(double share, const MetricChange& metric) {
  return QStringLiteral("%1 %").arg(100.0 * share / metric.difference(), 0, 'f', 1);
}

}  // namespace

WaterfallChart::WaterfallChart(QWidget* parent)
    : Chart(parent, {tr("change"), tr("share"), tr("of the difference"), tr("by itself")}) {}

void WaterfallChart::set(const MetricChange& metric, std::vector<Part> parts,
                         const QString& instead) {
  metric_ = metric;
  parts_ = std::move(parts);
  instead_ = instead;
  std::vector<Row> rows;
  for (const Part& part : parts_)
    rows.push_back({Cell(part.change), Cell(share_text(part.share, metric_), part.share),
                    Cell(fraction_text(part.share, metric_), part.share / metric_.difference()),
                    Cell(part.alone)});
  twin_.set(std::move(rows));
  describe(parts_.empty()
               ? instead_
               : tr("%1 of %2 comes from %3")
                     .arg(fraction_text(parts_.front().share, metric_),
                          share_text(metric_.difference(), metric_), parts_.front().change));
  updateGeometry();
}

QSize WaterfallChart::sizeHint() const { return minimumSizeHint(); }

QSize WaterfallChart::minimumSizeHint() const {
  return in_lines(
      14, kWaterfallRow * (parts_.empty() ? 1.0 : static_cast<double>(parts_.size()) + 1.0));
}

void WaterfallChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height();
  painter.setPen(parts_.empty() ? theme.faint : theme.text);
  if (parts_.empty()) {
    painter.drawText(area, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, instead_);
    return;
  }
  double low = std::min(metric_.before, metric_.after);
  double high = std::max(metric_.before, metric_.after);
  double at = metric_.before;
  for (const Part& part : parts_) {
    at += part.share;
    low = std::min(low, at), high = std::max(high, at);
  }
  const double left = area.left() + 1.0, wide = area.width() - 2.0;
  const auto place = [&](double value) { return left + wide * (value - low) / (high - low); };
  const QRectF head(area.left(), area.top(), area.width(), 1.15 * unit);
  const bool rises = metric_.after > metric_.before;
  const auto end = [&](const QString& text, bool at_left) {
    painter.setPen(theme.text);
    painter.drawText(head, (at_left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, text);
  };
  end(tr("before %1").arg(QString::fromStdString(report::before_text(metric_))), rises);
  end(tr("now %1").arg(QString::fromStdString(report::after_text(metric_))), !rises);
  const int good = static_cast<int>(metric::better(metric_.metric));
  double y = head.bottom() + 0.3 * unit;
  at = metric_.before;
  for (const Part& part : parts_) {
    const QRectF label(area.left(), y, area.width(), 1.15 * unit);
    const QString share = share_text(part.share, metric_);
    painter.setPen(theme.text);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, share);
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(part.change, Qt::ElideMiddle,
                                        area.width() - metrics.horizontalAdvance(share) - unit));
    const double from = place(at), to = place(at + part.share);
    const int effect = part.share > 0.0 ? good : -good;
    painter.fillRect(
        QRectF(std::min(from, to), label.bottom(), std::max(1.0, std::abs(to - from)), 0.9 * unit),
        effect > 0   ? theme.good
        : effect < 0 ? theme.bad
                     : theme.accent);
    // Both ends next to each bar.
    for (const double value : {metric_.before, metric_.after}) {
      painter.setPen(QPen(theme.text, 1, Qt::DashLine));
      painter.drawLine(QPointF(place(value), label.bottom() - 2),
                       QPointF(place(value), label.bottom() + 0.9 * unit + 2));
    }
    at += part.share;
    y += kWaterfallRow * unit;
  }
}

}  // namespace stallcast::desktop
