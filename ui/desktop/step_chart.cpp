#include "ui/desktop/step_chart.hpp"

#include <QFontMetricsF>
#include <QPainter>

#include "stallcast/label.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/waterfall.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kTooSmall = 0.0005;  // shares below are not named

double share_of(const StepChart::Bar& bar, std::size_t cause) {
  const auto it = bar.shares.find(kBreakdownCauses[cause]);
  return it == bar.shares.end() ? 0.0 : it->second;
}

QString name_of(std::size_t cause, const StepChart::Bar* bar) {
  const std::string_view cpu =
      bar != nullptr && !bar->cpu.empty() ? std::string_view(bar->cpu) : label::of_cause("cpu");
  const std::string_view words = report::words_of_cause(cause, cpu);
  return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

/// The bar that has most of a cause: what that is called there, it is called for all.
const StepChart::Bar* most_of(std::size_t cause, const std::vector<StepChart::Bar>& bars) {
  const StepChart::Bar* out = nullptr;
  for (const StepChart::Bar& bar : bars)
    if (out == nullptr || share_of(bar, cause) > share_of(*out, cause)) out = &bar;
  return out;
}

/// The shares of all causes as reports round them.
std::vector<QString> texts_of(const StepChart::Bar& bar) {
  std::vector<QString> out;
  for (const int tenths : report::tenths_of_percent(bar.shares))
    out.push_back(QString::fromStdString(report::print_tenths(tenths)));
  return out;
}

}  // namespace

StepChart::StepChart(QWidget* parent) : Chart(parent, {}) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setSizePolicy(policy);
}

void StepChart::set(std::vector<Bar> bars) {
  bars_ = std::move(bars);
  QStringList headers{tr("design")};
  for (std::size_t i = 0; i < kBreakdownCauses.size(); ++i)
    headers << name_of(i, most_of(i, bars_));
  std::vector<Row> rows;
  QStringList said;
  for (const Bar& bar : bars_) {
    Row row{Cell(bar.name)};
    const std::vector<QString> texts = texts_of(bar);
    QStringList parts;
    for (std::size_t i = 0; i < kBreakdownCauses.size(); ++i) {
      const double share = share_of(bar, i);
      row.emplace_back(texts[i], share);
      if (share >= kTooSmall) parts << QStringLiteral("%1 %2").arg(name_of(i, &bar), texts[i]);
    }
    rows.push_back(std::move(row));
    said << bar.name + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
  }
  twin_.set(headers, std::move(rows));
  describe(said.join(QStringLiteral("; ")));
  updateGeometry();
}

QSize StepChart::sizeHint() const { return minimumSizeHint(); }

QSize StepChart::minimumSizeHint() const {
  return in_lines(12, 2.9 * at_least_one(bars_.size()) + 8.5);
}

void StepChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  const double unit = QFontMetricsF(painter.font()).height();
  double y = area.top();
  for (const Bar& bar : bars_) {
    painter.setPen(bar.stale ? theme.faint : theme.text);
    painter.drawText(
        QRectF(area.left(), y, area.width(), unit), Qt::AlignLeft,
        QFontMetricsF(painter.font()).elidedText(bar.name, Qt::ElideMiddle, area.width()));
    y += 1.1 * unit;
    double x = area.left();
    const std::vector<QString> texts = texts_of(bar);
    painter.setOpacity(bar.stale ? 0.45 : 1.0);
    for (std::size_t i = 0; i < kBreakdownCauses.size(); ++i) {
      const double share = share_of(bar, i);
      if (share <= 0.0) continue;
      const QRectF part(x, y, std::max(share * area.width(), 1.5), 1.4 * unit);
      painter.fillRect(part, theme.causes[i]);
      const QString& text = texts[i];
      if (QFontMetricsF(painter.font()).horizontalAdvance(text) + unit < part.width()) {
        painter.setPen(readable_on(theme.causes[i]));
        painter.drawText(part, Qt::AlignCenter, text);
      }
      x += share * area.width();
    }
    painter.setOpacity(1.0);
    y += 1.8 * unit;
  }
  // The legend names what occurs, with the shares of the first bar.
  if (bars_.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const std::vector<QString> texts = texts_of(bars_.front());
  for (std::size_t i = 0; i < kBreakdownCauses.size(); ++i) {
    bool occurs = false;
    for (const Bar& bar : bars_) occurs = occurs || share_of(bar, i) >= kTooSmall;
    if (!occurs) continue;
    const QRectF mark(area.left(), y + 0.15 * unit, 0.8 * unit, 0.8 * unit);
    painter.fillRect(mark, theme.causes[i]);
    painter.setPen(theme.text);
    const QRectF rest(mark.right() + 0.5 * unit, y, area.width() - 1.3 * unit, 1.1 * unit);
    const QString& text = texts[i];
    painter.drawText(rest, Qt::AlignRight | Qt::AlignVCenter, text);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(name_of(i, most_of(i, bars_)), Qt::ElideRight,
                                        rest.width() - metrics.horizontalAdvance(text) - unit));
    y += 1.2 * unit;
  }
}

std::vector<StepChart::Bar> step_bars(const Prediction& prediction, const QString& design,
                                      bool stale) {
  std::vector<StepChart::Bar> out;
  for (const auto& [job, shares] : prediction.breakdown)
    out.push_back({prediction.breakdown.size() > 1
                       ? design + QStringLiteral(", ") + QString::fromStdString(job)
                       : design,
                   shares, stale, std::string(report::cpu_words(prediction, job))});
  return out;
}

}  // namespace stallcast::desktop
