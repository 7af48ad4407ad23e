#include "ui/desktop/verdict_strip.hpp"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>

#include "stallcast/metric.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/gauge_chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/desktop/workspace.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::desktop {
namespace {

QString upper_first(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

/// "Cost of the system 22.7 MUSD, cost per useful GPU-hour 1.34 USD".
QString costs_of(const Prediction& prediction) {
  QStringList out;
  for (const Headline& h : headline_tiles(prediction))
    if (h.metric.startsWith(QLatin1String("cost.")))
      if (const auto m = find_metric(prediction, h.metric))
        out << (out.isEmpty() ? h.title : h.title.left(1).toLower() + h.title.mid(1)) + u' ' +
                   QString::fromStdString(report::print_value(m->value, m->unit));
  return out.join(QStringLiteral(", "));
}

/// What decides how to read the figures above: the first of the report's warnings.
QString warnings_of(const Prediction& prediction) {
  constexpr std::size_t kShown = 2;
  QStringList out;
  for (const std::string& warning : prediction.warnings)
    if (out.size() < static_cast<qsizetype>(kShown))
      out << QStringLiteral("! ") + QString::fromStdString(warning);
  if (prediction.warnings.size() > kShown)
    out << VerdictStrip::tr("%1 more warnings are in the report")
               .arg(prediction.warnings.size() - kShown);
  return out.join(u'\n');
}

}  // namespace

VerdictStrip::VerdictStrip(QWidget* parent) : Card(parent) {
  setObjectName(QStringLiteral("verdict"));
  auto* said = new QVBoxLayout;
  said->setSpacing(space::kInner);
  const auto line = [&](const char* name) {
    auto* label = new QLabel(this);
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setFocusPolicy(Qt::NoFocus);
    said->addWidget(label);
    return label;
  };
  verdict_ = line("verdict_line");
  system_ = line("system_line");
  figures_ = line("figures_line");
  limit_ = line("limit_line");
  advice_ = line("advice_line");
  warnings_ = line("warnings_line");
  costs_ = line("cost_line");
  said->addStretch(1);
  system_->setForegroundRole(QPalette::PlaceholderText);
  costs_->setForegroundRole(QPalette::PlaceholderText);
  gauges_ = new GaugeChart(this);
  gauges_->setObjectName(QStringLiteral("targets"));
  gauges_->setAccessibleName(tr("Targets"));
  sides_ = new QBoxLayout(QBoxLayout::LeftToRight);
  sides_->setSpacing(space::kGroups);
  sides_->addLayout(said, 3);
  sides_->addWidget(gauges_, 2, Qt::AlignTop);
  rows()->addLayout(sides_);
}

void VerdictStrip::set_narrow(bool narrow) {
  sides_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void VerdictStrip::refresh(const Workspace& w) {
  const bool stale = w.freshness() != Freshness::simulated;
  const auto& shown = w.simulated() ? w.simulated() : w.estimate();
  const auto show = [](QLabel* label, const QString& text) {
    label->setText(text);
    label->setVisible(!text.isEmpty());
  };
  QFont large = QApplication::font();
  large.setBold(true);
  large.setPointSizeF(large.pointSizeF() * 1.25);
  verdict_->setFont(large);
  const Theme& theme = Theme::of(*this);
  const auto colour_verdict = [&](const QColor& colour) {
    QPalette letters = palette();
    letters.setColor(QPalette::WindowText, colour);
    verdict_->setPalette(letters);
  };
  if (!shown) {
    colour_verdict(w.has_errors() ? theme.bad : theme.text);
    show(verdict_, w.has_errors() ? tr("This scenario has errors: see Problems (F8)")
                                  : tr("Open a scenario"));
    for (QLabel* label : {system_, figures_, limit_, advice_, warnings_, costs_}) label->hide();
    gauges_->set({}, true);
    gauges_->hide();
    return;
  }
  const Prediction& p = *shown;
  const QColor colour = stale                                ? theme.faint
                        : report::is_unlikely(p)             ? theme.warn
                        : p.verdict == Verdict::pass         ? theme.good
                        : p.verdict == Verdict::fail         ? theme.bad
                        : p.verdict == Verdict::inconclusive ? theme.warn
                                                             : theme.text;
  const QString sign = p.verdict == Verdict::pass   ? QStringLiteral("\u2713 ")
                       : p.verdict == Verdict::fail ? QStringLiteral("\u2717 ")
                                                    : QString();
  const QString state = w.freshness() == Freshness::estimated   ? tr(" (simulating...)")
                        : w.freshness() == Freshness::last_good ? tr(" (of the design before: "
                                                                     "this text has errors, F8)")
                        : w.freshness() == Freshness::failed
                            ? tr(" (of the design before: %1)").arg(w.failure())
                            : QString();
  colour_verdict(colour);
  show(verdict_, sign + upper_first(QString::fromStdString(report::verdict_phrase(p))) + state);
  show(system_, QString::fromStdString(p.system));
  QStringList tenants;
  for (const std::string& of : report::tenant_lines(p)) tenants << QString::fromStdString(of);
  show(figures_, tenants.join(u'\n'));
  show(limit_, upper_first(QString::fromStdString(report::limit_phrase(p))));
  show(advice_, upper_first(QString::fromStdString(report::advice_phrase(p))));
  show(warnings_, warnings_of(p));
  QStringList all;
  for (const std::string& warning : p.warnings) all << QString::fromStdString(warning);
  warnings_->setToolTip(all.join(u'\n'));
  show(costs_, costs_of(p));
  for (QLabel* label : {figures_, limit_, advice_, warnings_}) label->setEnabled(!stale);
  gauges_->set(p, stale);
  gauges_->show();
}

}  // namespace stallcast::desktop
