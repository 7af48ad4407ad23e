#include "ui/desktop/fall_chart.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kFallRow = 2.3;    // lines of text
constexpr double kFallTitle = 1.3;  // of the name of a job
constexpr double kTenths = 1000.0;  // of a percent in all

QColor colour_of(const std::string& cause, const Theme& theme) {
  const auto found = std::find(kBreakdownCauses.begin(), kBreakdownCauses.end(), cause);
  return theme.causes[static_cast<std::size_t>(found - kBreakdownCauses.begin())];
}

}  // namespace

FallChart::FallChart(QWidget* parent)
    : Chart(parent, {tr("cause"), tr("of the time"), tr("left over"), tr("90 % of outcomes")}) {}

void FallChart::set(const std::vector<Job>& jobs, bool stale) {
  stale_ = stale;
  jobs_.clear();
  std::vector<Row> rows;
  QStringList said;
  for (const Job& job : jobs) {
    Falls& falls = jobs_.emplace_back(Falls{job, report::waterfall(job.shares, job.cpu)});
    const QString lead = job.name.isEmpty() ? QString() : job.name + QStringLiteral(": ");
    for (const report::Fall& fall : falls.rows) {
      const bool last = &fall == &falls.rows.back();
      const auto figure = [](int tenths) {
        return Cell(QString::fromStdString(report::print_tenths(tenths)), tenths / kTenths);
      };
      Cell outcomes{QString()};
      if (last && job.outcomes)
        outcomes = Cell(QStringLiteral("%1 to %2")
                            .arg(figure_text(job.outcomes->first, "ratio"),
                                 figure_text(job.outcomes->second, "ratio")));
      rows.push_back({Cell(lead + QString::fromStdString(fall.label)), figure(fall.part()),
                      figure(last ? fall.from : fall.to), std::move(outcomes)});
    }
    said << lead + QString::fromStdString(report::waterfall_sum(falls.rows));
  }
  twin_.set(std::move(rows));
  describe(said.isEmpty() ? tr("Nothing is simulated yet") : said.join(QStringLiteral("; ")));
  updateGeometry();
}

QSize FallChart::sizeHint() const { return minimumSizeHint(); }

QSize FallChart::minimumSizeHint() const {
  double lines = 0.0;
  for (const Falls& job : jobs_)
    lines += kFallRow * static_cast<double>(job.rows.size()) +
             (job.job.name.isEmpty() ? 0.0 : kFallTitle);
  return in_lines(14, std::max(2.0, lines));
}

void FallChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  const QFontMetricsF metrics(painter.font());
  const double unit = metrics.height();
  painter.setOpacity(stale_ ? 0.5 : 1.0);
  const auto x_of = [&](double tenths) { return area.left() + area.width() * tenths / kTenths; };
  double y = area.top();
  for (const Falls& job : jobs_) {
    painter.setPen(theme.text);
    if (!job.job.name.isEmpty()) {
      painter.drawText(QRectF(area.left(), y, area.width(), unit), Qt::AlignLeft,
                       metrics.elidedText(job.job.name, Qt::ElideMiddle, area.width()));
      y += kFallTitle * unit;
    }
    for (const report::Fall& fall : job.rows) {
      const bool last = &fall == &job.rows.back();
      const QRectF label(area.left(), y, area.width(), 1.15 * unit);
      const QString name = QString::fromStdString(fall.label);
      QString figure = (last ? QString() : QStringLiteral("\u2212")) +
                       QString::fromStdString(report::print_tenths(fall.part()));
      if (last && job.job.outcomes) {
        const QString more = figure + tr(" (90 % of outcomes %1 to %2)")
                                          .arg(figure_text(job.job.outcomes->first, "ratio"),
                                               figure_text(job.job.outcomes->second, "ratio"));
        if (metrics.horizontalAdvance(name + more) + unit < area.width()) figure = more;
      }
      painter.setPen(theme.text);
      painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, figure);
      painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                       metrics.elidedText(name, Qt::ElideRight,
                                          area.width() - metrics.horizontalAdvance(figure) - unit));
      const QRectF track(area.left(), label.bottom(), area.width(), 0.8 * unit);
      painter.fillRect(track, theme.grid);
      const double from = x_of(fall.to), to = x_of(fall.from);
      painter.fillRect(QRectF(std::min(from, area.right() - 2.0), track.top(),
                              std::max(2.0, to - from), track.height()),
                       colour_of(fall.cause, theme));
      if (last && job.job.outcomes) {
        // The band: a line between the ends of the outcomes, with a cap at each.
        const double low = x_of(kTenths * job.job.outcomes->first),
                     high = x_of(kTenths * job.job.outcomes->second), middle = track.center().y();
        painter.setPen(QPen(theme.text, 2));
        painter.drawLine(QPointF(low, middle), QPointF(high, middle));
        for (const double end : {low, high})
          painter.drawLine(QPointF(end, track.top() + 2), QPointF(end, track.bottom() - 2));
      }
      y += kFallRow * unit;
    }
  }
  painter.setOpacity(1.0);
}

std::vector<FallChart::Job> fall_jobs(const Prediction& p) {
  std::vector<FallChart::Job> out;
  for (const auto& [job, shares] : p.breakdown) {
    const Metric* computes = report::find(p, metric::goodput(job));
    out.push_back({p.breakdown.size() > 1 ? QString::fromStdString(job) : QString(), shares,
                   computes == nullptr ? std::nullopt : computes->ci90,
                   std::string(report::cpu_words(p, job))});
  }
  return out;
}

}  // namespace stallcast::desktop
