#include "ui/desktop/timeline_screen.hpp"

#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/gantt.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/step_chart.hpp"

namespace stallcast::desktop {

TimelineScreen::TimelineScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("timeline"), tr("Timeline"), parent) {
  auto* layout = new QVBoxLayout(this);
  status_ = note({}, this);
  layout->addWidget(status_);
  stack_ = new QStackedWidget(this);
  shares_ = new StepChart(stack_);
  auto* known = new ChartPane(tr("The whole run by cause"), shares_, shares_->twin(), stack_);
  known->setObjectName(QStringLiteral("chart:run"));
  stack_->addWidget(known);
  gantt_ = new Gantt(stack_);
  auto* pane = new ChartPane(tr("What happens when"), gantt_, gantt_->twin(), stack_);
  pane->setObjectName(QStringLiteral("chart:timeline"));
  stack_->addWidget(pane);
  layout->addWidget(stack_, 1);
  connect(&workspace, &Workspace::predicted, this, [this] {
    if (isVisible()) refresh();
  });
}

void TimelineScreen::refresh() {
  const auto& p = workspace().simulated();
  if (stack_->currentIndex() == 1) return;
  if (!p) {
    status_->setText(tr("Nothing is simulated yet"));
    return;
  }
  status_->setText(tr("This simulation of %1 recorded no timeline: shares of the whole run are "
                      "known, moments are not.")
                       .arg(figure_text(p->simulated_s, "s")));
  shares_->set(step_bars(*p, tr("this design"), workspace().freshness() != Freshness::simulated));
}

void TimelineScreen::set_timeline(Timeline timeline) {
  const bool any = !timeline.empty();
  gantt_->set(std::move(timeline));
  stack_->setCurrentIndex(any ? 1 : 0);
  status_->setText(
      tr("Wheel or W and S zoom, A and D move, N and P go to the next and the last stall, Home "
         "shows all"));
  if (!any) refresh();
}

}  // namespace stallcast::desktop
