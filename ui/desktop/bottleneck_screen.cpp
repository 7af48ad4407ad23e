#include "ui/desktop/bottleneck_screen.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <map>
#include <string>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/hop_chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/picture_chart.hpp"
#include "ui/desktop/twice_pane.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::desktop {

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
  split->addWidget(system);
  connect(picture_, &PictureChart::chosen, this, &BottleneckScreen::part_wanted);
  hops_ = new HopChart(split);
  auto* pane = new ChartPane(tr("Data path"), "path", hops_, split);
  split->addWidget(scrolled(pane, tr("Data path"), split));
  auto* below = new QWidget(split);
  auto* rows = column(below);
  rows->addWidget(heading(tr("What would twice of it do?"), below));
  twice_ = new TwicePane(workspace, below);
  rows->addWidget(twice_);
  auto* head = new QHBoxLayout;
  help_ = push_button(tr("What would &help?"), "help", tr("Try changes by simulation"), below);
  const QString before = tr("Changes of what limits, each tried alone by simulation");
  tried_ = note(before, below);
  head->addWidget(help_);
  head->addWidget(tried_, 1);
  rows->addLayout(head);
  changes_ = new RowsModel(
      {tr("change"), tr("GPU utilization"), tr("gain"), tr("meets all targets")}, this);
  rows->addWidget(table_of(*changes_, tr("Changes that were tried"), below, "changes"), 1);
  split->addWidget(below);
  stretch(*split, {3, 3, 2});
  connect(help_, &QPushButton::clicked, this, &BottleneckScreen::try_changes);
  connect(&workspace, &Workspace::predicted, this, [this, before] {
    changes_->set({});
    tried_->setText(before);
    if (isVisible()) refresh();
  });
  connect(&workspace, &Workspace::refined, this, [this] {
    if (isVisible()) refresh();
  });
}

void BottleneckScreen::refresh() {
  const Workspace& w = workspace();
  twice_->refresh();
  help_->setEnabled(w.freshness() == Freshness::simulated);
  if (!w.simulated()) {
    headline_->setText(tr("Nothing is simulated yet"));
    return;
  }
  const bool stale = w.freshness() != Freshness::simulated;
  const QString text = limit_text(*w.simulated());
  headline_->setText(stale ? tr("%1 (of the design before)").arg(text) : text);
  picture_->set(*w.simulated());
  hops_->set(w.simulated()->resources, stale);
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
  tried_->setText(tr("Trying..."));
  workspace().background().start(
      [this, scenario = *workspace().scenario(), design = *workspace().design(),
       prediction = *workspace().simulated()](client::Session& session,
                                              const Engine::Progress& progress) -> Engine::Then {
        std::vector<Alternative> found =
            session.alternatives(scenario, design, prediction, kMost, {.on_progress = progress});
        return [this, found = std::move(found)] {
          std::vector<Row> rows;
          for (const Alternative& a : found)
            rows.push_back({Cell(a.change), figure_cell(a.utilization, "ratio"),
                            Cell(QString::fromStdString(report::points(a.gain, 2)), a.gain),
                            Cell(a.meets_targets ? tr("\u2713 yes") : tr("\u2717 no"))});
          tried_->setText(rows.empty() ? tr("No change of what limits gains anything")
                                       : tr("Each tried alone by simulation"));
          changes_->set(std::move(rows));
        };
      });
}

bool BottleneckScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("twice")) return twice_->ask(argument.toStdString());
  if (action != QLatin1String("help")) return false;
  try_changes();
  return true;
}

bool BottleneckScreen::working() const { return workspace().background().busy(); }

}  // namespace stallcast::desktop
