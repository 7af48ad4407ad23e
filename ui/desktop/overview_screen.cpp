#include "ui/desktop/overview_screen.hpp"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/desktop/advice_pane.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/gantt.hpp"
#include "ui/desktop/knobs_pane.hpp"
#include "ui/desktop/part_pane.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/picture_chart.hpp"
#include "ui/desktop/recorded.hpp"
#include "ui/desktop/verdict_strip.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kShownTime = 120.0;  // seconds around a save
/// Of the drawing and of the time, which share what room there is by what they have to show.
constexpr int kLeastLines = 11, kMostLines = 28;
/// With fewer letters than this in a line, columns stand below each other.
constexpr int kTwoColumns = 120;

}  // namespace

OverviewScreen::OverviewScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("overview"), tr("Overview"), parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(space::kInner, space::kInner, space::kInner, space::kInner);
  layout->setSpacing(space::kThings);
  verdict_ = new VerdictStrip(this);
  layout->addWidget(verdict_);
  columns_ = new QBoxLayout(QBoxLayout::LeftToRight);
  columns_->setSpacing(space::kThings);
  columns_->addWidget(middle(), 3);
  columns_->addWidget(side(), 2);
  layout->addLayout(columns_, 1);
  refresh_on(&Workspace::predicted);
  refresh_on(&Workspace::refined);
  refresh_on(&Workspace::advised);
  refresh_on(&Workspace::pins_changed);
  connect(&workspace.document(), &Document::opened, this, [this] { inspect({}); });
}

QWidget* OverviewScreen::middle() {
  auto* middle = new QWidget(this);
  auto* rows = middle_ = column(middle);
  rows->setSpacing(space::kThings);
  auto* system = new Card(middle);
  picture_ = new PictureChart(system);
  auto* pane = new ChartPane(tr("The system"), "overview_system", picture_, system);
  system_ = scrolled_on_ground(pane, tr("The system"), system);
  system->rows()->addWidget(system_);
  rows->addWidget(system, 2);
  auto* below = new Card(middle);
  below_ = new PageStack(below);
  time_ = new Gantt(below_);
  auto* time = new ChartPane(tr("What happens when"), "overview_time", time_, below_);
  below_->addWidget(scrolled_on_ground(time, tr("What happens when"), below_));
  part_ = new PartPane(workspace(), below_);
  below_->addWidget(part_);
  below->rows()->addWidget(below_);
  rows->addWidget(below, 3);
  connect(picture_, &PictureChart::chosen, this, &OverviewScreen::inspect);
  connect(part_, &PartPane::edit_wanted, this, &OverviewScreen::part_wanted);
  connect(part_, &PartPane::closed, this, [this] {
    inspect({});
    picture_->setFocus();
  });
  return middle;
}

QWidget* OverviewScreen::side() {
  auto* inside = new QWidget(this);
  auto* rows = column(inside);
  rows->setSpacing(space::kThings);
  knobs_ = new KnobsPane(workspace(), inside);
  rows->addWidget(knobs_);
  advice_ = new AdvicePane(workspace(), inside);
  rows->addWidget(advice_);
  rows->addStretch(1);
  return scrolled(inside, tr("What can be changed"), this);
}

void OverviewScreen::inspect(const QString& path) {
  below_->setCurrentIndex(path.isEmpty() ? 0 : 1);
  if (!path.isEmpty()) part_->show_part(path);
}

void OverviewScreen::refresh() {
  const Workspace& w = workspace();
  verdict_->refresh(w);
  knobs_->refresh();
  advice_->refresh();
  picture_->set(w.simulated() ? *w.simulated() : w.estimate() ? *w.estimate() : Prediction());
  show_time();
  share_height();
  if (below_->currentIndex() == 1) part_->refresh();
}

void OverviewScreen::show_time() {
  const Timeline* recorded = workspace().shown_timeline();
  if (recorded == nullptr) return time_->set({});
  GanttData lanes = lanes_of(*recorded);
  const double at = save_or_stall(lanes);
  time_->set(std::move(lanes));
  time_->show_range(at - kShownTime / 2.0, at + kShownTime / 2.0);
}

void OverviewScreen::share_height() {
  constexpr int kTitle = 3;
  const int line = fontMetrics().height();
  const auto share = [&](int place, int lines) {
    middle_->setStretch(place, std::clamp(lines + kTitle, kLeastLines, kMostLines));
  };
  share(0, static_cast<int>(picture_->lines()));
  share(1, time_->minimumSizeHint().height() / line);
}

void OverviewScreen::arrange() {
  system_->setMinimumHeight(kLeastLines * fontMetrics().height());
  share_height();
  const bool narrow = width() < kTwoColumns * fontMetrics().averageCharWidth();
  columns_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  verdict_->set_narrow(narrow);
}

void OverviewScreen::changeEvent(QEvent* event) {
  Screen::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && isVisible()) verdict_->refresh(workspace());
}

bool OverviewScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("slide"))
    return knobs_->drag(argument.section(u' ', 0, 0), argument.section(u' ', 1));
  if (action == QLatin1String("pin")) return workspace().pin(argument);
  if (action == QLatin1String("inspect")) {
    inspect(argument);
    return true;
  }
  const auto card = static_cast<std::size_t>(std::max(1, argument.toInt()) - 1);
  if (action == QLatin1String("apply")) return advice_->apply(card);
  return action == QLatin1String("pin_advice") && advice_->pin(card);
}

bool OverviewScreen::working() const {
  return workspace().background().busy() || knobs_->responses().working() || advice_->working() ||
         part_->working();
}

}  // namespace stallcast::desktop
