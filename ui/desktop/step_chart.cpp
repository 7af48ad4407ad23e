#include "ui/desktop/step_chart.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "stallcast/label.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/waterfall.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kTooSmall = 0.0005;     // shares below are not named
constexpr QLatin1String kJobMark(", ");  // between the names of a design and its job

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

/// Names of bars without what all of them begin with: jobs of one design by their own names.
QStringList heads_of(const std::vector<StepChart::Bar>& bars) {
  const qsizetype mark = bars.front().name.indexOf(kJobMark);
  QString common = mark < 0 ? QString() : bars.front().name.left(mark + kJobMark.size());
  QStringList out;
  for (const StepChart::Bar& bar : bars) {
    if (!bar.name.startsWith(common)) common.clear();
    out << bar.name;
  }
  for (QString& head : out) head.remove(0, common.size());
  return out;
}

constexpr double kNames = 9.0, kMark = 1.3;  // of the legend, in lines of text

/// The columns of shares in a legend as wide as `wide`.
struct Columns {
  Columns(const std::vector<StepChart::Bar>& bars, const QFontMetricsF& metrics, double wide)
      : gap(0.7 * metrics.height()) {
    if (bars.size() > 1) heads = heads_of(bars);
    const double figure = metrics.horizontalAdvance(QStringLiteral("100.0 %")) + gap;
    width = figure;
    for (const QString& head : heads)
      width = std::max(width, metrics.horizontalAdvance(head) + gap);
    const double room =
        (wide - (kNames + kMark) * metrics.height()) / static_cast<double>(bars.size());
    fit = room >= figure;
    numbered = fit && width > room;
    width = std::min(width, room);
    for (qsizetype i = 0; numbered && i < heads.size(); ++i) heads[i] = QString::number(i + 1);
  }
  QStringList heads;
  double gap, width = 0.0;
  bool fit = false;
  bool numbered = false;  ///< for names there is no room
};

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
  return in_lines(12, 2.9 * at_least_one(bars_.size()) + (bars_.size() > 1 ? 9.7 : 8.5));
}

void StepChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  const double unit = QFontMetricsF(painter.font()).height();
  double y = area.top();
  const bool numbered = Columns(bars_, QFontMetricsF(painter.font()), area.width()).numbered;
  for (const Bar& bar : bars_) {
    painter.setPen(bar.stale ? theme.faint : theme.text);
    const QString number =
        numbered ? QStringLiteral("%1: ").arg(&bar - bars_.data() + 1) : QString();
    painter.drawText(
        QRectF(area.left(), y, area.width(), unit), Qt::AlignLeft,
        QFontMetricsF(painter.font()).elidedText(number + bar.name, Qt::ElideMiddle, area.width()));
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
  if (!bars_.empty()) paint_legend(painter, QRectF(area.left(), y, area.width(), 0.0), theme);
}

// What occurs, with a column of shares for each bar, in their order; where there is no room for
// all, without shares: the table has them.
void StepChart::paint_legend(QPainter& painter, const QRectF& top, const Theme& theme) const {
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height(), n = static_cast<double>(bars_.size());
  const bool several = bars_.size() > 1;
  const Columns columns(bars_, metrics, top.width());
  const double column = columns.width;
  const bool fits = columns.fit;
  const double names = top.width() - kMark * unit - (fits ? n * column : 0.0);
  const auto place = [&](std::size_t bar, double y) {
    return QRectF(top.right() - (n - static_cast<double>(bar)) * column, y, column, 1.1 * unit);
  };
  double y = top.top();
  if (several && fits) {
    painter.setPen(theme.faint);
    for (std::size_t b = 0; b < bars_.size(); ++b)
      painter.drawText(place(b, y), Qt::AlignRight | Qt::AlignVCenter,
                       columns.heads[static_cast<int>(b)]);
    y += 1.2 * unit;
  }
  for (std::size_t i = 0; i < kBreakdownCauses.size(); ++i) {
    if (std::none_of(bars_.begin(), bars_.end(),
                     [&](const Bar& bar) { return share_of(bar, i) >= kTooSmall; }))
      continue;
    painter.fillRect(QRectF(top.left(), y + 0.15 * unit, 0.8 * unit, 0.8 * unit), theme.causes[i]);
    painter.setPen(theme.text);
    painter.drawText(QRectF(top.left() + kMark * unit, y, names, 1.1 * unit),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(name_of(i, most_of(i, bars_)), Qt::ElideRight, names));
    for (std::size_t b = 0; fits && b < bars_.size(); ++b)
      painter.drawText(place(b, y), Qt::AlignRight | Qt::AlignVCenter, texts_of(bars_[b])[i]);
    y += 1.2 * unit;
  }
}

std::vector<StepChart::Bar> step_bars(const Prediction& prediction, const QString& design,
                                      bool stale) {
  std::vector<StepChart::Bar> out;
  for (const auto& [job, shares] : prediction.breakdown)
    out.push_back(
        {prediction.breakdown.size() > 1 ? design + kJobMark + QString::fromStdString(job) : design,
         shares, stale, std::string(report::cpu_words(prediction, job))});
  return out;
}

}  // namespace stallcast::desktop
