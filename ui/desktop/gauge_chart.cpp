#include "ui/desktop/gauge_chart.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "engine/base/assertion.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kGaugeRow = 1.9, kGaugeBar = 0.32;  // lines of text
constexpr double kGaugePadding = 0.1;                // of the range, at both of its ends

QColor colour_of_outcome(const AssertionOutcome& a, const Theme& theme) {
  return a.status == "pass"                        ? theme.good
         : a.status == "fail" && a.level != "warn" ? theme.bad
                                                   : theme.warn;
}

bool has_limit(const AssertionOutcome& a) { return a.limit && std::isfinite(*a.limit); }

}  // namespace

QString margin_text(const AssertionOutcome& a) {
  if (!has_limit(a) || a.upper || (a.status != "pass" && a.status != "fail")) return {};
  const auto asked = base::parse_assertion(a.that);
  if (!asked.ok()) return {};
  const bool holds = base::margin(*asked, a.value, *a.limit) >= 0.0;
  const double apart = (holds ? 1.0 : -1.0) * std::abs(a.value - *a.limit);
  const double to = *a.limit == 0.0 ? 1.0 : std::abs(*a.limit);
  if (*a.limit == 0.0 && a.unit != "ratio") return {};
  return QString::fromStdString(report::print_target_margin(apart / to, *a.limit, a.unit));
}

GaugeChart::GaugeChart(QWidget* parent)
    : Chart(parent, {tr("target"), tr("asked"), tr("predicted"), tr("margin"), tr("status")}) {}

void GaugeChart::set(const Prediction& prediction, bool stale) {
  gauges_.clear();
  stale_ = stale;
  std::vector<Row> rows;
  QStringList said;
  for (const AssertionOutcome& a : prediction.assertions) {
    const QString value = QString::fromStdString(report::print_predicted(a)),
                  asked = QString::fromStdString(
                      report::target_phrase(a, prediction.breakdown.size() > 1)),
                  margin = margin_text(a), id = QString::fromStdString(a.id);
    // Who asks for a confidence asks for no margin.
    const QString sure =
        a.confidence ? QString::fromStdString(report::probability_in_short(a)) : QString();
    const QString beside = sure.isEmpty() ? margin : sure;
    rows.push_back(
        {Cell(id), Cell(asked), Cell(value, a.value), Cell(beside), Cell(status_sign(a.status))});
    said << tr("%1: %2, predicted %3").arg(status_sign(a.status), asked, value);
    if (!has_limit(a)) continue;
    const Metric* metric = report::find(prediction, a.metric);
    QString limit = QString::fromStdString(report::asked_phrase(a));
    limit = asked.endsWith(u' ' + limit) ? u' ' + limit : QString();
    gauges_.push_back({a,
                       metric == nullptr ? std::nullopt
                       : metric->ci90    ? metric->ci90
                                         : metric->ci95,
                       status_sign(a.status).left(2) + asked.chopped(limit.size()), limit,
                       beside.isEmpty() ? value : tr("%1 (%2)").arg(value, beside)});
  }
  twin_.set(std::move(rows));
  describe(said.isEmpty() ? tr("Nothing is expected of this design yet")
                          : said.join(QStringLiteral("; ")));
  updateGeometry();
}

QSize GaugeChart::sizeHint() const {
  return in_lines(24, kGaugeRow * at_least_one(gauges_.size()));
}

QSize GaugeChart::minimumSizeHint() const {
  return in_lines(14, kGaugeRow * at_least_one(gauges_.size()));
}

void GaugeChart::paint_gauge(QPainter& painter, const Gauge& gauge, const QRectF& area,
                             const Theme& theme) const {
  const AssertionOutcome& a = gauge.outcome;
  const double limit = *a.limit, upper = a.upper.value_or(limit);
  double low = std::min(a.value, limit), high = std::max({a.value, limit, upper});
  if (gauge.band) low = std::min(low, gauge.band->first), high = std::max(high, gauge.band->second);
  const double more = kGaugePadding * std::max(high - low, 1e-12);
  const auto x = [&](double value) {
    return area.left() + (value - low + more) / (high - low + 2.0 * more) * area.width();
  };
  const QFontMetricsF metrics(painter.font());
  const QColor colour = stale_ ? theme.faint : colour_of_outcome(a, theme);
  const double wide = metrics.horizontalAdvance(gauge.value);
  painter.setPen(colour);
  painter.drawText(area, Qt::AlignTop | Qt::AlignRight, gauge.value);
  painter.setPen(theme.text);
  // The limit is told whole, and what it is of as far as there is room.
  const double room = area.width() - wide - line() - metrics.horizontalAdvance(gauge.limit);
  painter.drawText(area, Qt::AlignTop | Qt::AlignLeft,
                   metrics.elidedText(gauge.name, Qt::ElideMiddle, room) + gauge.limit);
  const double top = area.top() + 1.1 * metrics.height(), thick = kGaugeBar * metrics.height();
  const double middle = top + thick / 2.0;
  painter.setPen(QPen(theme.grid, 1.0));
  painter.drawLine(QPointF(area.left(), middle), QPointF(area.right(), middle));
  if (gauge.band) {
    QColor pale = colour;
    pale.setAlphaF(0.3F);
    painter.fillRect(
        QRectF(QPointF(x(gauge.band->first), top), QPointF(x(gauge.band->second), top + thick)),
        pale);
  }
  for (const double at : {limit, upper})
    if (std::isfinite(at))
      painter.fillRect(QRectF(x(at) - 1.0, top - 2.0, 2.0, thick + 4.0), theme.text);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(QPointF(x(a.value), middle), 0.75 * thick, 0.75 * thick);
}

void GaugeChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  if (gauges_.empty()) {
    painter.setPen(theme.faint);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                     accessibleDescription());
    return;
  }
  const double row = std::min(area.height() / static_cast<double>(gauges_.size()),
                              kGaugeRow * QFontMetricsF(painter.font()).height());
  for (std::size_t i = 0; i < gauges_.size(); ++i)
    paint_gauge(painter, gauges_[i],
                QRectF(area.left(), area.top() + static_cast<double>(i) * row, area.width(), row),
                theme);
}

}  // namespace stallcast::desktop
