#include "ui/desktop/xy_chart.hpp"

#include <QAreaSeries>
#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "stallcast/metric.hpp"
#include "stallcast/units.hpp"
#include "ui/desktop/figures.hpp"

namespace stallcast::desktop {
namespace {

/// The unit an axis is written in, and by what its values are multiplied.
struct Scale {
  QString unit;
  double factor = 1.0;
};

Scale scale_of(const std::string& unit, double largest) {
  if (unit == "ratio") return {QStringLiteral("%"), 100.0};
  if (unit == "s" && largest < 1.0) return {QStringLiteral("ms"), 1e3};
  if (unit == "s" && largest > 2.0 * unit::h.scale)
    return {QStringLiteral("h"), 1.0 / unit::h.scale};
  const bool count = unit.empty() || unit == "count";
  const bool prefixed = (count && largest >= 1e6) || unit == "B" || unit == "B/s" ||
                        metric::dimension_of(unit) == Dimension::op_rate || unit == "USD";
  if (!prefixed) return {QString::fromStdString(count ? "" : unit), 1.0};
  const char* prefixes[] = {"", "k", "M", count ? "B" : "G", "T", "P"};
  int i = 0;
  double factor = 1.0;
  while (i < 5 && largest * factor >= 1000.0) {
    factor /= 1000.0;
    ++i;
  }
  return {QLatin1String(prefixes[i]) + QString::fromStdString(count           ? ""
                                                              : unit == "1/s" ? "ops/s"
                                                                              : unit),
          factor};
}

double largest(const std::vector<XyChart::Series>& series, bool x) {
  double out = 0.0;
  for (const XyChart::Series& s : series)
    for (const QPointF& p : s.points) out = std::max(out, std::abs(x ? p.x() : p.y()));
  if (!x)
    for (const XyChart::Series& s : series)
      for (const auto& [low, high] : s.outcomes) out = std::max(out, std::abs(high));
  return out;
}

QAbstractAxis* make_axis(const XyChart::Axis& wanted, const Scale& scale, double low, double high,
                         const Theme& theme) {
  QAbstractAxis* axis = nullptr;
  if (XyChart::is_logarithmic(wanted, low, high)) {
    auto* log = new QLogValueAxis;
    log->setBase(10.0);
    log->setRange(low / 1.15, high * 1.15);
    log->setLabelFormat(QStringLiteral("%g"));
    log->setMinorTickCount(8);
    axis = log;
  } else {
    auto* linear = new QValueAxis;
    const double room = high > low ? 0.06 * (high - low) : std::max(std::abs(high), 1.0) * 0.05;
    linear->setRange(low >= 0.0 ? std::max(0.0, low - room) : low - room, high + room);
    linear->setLabelFormat(QStringLiteral("%.4g"));
    linear->setTickCount(6);
    linear->applyNiceNumbers();
    // No share is above 100 %.
    const double step = (linear->max() - linear->min()) / (linear->tickCount() - 1);
    if (scale.unit == QLatin1String("%") && high <= 100.0)
      while (linear->tickCount() > 2 && linear->max() - step > 100.0 - 1e-6) {
        linear->setMax(linear->max() - step);
        linear->setTickCount(linear->tickCount() - 1);
      }
    axis = linear;
  }
  axis->setTitleText(scale.unit.isEmpty()
                         ? wanted.title
                         : QStringLiteral("%1 [%2]").arg(wanted.title, scale.unit));
  axis->setLabelsColor(theme.text);
  axis->setTitleBrush(theme.text);
  axis->setGridLineColor(theme.grid);
  axis->setMinorGridLineColor(theme.grid);
  axis->setLinePenColor(theme.faint);
  return axis;
}

}  // namespace

XyChart::XyChart(QWidget* parent) : QChartView(parent) {
  setRenderHint(QPainter::Antialiasing);
  setRubberBand(QChartView::NoRubberBand);
  setFrameShape(QFrame::NoFrame);
  chart()->legend()->setAlignment(Qt::AlignBottom);
  chart()->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);  // hollow ones have only a rim
  chart()->setMargins(QMargins(0, 0, 0, 0));
  chart()->setBackgroundRoundness(0);
  setDragMode(QGraphicsView::RubberBandDrag);
}

QSize XyChart::minimumSizeHint() const {
  constexpr int kLetters = 16, kLines = 11;
  return {kLetters * fontMetrics().averageCharWidth(), kLines * fontMetrics().height()};
}

