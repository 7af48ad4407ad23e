#include "ui/desktop/grid_chart.hpp"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/desktop/figures.hpp"

namespace stallcast::desktop {

GridChart::GridChart(QWidget* parent) : Chart(parent, {tr("inputs")}) {
  setFocusPolicy(Qt::StrongFocus);
}

std::optional<double> GridChart::cell(int column, int row) const {
  return grid_.cells[static_cast<std::size_t>(row * grid_.across_values.size() + column)];
}

QString GridChart::cell_text(int column, int row) const {
  const std::optional<double> value = cell(column, row);
  return value ? figure_text(*value, grid_.unit) : tr("none");
}

void GridChart::set(Grid grid) {
  grid_ = std::move(grid);
  const auto columns = static_cast<int>(grid_.across_values.size()),
             rows = static_cast<int>(grid_.up_values.size());
  column_ = std::clamp(column_, 0, std::max(0, columns - 1));
  row_ = std::clamp(row_, 0, std::max(0, rows - 1));
  QStringList headers{tr("%1 \\ %2").arg(grid_.up, grid_.across)};
  headers << grid_.across_values;
  std::vector<Row> table;
  for (int r = 0; r < rows; ++r) {
    Row row{Cell(grid_.up_values[r])};
    for (int c = 0; c < columns; ++c)
      row.push_back(cell(c, r) ? Cell(cell_text(c, r), *cell(c, r)) : Cell(cell_text(c, r)));
    table.push_back(std::move(row));
  }
  twin_.set(headers, std::move(table));
  say();
  updateGeometry();
}

void GridChart::say() {
  if (grid_.cells.empty()) return describe(tr("Nothing is simulated yet"));
  describe(tr("%1 over %2 and %3: %4 at %5 and %6")
               .arg(grid_.metric, grid_.across, grid_.up, cell_text(column_, row_),
                    grid_.across_values[column_], grid_.up_values[row_]));
}

QSize GridChart::minimumSizeHint() const { return in_lines(14, 10); }

QRectF GridChart::plot(const QRectF& area) const {
  const QFontMetricsF metrics(font());
  double labels = 0.0;
  for (const QString& value : grid_.up_values)
    labels = std::max(labels, metrics.horizontalAdvance(value));
  const double unit = metrics.height();
  return area.adjusted(labels + 0.6 * unit, 1.4 * unit, 0, -4.2 * unit);
}

void GridChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  if (grid_.cells.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height();
  const QRectF inside = plot(area);
  const auto columns = static_cast<int>(grid_.across_values.size()),
             rows = static_cast<int>(grid_.up_values.size());
  const double wide = inside.width() / columns, high = inside.height() / rows;
  double low = INFINITY, top = -INFINITY;
  for (const std::optional<double>& value : grid_.cells) {
    if (value) low = std::min(low, *value);
    if (value) top = std::max(top, *value);
  }
  painter.setPen(theme.text);
  painter.drawText(
      QRectF(area.left(), area.top(), area.width(), 1.2 * unit), Qt::AlignLeft,
      metrics.elidedText(tr("\u2191 %1").arg(grid_.up), Qt::ElideMiddle, area.width()));
  for (int r = 0; r < rows; ++r) {
    const double y = inside.bottom() - (r + 1) * high;  // values rise upwards
    painter.setPen(theme.text);
    painter.drawText(QRectF(area.left(), y, inside.left() - area.left() - 0.3 * unit, high),
                     Qt::AlignRight | Qt::AlignVCenter, grid_.up_values[r]);
    for (int c = 0; c < columns; ++c) {
      const QRectF box(inside.left() + c * wide, y, wide - 1, high - 1);
      const std::optional<double> value = cell(c, r);
      if (!value) {
        painter.fillRect(box, QBrush(theme.faint, Qt::BDiagPattern));
        continue;
      }
      const QColor colour = Theme::viridis(top > low ? (*value - low) / (top - low) : 0.5);
      painter.fillRect(box, colour);
      painter.setPen(readable_on(colour));
      painter.drawText(box, Qt::AlignCenter,
                       metrics.elidedText(cell_text(c, r), Qt::ElideRight, box.width() - 2));
    }
  }
  if (hasFocus()) {
    const QRectF box(inside.left() + column_ * wide, inside.bottom() - (row_ + 1) * high, wide - 1,
                     high - 1);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.palette.color(QPalette::Base), 4));
    painter.drawRect(box.adjusted(2, 2, -2, -2));
    painter.setPen(QPen(theme.text, 2));
    painter.drawRect(box.adjusted(1, 1, -1, -1));
  }
  painter.setPen(theme.text);
  for (int c = 0; c < columns; ++c)
    painter.drawText(
        QRectF(inside.left() + c * wide, inside.bottom() + 0.1 * unit, wide, 1.2 * unit),
        Qt::AlignCenter, metrics.elidedText(grid_.across_values[c], Qt::ElideRight, wide));
  const QRectF below(inside.left(), inside.bottom() + 1.3 * unit, inside.width(), 1.2 * unit);
  painter.drawText(
      below, Qt::AlignRight,
      metrics.elidedText(tr("%1 \u2192").arg(grid_.across), Qt::ElideMiddle, below.width()));
  // The scale of colours, with its ends.
  const QString ends[] = {figure_text(low, grid_.unit), figure_text(top, grid_.unit)};
  const QRectF scale(area.left(), below.bottom() + 0.3 * unit, area.width(), 1.2 * unit);
  const double left = metrics.horizontalAdvance(ends[0]) + 0.4 * unit,
               right = metrics.horizontalAdvance(ends[1]) + 0.4 * unit;
  painter.drawText(scale, Qt::AlignLeft | Qt::AlignVCenter, ends[0]);
  painter.drawText(scale, Qt::AlignRight | Qt::AlignVCenter, ends[1]);
  const QRectF bar = scale.adjusted(left, 0.2 * unit, -right, -0.2 * unit);
  constexpr int kSteps = 64;
  for (int i = 0; i < kSteps; ++i)
    painter.fillRect(QRectF(bar.left() + i * bar.width() / kSteps, bar.top(),
                            bar.width() / kSteps + 1, bar.height()),
                     Theme::viridis((i + 0.5) / kSteps));
}

