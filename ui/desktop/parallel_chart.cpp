#include "ui/desktop/parallel_chart.hpp"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "ui/desktop/figures.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kStep = 0.05;       // of an axis, by a key
constexpr double kOnEdge = 1e-9;     // of an axis: values at an end of a brush are inside
constexpr double kLeastDrag = 0.01;  // of an axis: less is a click

}  // namespace

ParallelChart::ParallelChart(QWidget* parent) : Chart(parent, {tr("design")}) {
  setFocusPolicy(Qt::StrongFocus);
}

void ParallelChart::set(std::vector<SweepFigures> axes, std::vector<bool> good) {
  std::map<QString, Axis> before;
  for (Axis& axis : axes_) before[axis.figures.name] = std::move(axis);
  axes_.clear();
  const bool same_points = good.size() == good_.size();
  for (SweepFigures& figures : axes) {
    Axis axis;
    axis.figures = std::move(figures);
    axis.low = INFINITY;
    axis.high = -INFINITY;
    for (const std::optional<double>& value : axis.figures.values) {
      if (value) axis.low = std::min(axis.low, *value);
      if (value) axis.high = std::max(axis.high, *value);
    }
    if (axis.low > axis.high) axis.low = 0.0, axis.high = 1.0;
    if (!axis.figures.input)
      std::tie(axis.low, axis.high) = told_apart(axis.low, axis.high, axis.figures.unit);
    if (const auto known = before.find(axis.figures.name); known != before.end() && same_points)
      axis.kept = known->second.kept;
    axes_.push_back(std::move(axis));
  }
  good_ = std::move(good);
  if (!same_points) any_selected_ = false;
  selected_.resize(good_.size());
  axis_ = std::min(axis_, axes_.empty() ? 0 : axes_.size() - 1);
  fill_twin();
  say();
  updateGeometry();
}

void ParallelChart::fill_twin() {
  QStringList headers{tr("design")};
  for (const Axis& axis : axes_) headers << axis.figures.words;
  headers << tr("selected");
  std::vector<Row> rows;
  for (std::size_t i = 0; i < good_.size(); ++i) {
    Row row{Cell(QString::number(i + 1), static_cast<double>(i + 1))};
    for (const Axis& axis : axes_) {
      const std::optional<double>& value = axis.figures.values[i];
      row.push_back(value ? figure_cell(*value, axis.figures.unit) : Cell(QString()));
    }
    row.emplace_back(any_selected_ && selected_[i] ? tr("\u25cf yes") : QString());
    rows.push_back(std::move(row));
  }
  twin_.set(headers, std::move(rows));
}

void ParallelChart::say() {
  if (axes_.empty() || good_.empty()) return describe(tr("Nothing is simulated yet"));
  const auto count = std::count(selected_.begin(), selected_.end(), true);
  QString text = tr("%1 designs over %2 figures").arg(good_.size()).arg(axes_.size());
  if (any_selected_) text += tr(", %1 selected").arg(count);
  if (hasFocus()) {
    const Axis& axis = axes_[axis_];
    text += tr("; at %1").arg(axis.figures.words);
    if (axis.kept)
      text += tr(", %1 to %2 kept")
                  .arg(figure_text(axis.low + axis.kept->first * (axis.high - axis.low),
                                   axis.figures.unit),
                       figure_text(axis.low + axis.kept->second * (axis.high - axis.low),
                                   axis.figures.unit));
  }
  describe(text);
}

void ParallelChart::select(const std::vector<std::size_t>& points) {
  for (Axis& axis : axes_) axis.kept.reset();
  selected_.assign(good_.size(), false);
  for (const std::size_t i : points) selected_[i] = true;
  any_selected_ = !points.empty();
  fill_twin();
  say();
}

bool ParallelChart::brush(const QString& name, double low, double high) {
  for (Axis& axis : axes_) {
    if (axis.figures.name != name || axis.high <= axis.low) continue;
    const auto part = [&](double value) { return (value - axis.low) / (axis.high - axis.low); };
    axis.kept = {part(low), part(high)};
    apply_brushes();
    return true;
  }
  return false;
}

