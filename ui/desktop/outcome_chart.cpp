#include "ui/desktop/outcome_chart.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "ui/desktop/figures.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kOutcomeRow = 2.6;  // lines of text

double outcome_end(const OutcomeChart::Bar& bar) {
  return bar.figure.ci90 ? std::max(bar.figure.value, bar.figure.ci90->second) : bar.figure.value;
}

}  // namespace

OutcomeChart::OutcomeChart(QWidget* parent)
    : Chart(parent, {tr("design"), tr("figure"), tr("90 % of outcomes"), tr("costs")}) {}

void OutcomeChart::set(const QString& figure, std::vector<Bar> bars, const QString& instead) {
  figure_ = figure;
  bars_ = std::move(bars);
  instead_ = instead;
  std::vector<Row> rows;
  QStringList said;
  for (const Bar& bar : bars_) {
    rows.push_back({Cell(bar.name), figure_cell(bar.figure.value, bar.figure.unit),
                    Cell(ends_text(bar.figure)), Cell(bar.beside)});
    said << bar.name + QLatin1Char(' ') + metric_text(bar.figure);
  }
  twin_.set(std::move(rows));
  describe(bars_.empty() ? instead_
                         : figure_ + QStringLiteral(": ") + said.join(QStringLiteral(", ")));
  updateGeometry();
}

QSize OutcomeChart::minimumSizeHint() const {
  return in_lines(14, 1.5 + kOutcomeRow * at_least_one(bars_.size()));
}

void OutcomeChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height();
  painter.setPen(bars_.empty() ? theme.faint : theme.text);
  if (bars_.empty()) {
    painter.drawText(area, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, instead_);
    return;
  }
  double most = bars_.front().figure.unit == "ratio" ? 1.0 : 0.0;
  for (const Bar& bar : bars_) most = std::max(most, outcome_end(bar));
  if (!(most > 0.0)) most = 1.0;
  const auto place = [&](double value) {
    return area.left() + 1.0 + (area.width() - 2.0) * std::clamp(value / most, 0.0, 1.0);
  };
  painter.drawText(QRectF(area.left(), area.top(), area.width(), 1.2 * unit),
                   Qt::AlignLeft | Qt::AlignVCenter, figure_);
  double y = area.top() + 1.5 * unit;
  for (const Bar& bar : bars_) {
    QFont font = painter.font();
    font.setBold(bar.best);
    painter.setFont(font);
    const QRectF label(area.left(), y, area.width(), 1.15 * unit);
    const QString figure = bar.beside.isEmpty()
                               ? metric_text(bar.figure)
                               : metric_text(bar.figure) + QStringLiteral(", ") + bar.beside;
    painter.setPen(theme.text);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, figure);
    const QFontMetricsF bold(font);
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                     bold.elidedText(bar.name, Qt::ElideMiddle,
                                     area.width() - bold.horizontalAdvance(figure) - unit));
    const QRectF track(place(0.0), label.bottom(), place(most) - place(0.0), 0.8 * unit);
    painter.fillRect(track, theme.grid);
    const double from = bar.figure.ci90 ? place(bar.figure.ci90->first) : place(0.0);
    const double to = bar.figure.ci90 ? place(bar.figure.ci90->second) : place(bar.figure.value);
    painter.fillRect(QRectF(from, track.top(), std::max(2.0, to - from), track.height()),
                     theme.accent);
    painter.setPen(QPen(theme.text, 3));
    painter.drawLine(QPointF(place(bar.figure.value), track.top() - 2),
                     QPointF(place(bar.figure.value), track.bottom() + 2));
    y += kOutcomeRow * unit;
  }
}

}  // namespace stallcast::desktop