bool GridChart::find_cell(QPointF at, int& column, int& row) const {
  if (grid_.cells.empty()) return false;
  const QRectF inside = plot(QRectF(rect()).adjusted(2, 2, -2, -2));
  if (!inside.contains(at)) return false;
  const auto columns = static_cast<int>(grid_.across_values.size()),
             rows = static_cast<int>(grid_.up_values.size());
  column =
      std::min(columns - 1, static_cast<int>((at.x() - inside.left()) / inside.width() * columns));
  row = std::min(rows - 1, static_cast<int>((inside.bottom() - at.y()) / inside.height() * rows));
  return true;
}

bool GridChart::event(QEvent* event) {
  int column = 0, row = 0;
  if (event->type() != QEvent::ToolTip ||
      !find_cell(static_cast<QHelpEvent*>(event)->pos(), column, row))
    return Chart::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                     tr("%1 %2, %3 %4: %5")
                         .arg(grid_.across, grid_.across_values[column], grid_.up,
                              grid_.up_values[row], cell_text(column, row)),
                     this);
  return true;
}

void GridChart::keyPressEvent(QKeyEvent* event) {
  if (grid_.cells.empty()) return Chart::keyPressEvent(event);
  const auto columns = static_cast<int>(grid_.across_values.size()),
             rows = static_cast<int>(grid_.up_values.size());
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
      column_ = std::clamp(column_ + (event->key() == Qt::Key_Left ? -1 : 1), 0, columns - 1);
      break;
    case Qt::Key_Up:
    case Qt::Key_Down:
      row_ = std::clamp(row_ + (event->key() == Qt::Key_Down ? -1 : 1), 0, rows - 1);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      emit chosen(column_, row_);
      return;
    default:
      return Chart::keyPressEvent(event);
  }
  say();
}

void GridChart::mousePressEvent(QMouseEvent* event) {
  if (find_cell(event->position(), column_, row_)) say();
}

void GridChart::mouseDoubleClickEvent(QMouseEvent* event) {
  if (find_cell(event->position(), column_, row_)) emit chosen(column_, row_);
}

}  // namespace stallcast::desktop