bool XyChart::is_logarithmic(const Axis& axis, double low, double high) {
  constexpr double kDecadeAndAHalf = 30.0;
  return axis.logarithmic && low > 0.0 && high / low > kDecadeAndAHalf;
}

void XyChart::set(std::vector<Series> series, const Axis& x, const Axis& y,
                  const QString& summary) {
  series_ = std::move(series);
  x_ = x;
  y_ = y;
  setAccessibleDescription(summary);
  draw();
}

void XyChart::draw_band(const Series& of, QAbstractAxis* x, QAbstractAxis* y) {
  const bool first = chart()->series().isEmpty();
  auto* band = new QAreaSeries;
  auto *upper = new QLineSeries(band), *lower = new QLineSeries(band);
  for (std::size_t i = 0; i < of.points.size(); ++i) {
    const double at = of.points[i].x() * x_factor_;
    lower->append(at, of.outcomes[i].first * y_factor_);
    upper->append(at, of.outcomes[i].second * y_factor_);
  }
  band->setUpperSeries(upper);
  band->setLowerSeries(lower);
  const auto shade = [&](float alpha) {
    QColor out = of.colour;
    out.setAlphaF(alpha);
    return out;
  };
  band->setBrush(shade(of.rough ? 0.10F : 0.22F));
  band->setPen(of.rough ? QPen(shade(0.6F), 1, Qt::DashLine) : QPen(Qt::NoPen));
  band->setName(of.rough ? tr("~ 90 % of outcomes") : tr("90 % of outcomes"));
  chart()->addSeries(band);
  band->attachAxis(x);
  band->attachAxis(y);
  for (QLegendMarker* marker : chart()->legend()->markers(band)) {
    marker->setVisible(first);
    marker->setPen(Qt::NoPen);
    marker->setBrush(shade(0.4F));
    marker->setShape(QLegend::MarkerShapeRectangle);
  }
  if (of.middles.empty()) return;
  auto* middle = new QLineSeries;
  for (std::size_t i = 0; i < of.points.size(); ++i)
    middle->append(of.points[i].x() * x_factor_, of.middles[i] * y_factor_);
  middle->setPen(QPen(shade(0.8F), 1.5, Qt::DotLine));
  middle->setName(tr("their middle"));
  chart()->addSeries(middle);
  middle->attachAxis(x);
  middle->attachAxis(y);
  for (QLegendMarker* marker : chart()->legend()->markers(middle)) marker->setVisible(of.named);
}

void XyChart::draw() {
  const Theme& theme = Theme::of(*this);
  QChart& c = *chart();
  c.removeAllSeries();
  for (QAbstractAxis* axis : c.axes()) {
    c.removeAxis(axis);
    delete axis;
  }
  c.setBackgroundBrush(palette().color(QPalette::Base));
  c.legend()->setLabelColor(theme.text);
  c.legend()->setFont(font());
  const Scale xs = scale_of(x_.unit, largest(series_, true));
  const Scale ys = scale_of(y_.unit, largest(series_, false));
  x_factor_ = xs.factor;
  y_factor_ = ys.factor;
  double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
  for (const Series& s : series_)
    for (const QPointF& p : s.points) {
      low_x = std::min(low_x, p.x() * xs.factor);
      high_x = std::max(high_x, p.x() * xs.factor);
      low_y = std::min(low_y, p.y() * ys.factor);
      high_y = std::max(high_y, p.y() * ys.factor);
    }
  for (const Series& s : series_)
    for (const auto& [low, high] : s.outcomes) {
      low_y = std::min(low_y, low * ys.factor);
      high_y = std::max(high_y, high * ys.factor);
    }
  if (low_x > high_x) return;
  std::tie(low_y, high_y) = told_apart(low_y / ys.factor, high_y / ys.factor, y_.unit);
  low_y *= ys.factor, high_y *= ys.factor;
  QAbstractAxis* x = make_axis(x_, xs, low_x, high_x, theme);
  QAbstractAxis* y = make_axis(y_, ys, low_y, high_y, theme);
  for (QAbstractAxis* axis : {x, y}) {
    axis->setLabelsFont(font());
    axis->setTitleFont(font());
  }
  c.addAxis(x, Qt::AlignBottom);
  c.addAxis(y, Qt::AlignLeft);
  for (const Series& s : series_)
    if (!s.outcomes.empty()) draw_band(s, x, y);  // behind all lines
  for (const Series& s : series_) {
    QXYSeries* shown = nullptr;
    if (s.kind == Kind::points) {
      auto* scatter = new QScatterSeries;
      scatter->setMarkerSize(0.75 * fontMetrics().height());
      if (s.hollow) scatter->setMarkerShape(QScatterSeries::MarkerShapeRectangle);
      scatter->setBorderColor(s.colour);
      if (s.ring) scatter->setMarkerSize(1.25 * fontMetrics().height());
      if (s.ring) scatter->setPen(QPen(s.colour, 2));
      scatter->setColor(s.ring     ? QColor(Qt::transparent)
                        : s.hollow ? palette().color(QPalette::Base)
                                   : s.colour);
      shown = scatter;
    } else {
      shown = new QLineSeries;
      shown->setPen(QPen(s.colour, 2, s.kind == Kind::limit ? Qt::DashLine : Qt::SolidLine));
      shown->setPointsVisible(s.kind == Kind::line);
    }
    shown->setName(s.name);
    for (const QPointF& p : s.points) shown->append(p.x() * xs.factor, p.y() * ys.factor);
    c.addSeries(shown);
    shown->attachAxis(x);
    shown->attachAxis(y);
    for (QLegendMarker* marker : c.legend()->markers(shown)) marker->setVisible(s.named);
  }
  fit_legend();
  fit_title();
}