void ParallelChart::apply_brushes() {
  std::vector<std::size_t> inside;
  const bool all =
      std::none_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.kept; });
  selected_.assign(good_.size(), false);
  for (std::size_t i = 0; i < good_.size() && !all; ++i) {
    const bool in = std::all_of(axes_.begin(), axes_.end(), [&](const Axis& axis) {
      if (!axis.kept) return true;
      const std::optional<double>& value = axis.figures.values[i];
      if (!value || axis.high <= axis.low) return value.has_value();
      const double part = (*value - axis.low) / (axis.high - axis.low);
      return part >= axis.kept->first - kOnEdge && part <= axis.kept->second + kOnEdge;
    });
    if (in) inside.push_back(i);
    selected_[i] = in;
  }
  any_selected_ = !all;
  fill_twin();
  say();
  emit brushed(inside, all);
}

QSize ParallelChart::minimumSizeHint() const { return in_lines(14, 9); }

/// The first and the last axis have room for half of their labels.
QRectF ParallelChart::plot(const QRectF& area) const {
  const double unit = line(), side = std::min(5.0 * unit, 0.12 * area.width());
  return area.adjusted(side, 3.4 * unit, -side, -1.4 * unit);
}

double ParallelChart::x_of(const QRectF& plot, std::size_t axis) const {
  if (axes_.size() < 2) return plot.center().x();
  return plot.left() +
         plot.width() * static_cast<double>(axis) / static_cast<double>(axes_.size() - 1);
}

void ParallelChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  if (axes_.empty()) return;
  if (good_.empty()) {
    painter.setPen(theme.faint);
    painter.drawText(area, Qt::AlignCenter, tr("Nothing is simulated yet"));
    return;
  }
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height();
  const QRectF inside = plot(area);
  const auto y_of = [&](const Axis& axis, double value) {
    const double part = axis.high > axis.low ? (value - axis.low) / (axis.high - axis.low) : 0.5;
    return inside.bottom() - part * inside.height();
  };
  const auto draw = [&](std::size_t i, const QPen& pen) {
    QPainterPath path;
    bool pen_down = false;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const std::optional<double>& value = axes_[a].figures.values[i];
      if (!value) {
        pen_down = false;
        continue;
      }
      const QPointF at(x_of(inside, a), y_of(axes_[a], *value));
      pen_down ? path.lineTo(at) : path.moveTo(at);
      pen_down = true;
    }
    painter.setPen(pen);
    painter.drawPath(path);
  };
  painter.setBrush(Qt::NoBrush);
  // Those that stand out last; what misses a target is dashed, not only of another colour.
  for (const bool out : {false, true})
    for (std::size_t i = 0; i < good_.size(); ++i) {
      if ((any_selected_ && selected_[i]) != out) continue;
      QColor colour = good_[i] ? theme.good : theme.accent;
      if (any_selected_ && !out) colour = theme.grid;
      if (!any_selected_) colour.setAlphaF(good_.size() > 100 ? 0.4F : 0.8F);
      draw(i, QPen(colour, out ? 2.0 : 1.2, good_[i] ? Qt::SolidLine : Qt::DashLine));
    }
  const double room =
      axes_.size() < 2 ? area.width() : inside.width() / static_cast<double>(axes_.size() - 1);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    const double x = x_of(inside, a);
    painter.setPen(QPen(theme.text, hasFocus() && a == axis_ ? 2.5 : 1.2));
    painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
    if (axis.kept) {
      QColor fill = theme.accent;
      fill.setAlphaF(0.35F);
      const double top = inside.bottom() - axis.kept->second * inside.height(),
                   bottom = inside.bottom() - axis.kept->first * inside.height();
      painter.fillRect(QRectF(x - 0.35 * unit, top, 0.7 * unit, std::max(2.0, bottom - top)), fill);
      painter.setPen(QPen(theme.accent, 1.5));
      painter.drawRect(QRectF(x - 0.35 * unit, top, 0.7 * unit, std::max(2.0, bottom - top)));
    }
    // Labels stay within the chart and off their neighbours; every other name is a line higher.
    const auto label = [&](const QString& text, double y, double wide, const QColor& colour) {
      const QString shown = metrics.elidedText(text, Qt::ElideRight, wide);
      const double width = metrics.horizontalAdvance(shown);
      const double left =
          std::clamp(x - width / 2.0, area.left(), std::max(area.left(), area.right() - width));
      painter.setPen(colour);
      painter.drawText(QPointF(left, y), shown);
    };
    const double name_y = area.top() + (a % 2 == 0 ? 0.85 : 1.85) * unit;
    label(axis.figures.words, name_y, 1.9 * room, theme.text);
    const auto end = [&](double value, double other) {
      return QString::fromStdString(report::print_beside(value, other, axis.figures.unit));
    };
    label(end(axis.high, axis.low), inside.top() - 0.1 * unit, 0.95 * room, theme.faint);
    label(end(axis.low, axis.high), inside.bottom() + unit, 0.95 * room, theme.faint);
  }
}

