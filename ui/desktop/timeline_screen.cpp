#include "ui/desktop/timeline_screen.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/gantt.hpp"
#include "ui/desktop/heat_chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/quantity_edit.hpp"
#include "ui/desktop/recorded.hpp"
#include "ui/desktop/step_chart.hpp"

namespace stallcast::desktop {

TimelineScreen::TimelineScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("timeline"), tr("Timeline"), parent) {
  auto* layout = new QVBoxLayout(this);
  auto* head = new QHBoxLayout;
  const auto moment = [&](const char* name, const QString& label, double value) {
    auto* edit = new QuantityEdit(Dimension::time, this);
    edit->setObjectName(QLatin1String(name));
    edit->setAccessibleName(label);
    edit->set_range(0.0, 1e9, 0.0);
    edit->set_value(value);
    head->addWidget(new QLabel(label, this));
    head->addWidget(edit);
    return edit;
  };
  from_ = moment("from", tr("From"), 0.0);
  to_ = moment("to", tr("to"), TimelineRequest{}.end_s);
  record_ = new QPushButton(tr("&Record"), this);
  record_->setObjectName(QStringLiteral("record"));
  record_->setAccessibleName(tr("Record what happens in this window"));
  head->addWidget(record_);
  head->addStretch(1);
  layout->addLayout(head);
  status_ = note({}, this);
  layout->addWidget(status_);
  stack_ = new PageStack(this);
  shares_ = new StepChart(stack_);
  auto* known = new ChartPane(tr("The whole run by cause"), shares_, shares_->twin(), stack_);
  known->setObjectName(QStringLiteral("chart:run"));
  stack_->addWidget(known);
  auto* split = new QSplitter(Qt::Vertical, stack_);
  split->setChildrenCollapsible(false);
  gantt_ = new Gantt(split);
  auto* pane = new ChartPane(tr("What happens when"), gantt_, gantt_->twin(), split);
  pane->setObjectName(QStringLiteral("chart:timeline"));
  split->addWidget(scrolled(pane, tr("What happens when"), split));
  heat_ = new HeatChart(split);
  auto* heat = new ChartPane(tr("How busy resources are"), heat_, heat_->twin(), split);
  heat->setObjectName(QStringLiteral("chart:heat"));
  split->addWidget(scrolled(heat, tr("How busy resources are"), split));
  stack_->addWidget(split);
  layout->addWidget(stack_, 1);
  connect(record_, &QPushButton::clicked, this, &TimelineScreen::record);
  connect(&workspace, &Workspace::predicted, this, [this] {
    if (isVisible()) refresh();
  });
}

void TimelineScreen::refresh() {
  const auto& p = workspace().simulated();
  record_->setEnabled(workspace().design().has_value() && !workspace().has_errors());
  if (stack_->currentIndex() == 1) {
    if (recorded_text_ != workspace().document().text())
      status_->setText(tr("The design has changed: this was recorded of an earlier one"));
    return;
  }
  if (!p) {
    status_->setText(tr("Nothing is simulated yet"));
    return;
  }
  status_->setText(tr("Shares of the whole run of %1. Record shows when what happens, by one more "
                      "simulation of the window.")
                       .arg(figure_text(p->simulated_s, "s")));
  shares_->set(step_bars(*p, tr("this design"), workspace().freshness() != Freshness::simulated));
}

void TimelineScreen::record() {
  if (!workspace().design()) return;
  status_->setText(tr("Recording..."));
  TimelineRequest what;
  what.begin_s = from_->value();
  what.end_s = to_->value();
  workspace().background().start(
      [this, what, design = *workspace().design(), text = workspace().document().text()](
          client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        Result<Timeline> recorded = session.record(design, what, {.on_progress = progress});
        return [this, text, recorded = std::move(recorded)] {
          recorded_text_ = text;
          show_recorded(recorded);
        };
      });
}

void TimelineScreen::show_recorded(const Result<Timeline>& recorded) {
  if (!recorded.ok()) {
    status_->setText(QStringLiteral("\u2717 ") +
                     QString::fromStdString(recorded.failure().message));
    return;
  }
  gantt_->set(lanes_of(*recorded));
  heat_->set(*recorded);
  stack_->setCurrentIndex(1);
  QString text =
      tr("Wheel or W and S zoom, A and D move, N and P go to the next and the last stall, Home "
         "shows all.");
  if (recorded->spans_end_s < recorded->end_s)
    text += tr(" There are too many spans: lanes end at %1.")
                .arg(figure_text(recorded->spans_end_s, "s"));
  status_->setText(text);
}

bool TimelineScreen::act(const QString& action, const QString&) {
  if (action != QLatin1String("record")) return false;
  record();
  return true;
}

bool TimelineScreen::working() const { return workspace().background().busy(); }

}  // namespace stallcast::desktop