void XyChart::fit_legend() {
  // Many names stand below each other: next to each other all would be cut. A small chart has none:
  // they are in its table.
  constexpr int kManyNames = 4;
  constexpr double kWide = 26.0, kHigh = 10.0;  // lines of text
  QLegend& legend = *chart()->legend();
  int names = 0, bands = 0, middles = 0;
  for (const Series& s : series_) {
    names += s.named ? 1 : 0;
    bands = std::max(bands, s.outcomes.empty() ? 0 : 1);
    middles = std::max(middles, s.middles.empty() ? 0 : 1);
  }
  names += bands + middles;
  const double line = fontMetrics().height();
  legend.setAlignment(names > kManyNames ? Qt::AlignRight : Qt::AlignBottom);
  legend.setVisible(height() > kHigh * line && (names <= kManyNames || width() > kWide * line));
}

void XyChart::fit_title() {
  // Beside the axis where it is as high as the title is long, else above the chart.
  constexpr double kPlot = 0.7;  // of the height
  const QList<QAbstractAxis*> axes = chart()->axes(Qt::Vertical);
  if (axes.isEmpty()) return;
  const bool beside = fontMetrics().horizontalAdvance(axes.front()->titleText()) < kPlot * height();
  axes.front()->setTitleVisible(beside);
  chart()->setTitle(beside ? QString() : axes.front()->titleText());
  chart()->setTitleFont(font());
  chart()->setTitleBrush(Theme::of(*this).text);
}

void XyChart::resizeEvent(QResizeEvent* event) {
  fit_legend();
  fit_title();
  QChartView::resizeEvent(event);
}

QPointF XyChart::on_screen(QPointF base) const {
  const QPointF at = chart()->mapToPosition({base.x() * x_factor_, base.y() * y_factor_},
                                            chart()->series().front());
  return mapFromScene(chart()->mapToScene(at));
}

void XyChart::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->pos();
  QChartView::mousePressEvent(event);
}

void XyChart::mouseReleaseEvent(QMouseEvent* event) {
  QChartView::mouseReleaseEvent(event);
  const QRectF around = QRectF(pressed_, event->pos()).normalized();
  if (chart()->series().isEmpty() || around.width() + around.height() < 6.0) return;
  std::vector<QPointF> inside;
  for (const Series& s : series_)
    if (s.kind == Kind::points)
      for (const QPointF& p : s.points)
        if (around.contains(on_screen(p))) inside.push_back(p);
  emit brushed(inside);
}

void XyChart::mouseDoubleClickEvent(QMouseEvent* event) {
  if (chart()->series().isEmpty()) return;
  const double near = fontMetrics().height();
  for (const Series& s : series_)
    if (s.kind == Kind::points)
      for (const QPointF& p : s.points)
        if ((on_screen(p) - event->position()).manhattanLength() < near) return emit chosen(p);
}

void XyChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) draw();
}

}  // namespace stallcast::desktop
