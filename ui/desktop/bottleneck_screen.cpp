#include "ui/desktop/bottleneck_screen.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <map>
#include <string>

#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/fall_chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/hop_chart.hpp"
#include "ui/desktop/on_entry.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/picture_chart.hpp"
#include "ui/desktop/twice_pane.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::desktop {
namespace {

QString before_trying() {
  return BottleneckScreen::tr("Changes of what limits, each tried alone by simulation");
}

}  // namespace

BottleneckScreen::BottleneckScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("bottleneck"), tr("Bottleneck"), parent) {
  auto* layout = new QVBoxLayout(this);
  headline_ = heading({}, this);
  headline_->setWordWrap(true);
  layout->addWidget(headline_);
  layout->addWidget(
      note(tr("Outline: what a resource can do. Filling: what it did on average. Tick: while "
              "it was in use. Red saves most time if it is twice as fast."),
           this));
  auto* split = splitter(Qt::Vertical, this);
  layout->addWidget(split, 1);
  picture_ = new PictureChart(split);
  auto* system = new ChartPane(tr("The system"), "system", picture_, split);
  split->addWidget(scrolled(system, tr("The system"), split));
  connect(picture_, &PictureChart::chosen, this, &BottleneckScreen::part_wanted);
  auto* below = splitter(Qt::Horizontal, split);
  hops_ = new HopChart(below);
  auto* pane = new ChartPane(tr("Data path"), "path", hops_, below);
  below->addWidget(scrolled(pane, tr("Data path"), below));
  below->addWidget(twice_side(below));
  stretch(*below, {1, 1});
  split->addWidget(below);
  stretch(*split, {2, 3});
  split->setSizes({200, 300});
  entry_ = new OnEntry(
      *this, workspace, [this] { try_changes(); },
      [this] { tried_->setText(tr("A simulation of this design takes long: press to try them")); });
  connect(help_, &QPushButton::clicked, this, &BottleneckScreen::try_changes);
  connect(&workspace, &Workspace::predicted, this, [this] {
    changes_->set({});
    table_->hide();
    tried_->setText(before_trying());
    entry_->forget();
    if (isVisible()) refresh();
  });
  connect(&workspace, &Workspace::refined, this, [this] {
    if (isVisible()) refresh();
  });
  // Other work takes its place: then nothing came of it.
  connect(&workspace.background(), &Engine::busy_changed, this, [this](bool busy) {
    if (busy || !trying_) return;
    trying_ = false;
    tried_->setText(before_trying());
  });
}

QWidget* BottleneckScreen::twice_side(QWidget* parent) {
  auto* side = new QWidget(parent);
  auto* rows = column(side);
  falls_ = new FallChart(side);
  auto* falls = new ChartPane(tr("Where the time goes"), "falls", falls_, side);
  falls->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  rows->addWidget(falls);
  rows->addWidget(heading(tr("What would it gain?"), side));
  twice_ = new TwicePane(workspace(), side);
  rows->addWidget(twice_);
  help_ = push_button(tr("What would &help?"), "help", tr("Try changes by simulation"), side);
  tried_ = note(before_trying(), side);
  auto* head = new QHBoxLayout;
  head->addWidget(help_);
  head->addWidget(tried_, 1);
  rows->addLayout(head);
  changes_ = new RowsModel(
      {tr("change"), tr("GPU utilization"), tr("gain"), tr("meets all targets")}, this);
  table_ = table_of(*changes_, tr("Changes that were tried"), side, "changes");
  table_->setMinimumHeight(8 * fontMetrics().height());
  table_->hide();  // until there is a row
  rows->addWidget(table_, 1);
  rows->addStretch();
  return scrolled(side, tr("What would help"), parent);
}

void BottleneckScreen::refresh() {
  const Workspace& w = workspace();
  twice_->refresh();
  help_->setEnabled(w.freshness() == Freshness::simulated);
  entry_->look();
  if (!w.simulated()) {
    headline_->setText(w.has_errors() ? tr("This scenario has errors: see Problems (F8)")
                                      : tr("Nothing is simulated yet"));
    picture_->set({});
    hops_->set({}, false);
    falls_->set({}, false);
    return;
  }
  const bool stale = w.freshness() != Freshness::simulated;
  const QString text = limit_text(*w.simulated());
  headline_->setText(stale ? tr("%1 (of the design before)").arg(text) : text);
  picture_->set(*w.simulated());
  hops_->set(w.simulated()->resources, stale);
  falls_->set(fall_jobs(*w.simulated()), stale);
  if (!w.simulated()->gains) return;
  std::map<std::string, double> gains;
  for (const Bottleneck& b : w.simulated()->bottlenecks) {
    const Gain* gain = report::gain_of(b, *w.simulated());
    gains[b.resource] = gain == nullptr ? 0.0 : gain->time;
  }
  hops_->set_gains(std::move(gains));
}

void BottleneckScreen::try_changes() {
  if (!workspace().design() || !workspace().simulated()) return;
  constexpr std::size_t kMost = 5;
  entry_->taken();
  workspace().background().start(
      [this, scenario = *workspace().scenario(), design = *workspace().design(),
       prediction = *workspace().simulated()](client::Session& session,
                                              const Engine::Progress& progress) -> Engine::Then {
        std::vector<Alternative> found =
            session.alternatives(scenario, design, prediction, kMost, {.on_progress = progress});
        return [this, found = std::move(found), prediction] { show_changes(found, prediction); };
      });
  trying_ = true;
  tried_->setText(tr("Trying..."));
}

void BottleneckScreen::show_changes(const std::vector<Alternative>& found, const Prediction& base) {
  std::vector<Row> rows;
  const auto meets = [&](const Alternative& a) {
    const std::string_view word = report::targets_word(a, base);
    const char* mark = word == "yes" ? "\u2713 " : word == "no" ? "\u2717 " : "";
    return QString::fromUtf8(mark) + QString::fromUtf8(word.data(), qsizetype(word.size()));
  };
  // Without targets nobody asks how they stand.
  const bool asked = base.verdict != Verdict::none;
  // Of tenants alone, and of stages, changes gain time, and there is no other figure.
  const std::string time = time_gained(base);
  const report::GainedFigure figure = report::figure_gained(base, found);
  for (const Alternative& a : found) {
    Cell change(label::of_change(a.change));
    change.tip = QString::fromStdString(a.change);
    Row& row = rows.emplace_back();
    row.push_back(std::move(change));
    if (time.empty()) {
      row.push_back(figure_cell(a.*figure.value, "ratio"));
      row.emplace_back(QString::fromStdString(report::points(a.*figure.gain, 2)), a.*figure.gain);
    } else {
      row.push_back(figure_cell(a.gain, "ratio"));
    }
    if (asked) row.emplace_back(meets(a));
  }
  tried_->setText(rows.empty() ? tr("No change of what limits gains anything")
                               : tr("Each tried alone by simulation"));
  table_->setVisible(!rows.empty());
  QStringList headers{tr("change")};
  if (time.empty())
    headers << QString::fromStdString(figure.name) << tr("gain");
  else
    headers << tr("less time %1").arg(QString::fromStdString(time));
  if (asked) headers << tr("meets all targets");
  changes_->set(headers, std::move(rows));
}

bool BottleneckScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("twice")) return twice_->ask(argument.toStdString());
  if (action != QLatin1String("help")) return false;
  try_changes();
  return true;
}

bool BottleneckScreen::working() const { return workspace().background().busy(); }

}  // namespace stallcast::desktop
