#include "ui/desktop/response_chart.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "ui/desktop/figures.hpp"
#include "ui/desktop/variation.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kCurveHeight = 2.8;  // lines of text
constexpr double kDot = 4.0;

}  // namespace

ResponseChart::ResponseChart(QWidget* parent)
    : Chart(parent, {tr("value"), tr("metric"), tr("90 % of outcomes")}) {}

double ResponseChart::place(double x) const {
  const double low = slider_.minimum, high = slider_.maximum;
  const double at = slider_.logarithmic && x > 0.0 && low > 0.0
                        ? std::log(x / low) / std::log(high / low)
                        : (x - low) / (high - low);
  return std::clamp(at, 0.0, 1.0);
}

void ResponseChart::set(const SliderResponse& response, const QString& metric,
                        const Workspace& workspace) {
  slider_ = response.slider;
  from_ = response.from;
  points_.clear();
  now_.reset(), limit_.reset();
  rough_ = from_ != SliderResponse::From::draws;
  std::vector<Row> rows;
  for (const auto& [x, prediction] : response.points) {
    const auto m = find_metric(prediction, metric);
    if (!m) continue;
    unit_ = m->unit;
    Metric ranged = *m;
    if (!ranged.ci90 && from_ != SliderResponse::From::bounds)
      ranged.ci90 = workspace.outcomes_near(metric, m->value);
    points_.push_back({x, m->value, ranged.ci90});
    rows.push_back({Cell(value_text(slider_, x), x), figure_cell(m->value, m->unit),
                    Cell((rough_ ? QStringLiteral("~ ") : QString()) + ends_text(ranged))});
  }
  const bool estimated = workspace.freshness() == Freshness::estimated;
  const auto& shown =
      estimated && workspace.estimate() ? workspace.estimate() : workspace.simulated();
  if (shown) {
    if (const auto m = find_metric(*shown, metric)) now_ = m->value;
    for (const AssertionOutcome& a : shown->assertions)
      if (a.limit && std::isfinite(*a.limit) && a.metric == metric.toStdString()) limit_ = a.limit;
  }
  const QString words = shown ? metric_words(*shown, metric) : metric;
  twin_.set({slider_.label, words, tr("90 % of outcomes")}, std::move(rows));
  describe_curve(words);
}

void ResponseChart::describe_curve(const QString& metric) {
  if (points_.empty()) return describe(tr("%1 is being simulated").arg(metric));
  QString text =
      tr("%1 over %2: %3 at %4, %5 at %6")
          .arg(metric, slider_.label, figure_text(points_.front().y, unit_),
               value_text(slider_, points_.front().x), figure_text(points_.back().y, unit_),
               value_text(slider_, points_.back().x));
  if (now_) text += tr("; %1 now").arg(figure_text(*now_, unit_));
  if (limit_) text += tr("; the target is %1").arg(figure_text(*limit_, unit_));
  if (from_ == SliderResponse::From::bounds) text += tr("; bounds, simulations follow");
  describe(text);
}

QSize ResponseChart::sizeHint() const { return in_lines(18, kCurveHeight); }

QSize ResponseChart::minimumSizeHint() const { return in_lines(10, kCurveHeight); }

void ResponseChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  QFont small = painter.font();
  small.setPointSizeF(small.pointSizeF() * 0.85);
  painter.setFont(small);
  const QFontMetricsF metrics(small);
  if (points_.empty()) {
    painter.setPen(theme.faint);
    painter.drawText(area, Qt::AlignCenter, tr("simulations follow"));
    return;
  }
  double low = points_.front().y, high = low;
  const auto include = [&](double y) { low = std::min(low, y), high = std::max(high, y); };
  for (const Point& p : points_) {
    include(p.y);
    if (p.band) include(p.band->first), include(p.band->second);
  }
  if (now_) include(*now_);
  if (limit_) include(*limit_);
  if (high <= low) high = low + std::max(1e-12, std::abs(low) * 0.01);
  const QString top = figure_text(high, unit_), bottom = figure_text(low, unit_);
  const double labels =
      std::max(metrics.horizontalAdvance(top), metrics.horizontalAdvance(bottom)) + 4.0;
  const QRectF plot = area.adjusted(kDot, kDot, -labels - kDot, -kDot);
  const auto at = [&](double x, double y) {
    return QPointF(plot.left() + place(x) * plot.width(),
                   plot.bottom() - (y - low) / (high - low) * plot.height());
  };
  painter.setPen(theme.faint);
  const QRectF side(plot.right() + kDot + 2.0, area.top(), labels, area.height());
  painter.drawText(side, Qt::AlignTop | Qt::AlignLeft, top);
  painter.drawText(side, Qt::AlignBottom | Qt::AlignLeft, bottom);
  QPolygonF band;
  for (const Point& p : points_)
    if (p.band) band << at(p.x, p.band->second);
  for (auto p = points_.rbegin(); p != points_.rend(); ++p)
    if (p->band) band << at(p->x, p->band->first);
  if (!band.isEmpty()) {
    QColor pale = theme.accent;
    pale.setAlphaF(rough_ ? 0.10F : 0.22F);
    painter.setPen(rough_ ? QPen(pale, 1.0, Qt::DashLine) : QPen(Qt::NoPen));
    painter.setBrush(pale);
    painter.drawPolygon(band);
  }
  if (limit_) {
    painter.setPen(QPen(theme.bad, 1.2, Qt::DashLine));
    painter.drawLine(QPointF(plot.left(), at(0.0, *limit_).y()),
                     QPointF(plot.right(), at(0.0, *limit_).y()));
  }
  QPolygonF line;
  for (const Point& p : points_) line << at(p.x, p.y);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(from_ == SliderResponse::From::bounds ? theme.faint : theme.accent, 1.8,
                      from_ == SliderResponse::From::bounds ? Qt::DotLine : Qt::SolidLine));
  painter.drawPolyline(line);
  if (!now_) return;
  const QPointF dot = at(slider_.value, *now_);
  painter.setPen(QPen(theme.grid, 1.0));
  painter.drawLine(QPointF(dot.x(), plot.top()), QPointF(dot.x(), plot.bottom()));
  painter.setPen(QPen(theme.palette.color(QPalette::Base), 1.5));
  painter.setBrush(theme.text);
  painter.drawEllipse(dot, kDot, kDot);
}

}  // namespace stallcast::desktop
