#include "ui/desktop/hop_chart.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "stallcast/label.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/report/limit.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kHopRow = 2.6;  // lines of text
constexpr double kMuch = 0.02;   // of the time, saved: painted as what limits

/// From where data lies to where it is used.
int place(const ResourceUse& use) {
  if (use.name.starts_with("storage.")) return 0;
  if (use.name.starts_with("fabric")) return 1;
  if (use.name.find(".nic") != std::string::npos) return 2;
  return use.name.find(".gpu") != std::string::npos && !use.name.ends_with(".cpu") ? 4 : 3;
}

QString percent(double share) { return QStringLiteral("%1 %").arg(100.0 * share, 0, 'f', 1); }

}  // namespace

HopChart::HopChart(QWidget* parent)
    : Chart(parent, {tr("resource"), tr("mean"), tr("capacity"), tr("busy"), tr("in use"),
                     tr("of all waiting")}) {}

void HopChart::set(std::vector<ResourceUse> resources, bool stale) {
  resources_ = std::move(resources);
  stale_ = stale;
  gains_.clear();
  std::stable_sort(resources_.begin(), resources_.end(),
                   [](const ResourceUse& a, const ResourceUse& b) { return place(a) < place(b); });
  std::vector<Row> rows;
  QString worst;
  double most = 0.0;
  for (const ResourceUse& r : resources_) {
    const bool limited = r.capacity > 0.0;
    Cell name(label::of_resource(r.name));
    name.tip = QString::fromStdString(r.name);
    rows.push_back({std::move(name), figure_cell(r.throughput, r.unit),
                    limited ? figure_cell(r.capacity, r.unit) : Cell(tr("no limit")),
                    Cell(figure_text(r.utilization(), "ratio"), r.utilization()),
                    r.in_use > 0.0 ? figure_cell(r.in_use, r.unit) : Cell(QString()),
                    figure_cell(r.blamed_share, "ratio")});
    if (r.blamed_share <= most) continue;
    most = r.blamed_share;
    worst = QString::fromStdString(label::of_resource(r.name));
  }
  twin_.set(std::move(rows));
  describe(worst.isEmpty()
               ? tr("Nothing is waited for")
               : tr("%1 of all waiting is for the %2").arg(figure_text(most, "ratio"), worst));
  updateGeometry();
}

void HopChart::set_gains(std::map<std::string, double> gains) {
  gains_ = std::move(gains);
  if (gains_.empty()) return;
  const ResourceUse* best = nullptr;
  for (const ResourceUse& r : resources_)
    if (gain_of(r) > (best == nullptr ? 0.0 : gain_of(*best))) best = &r;
  describe(best == nullptr
               ? tr("No resource saves time by itself if it is twice as fast")
               : tr("%1: %2 saves %3 of the time")
                     .arg(QString::fromStdString(label::of_resource(best->name)),
                          QString::fromStdString(std::string(report::what_is_tried(best->name))),
                          percent(gain_of(*best))));
  update();
}

double HopChart::gain_of(const ResourceUse& use) const {
  const auto found = gains_.find(use.name);
  return found == gains_.end() ? 0.0 : found->second;
}

QSize HopChart::sizeHint() const { return minimumSizeHint(); }

QSize HopChart::minimumSizeHint() const {
  return in_lines(14, kHopRow * at_least_one(resources_.size()));
}

void HopChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height();
  painter.setOpacity(stale_ ? 0.5 : 1.0);
  double y = area.top();
  for (const ResourceUse& r : resources_) {
    const QRectF label(area.left(), y, area.width(), 1.15 * unit);
    QString right =
        r.capacity > 0.0
            ? tr("%1 of %2").arg(figure_text(r.throughput, r.unit), figure_text(r.capacity, r.unit))
        : r.throughput > 0.0 ? figure_text(r.throughput, r.unit)
                             : tr("a limit of each process by itself");
    const bool tried = !gains_.empty();
    const double gain = gain_of(r);
    const QString blame =
        tried ? (gain > 0.0 ? tr("\u00d72 saves %1   ").arg(percent(gain)) : QString())
        : r.blamed_share >= 0.0005
            ? tr("%1 of waiting   ").arg(figure_text(r.blamed_share, "ratio"))
            : QString();
    const bool limits = tried ? gain > kMuch : r.blamed_share > 0.5;
    const bool slows = tried ? gain > 0.0 : r.blamed_share > 0.05;
    // Where there is no room for all, what is saved matters more than what was moved.
    constexpr double kName = 7.0;
    if (!blame.isEmpty() && metrics.horizontalAdvance(blame + right) + kName * unit > area.width())
      right.clear();
    const double taken = metrics.horizontalAdvance(blame + right) + unit;
    painter.setPen(theme.text);
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(QString::fromStdString(label::of_resource(r.name)),
                                        Qt::ElideMiddle, area.width() - taken));
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, blame + right);
    const QRectF outline(area.left(), label.bottom(), area.width() - 1, 0.9 * unit);
    const double busy = std::clamp(r.utilization(), 0.0, 1.0);
    painter.fillRect(QRectF(outline.topLeft(), QSizeF(busy * outline.width(), outline.height())),
                     limits  ? theme.bad
                     : slows ? theme.warn
                             : theme.accent);
    painter.setPen(limits ? QPen(theme.bad, 2) : QPen(theme.faint, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(outline);
    if (r.in_use > 0.0 && r.capacity > 0.0) {
      const double x =
          outline.left() + std::clamp(r.in_use / r.capacity, 0.0, 1.0) * outline.width();
      painter.setPen(QPen(theme.text, 2));
      painter.drawLine(QPointF(x, outline.top() - 2), QPointF(x, outline.bottom() + 2));
    }
    y += kHopRow * unit;
  }
  painter.setOpacity(1.0);
}

}  // namespace stallcast::desktop
