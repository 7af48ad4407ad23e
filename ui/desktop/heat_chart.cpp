#include "ui/desktop/heat_chart.hpp"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QImage>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "stallcast/label.hpp"
#include "ui/desktop/figures.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kHeatRow = 1.4;    // lines of text
constexpr double kRounding = 1e-9;  // of a bin

QString name_of(const Timeline::Counter& row) {
  return QString::fromStdString(label::of_resource(row.resource));
}

double busy(const Timeline::Counter& row, std::size_t bin) {
  return std::clamp(row.values[bin] / row.capacity, 0.0, 1.0);
}

}  // namespace

HeatChart::HeatChart(QWidget* parent)
    : TimeChart(parent,
                {tr("resource"), tr("mean"), tr("most"), tr("at"), tr("of its capacity then")}) {}

void HeatChart::set(const Timeline& recorded) {
  rows_.clear();
  for (const Timeline::Counter& counter : recorded.counters)
    if (counter.what == "throughput" && counter.capacity > 0.0 && !counter.values.empty())
      rows_.push_back(counter);
  bin_ = recorded.bin_s;
  const double bins = rows_.empty() ? 0.0 : static_cast<double>(rows_.front().values.size());
  set_time(recorded.begin_s, std::max(recorded.end_s, recorded.begin_s + bins * bin_));
  updateGeometry();
}

void HeatChart::range_shown() {
  std::vector<Row> rows;
  QString busiest;
  double most = -1.0;
  for (const Timeline::Counter& row : rows_) {
    const auto all = static_cast<double>(row.values.size());
    const double first = std::floor((from() - begin()) / bin_ + kRounding),
                 last = std::ceil((to() - begin()) / bin_ - kRounding);
    const auto from_bin = row.values.begin() + std::lround(std::clamp(first, 0.0, all - 1.0));
    const auto to_bin = row.values.begin() + std::lround(std::clamp(last, 1.0, all));
    const auto top = std::max_element(from_bin, to_bin);
    const double mean =
        std::accumulate(from_bin, to_bin, 0.0) / static_cast<double>(to_bin - from_bin);
    const double at = begin() + static_cast<double>(top - row.values.begin()) * bin_;
    const QString name = name_of(row);
    rows.push_back({Cell(name), figure_cell(mean, row.unit), figure_cell(*top, row.unit),
                    figure_cell(at, "s"), figure_cell(*top / row.capacity, "ratio")});
    rows.back()[0].tip = QString::fromStdString(row.resource);
    if (mean / row.capacity <= most) continue;
    most = mean / row.capacity;
    busiest = name;
  }
  twin_.set(std::move(rows));
  describe(rows_.empty()
               ? tr("No resource was used")
               : tr("The busiest are %1, %2 on average").arg(busiest, figure_text(most, "ratio")));
}

QSize HeatChart::minimumSizeHint() const {
  return in_lines(30, kHeatRow * at_least_one(rows_.size()) + 1.5);
}

double HeatChart::needed_label_width() const {
  double out = 0.0;
  for (const Timeline::Counter& row : rows_)
    out = std::max(out, QFontMetricsF(font()).horizontalAdvance(name_of(row)));
  return out + line();
}

QRectF HeatChart::plot(const QRectF& area) const {
  return area.adjusted(label_width(), 0, -right_gap(), -1.5 * line());
}

void HeatChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  if (rows_.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const QRectF inside = plot(area);
  const double high =
      std::min(kHeatRow * metrics.height(), inside.height() / static_cast<double>(rows_.size()));
  const QRectF shown((from() - begin()) / bin_, 0.0, (to() - from()) / bin_, 1.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double y = inside.top() + static_cast<double>(i) * high;
    const auto bins = static_cast<int>(rows_[i].values.size());
    QImage line(bins, 1, QImage::Format_RGB32);
    for (int b = 0; b < bins; ++b)
      line.setPixelColor(b, 0, Theme::viridis(busy(rows_[i], static_cast<std::size_t>(b))));
    painter.drawImage(QRectF(inside.left(), y, inside.width(), high - 1), line, shown);
    painter.setPen(theme.text);
    const double wide = inside.left() - area.left() - 6;
    painter.drawText(QRectF(area.left(), y, wide, high), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(name_of(rows_[i]), Qt::ElideMiddle, wide));
  }
  const double y = inside.top() + static_cast<double>(rows_.size()) * high;
  const QRectF below(inside.left(), y, inside.width(), 1.3 * metrics.height());
  painter.setPen(theme.faint);
  painter.drawText(below, Qt::AlignLeft, figure_text(from(), "s"));
  painter.drawText(below, Qt::AlignRight, figure_text(to(), "s"));
  painter.drawText(below, Qt::AlignHCenter, tr("dark: idle, bright: all of its capacity"));
  paint_choice(painter, QRectF(inside.left(), inside.top(), inside.width(), y - inside.top()),
               theme);
}

bool HeatChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || rows_.empty()) return TimeChart::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QRectF inside = plot(QRectF(rect()).adjusted(2, 2, -2, -2));
  const double high =
      std::min(kHeatRow * line(), inside.height() / static_cast<double>(rows_.size()));
  const double x = (help->pos().x() - inside.left()) / inside.width(),
               y = (help->pos().y() - inside.top()) / high;
  if (x < 0.0 || x >= 1.0 || y < 0.0 || y >= static_cast<double>(rows_.size()))
    return TimeChart::event(event);
  const Timeline::Counter& row = rows_[static_cast<std::size_t>(y)];
  const double time = from() + x * (to() - from());
  const auto bin =
      std::min(static_cast<std::size_t>((time - begin()) / bin_), row.values.size() - 1);
  QToolTip::showText(
      help->globalPos(),
      tr("%1 at %2: %3 of %4")
          .arg(QString::fromStdString(row.resource),
               figure_text(begin() + static_cast<double>(bin) * bin_, "s"),
               figure_text(row.values[bin], row.unit), figure_text(row.capacity, row.unit)),
      this);
  return true;
}

}  // namespace stallcast::desktop