double ParallelChart::part_at(double y) const {
  const QRectF inside = plot(QRectF(rect()).adjusted(2, 2, -2, -2));
  return std::clamp((inside.bottom() - y) / inside.height(), 0.0, 1.0);
}

void ParallelChart::mousePressEvent(QMouseEvent* event) {
  if (axes_.empty()) return;
  const QRectF inside = plot(QRectF(rect()).adjusted(2, 2, -2, -2));
  std::size_t nearest = 0;
  for (std::size_t a = 1; a < axes_.size(); ++a)
    if (std::abs(x_of(inside, a) - event->position().x()) <
        std::abs(x_of(inside, nearest) - event->position().x()))
      nearest = a;
  axis_ = nearest;
  grabbed_ = part_at(event->position().y());
  say();
}

void ParallelChart::mouseMoveEvent(QMouseEvent* event) {
  if (!grabbed_) return;
  const double now = part_at(event->position().y());
  if (std::abs(now - *grabbed_) < kLeastDrag) return;
  axes_[axis_].kept = std::minmax(*grabbed_, now);
  update();
}

void ParallelChart::mouseReleaseEvent(QMouseEvent* event) {
  if (!grabbed_) return;
  if (std::abs(part_at(event->position().y()) - *grabbed_) < kLeastDrag) axes_[axis_].kept.reset();
  grabbed_.reset();
  apply_brushes();
}

void ParallelChart::move_end(bool upper, double by) {
  std::optional<std::pair<double, double>>& kept = axes_[axis_].kept;
  if (!kept) kept = {0.0, 1.0};
  double& end = upper ? kept->second : kept->first;
  end = upper ? std::clamp(end + by, kept->first, 1.0) : std::clamp(end + by, 0.0, kept->second);
  if (kept->first <= 0.0 && kept->second >= 1.0) kept.reset();
  apply_brushes();
}

void ParallelChart::keyPressEvent(QKeyEvent* event) {
  if (axes_.empty()) return Chart::keyPressEvent(event);
  const bool upper = event->modifiers().testFlag(Qt::ShiftModifier);
  switch (event->key()) {
    case Qt::Key_Left:
      axis_ -= axis_ > 0 ? 1 : 0;
      return say();
    case Qt::Key_Right:
      axis_ += axis_ + 1 < axes_.size() ? 1 : 0;
      return say();
    case Qt::Key_Up:
      return move_end(upper, kStep);
    case Qt::Key_Down:
      return move_end(upper, -kStep);
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
      axes_[axis_].kept.reset();
      return apply_brushes();
    case Qt::Key_Escape:
      for (Axis& axis : axes_) axis.kept.reset();
      return apply_brushes();
    default:
      Chart::keyPressEvent(event);
  }
}

}  // namespace stallcast::desktop
