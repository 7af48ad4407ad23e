#include "ui/desktop/whatif_screen.hpp"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "stallcast/label.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/rows_model.hpp"
#include "ui/desktop/slider_row.hpp"
#include "ui/desktop/step_chart.hpp"
#include "ui/desktop/tile.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/report.hpp"

namespace stallcast::desktop {
namespace {

QString answer_text(const Result<PlanResult>& plan) {
  if (!plan.ok())
    return WhatIfScreen::tr("Not found: %1").arg(QString::fromStdString(plan.failure().message));
  const QString noun = QString::fromStdString(plan->noun);
  if (plan->status == PlanStatus::inconclusive)
    return WhatIfScreen::tr("The replicas are too few to tell");
  if (plan->status == PlanStatus::infeasible)
    return WhatIfScreen::tr("No number of %1 meets the targets").arg(noun) +
           (plan->nearest
                ? QStringLiteral("; ") + QString::fromStdString(report::nearest_text(*plan))
                : QString());
  if (plan->axes.size() > 1 && plan->answer) {
    QStringList values;
    const PlanPoint& best = plan->points[*plan->answer];
    for (std::size_t i = 0; i < plan->axes.size() && i < best.values.size(); ++i)
      values << QString::fromStdString(plan->axes[i].name + " " + best.values[i]);
    return WhatIfScreen::tr("Best that meets the targets: %1")
        .arg(values.join(QStringLiteral(", ")));
  }
  return WhatIfScreen::tr("%1 %2 of %3 meet the targets, fewer do not")
      .arg(QString::number(plan->required), noun, QString::fromStdString(plan->owner));
}

}  // namespace

WhatIfScreen::WhatIfScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("whatif"), tr("What if"), parent) {
  split_ = splitter(Qt::Horizontal, this);
  split_->addWidget(slider_side());
  split_->addWidget(figure_side());
  split_->addWidget(cause_side());
  stretch(*split_, {3, 4, 3});
  split_->setSizes({250, 480, 370});
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(split_);
  connect(&workspace, &Workspace::sliders_changed, this, &WhatIfScreen::rebuild_sliders);
  connect(&workspace, &Workspace::read, this, &WhatIfScreen::show_values);
  connect(&workspace, &Workspace::predicted, this, [this] {
    if (this->workspace().freshness() == Freshness::simulated) {
      before_ = std::exchange(last_, this->workspace().simulated());
      const Document& document = this->workspace().document();
      last_edits_ = document.edits_since(std::exchange(edits_, document.undo_stack().index()));
    }
    if (isVisible()) refresh();
  });
  connect(&workspace.document(), &Document::opened, this, [this] {  // of another scenario
    before_.reset(), last_.reset();
    last_edits_.clear();
    edits_ = 0;
    solved_->hide();
  });
  connect(&workspace, &Workspace::refined, this, [this] {
    last_ = this->workspace().simulated();
    if (isVisible()) refresh();
  });
  connect(&workspace, &Workspace::pins_changed, this, [this] {
    refresh_pins();
    refresh();
  });
  rebuild_sliders();
  refresh_pins();
}

QWidget* WhatIfScreen::slider_side() {
  auto* side = new QWidget(this);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 6, 0);
  layout->addWidget(heading(tr("Change"), side));
  auto* inside = new QWidget(side);
  slider_list_ = new QVBoxLayout(inside);
  slider_list_->setContentsMargins(0, 0, 6, 0);
  slider_list_->addStretch(1);
  layout->addWidget(scrolled(inside, tr("Sliders"), side), 1);
  auto* add = push_button(tr("&Add a slider..."), "add_slider", tr("Add a slider"), side);
  auto* menu = new QMenu(add);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->clear();
    std::map<QString, QMenu*> parts;
    for (const QString& path : workspace().possible_sliders()) {
      const qsizetype dot = path.indexOf(u'.', path.lastIndexOf(u']') + 1);
      QString part = dot > 0 ? path.left(dot) : path;
      if (part.endsWith(u']')) part = path.left(path.indexOf(u'.', path.lastIndexOf(u']')));
      QMenu*& sub = parts[part];
      if (sub == nullptr) sub = menu->addMenu(part);
      sub->addAction(path.mid(part.size() + 1), this,
                     [this, path] { workspace().add_slider(path); });
    }
  });
  add->setMenu(menu);
  layout->addWidget(add);
  return side;
}

QWidget* WhatIfScreen::figure_side() {
  auto* side = new QWidget(this);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(6, 0, 6, 0);
  status_ = heading({}, side);
  status_->setObjectName(QStringLiteral("status"));
  status_->setWordWrap(true);
  layout->addWidget(status_);
  tiles_ = new TileGrid(side);
  layout->addWidget(scrolled(tiles_, tr("Figures"), side), 1);
  why_ = new QLabel(side);
  why_->setObjectName(QStringLiteral("why"));
  why_->setWordWrap(true);
  layout->addWidget(why_);
  auto* buttons = new QHBoxLayout;
  pin_ = push_button(tr("&Pin this design"), "pin", tr("Pin this design to compare others with it"),
                     side);
  connect(pin_, &QPushButton::clicked, this,
          [this] { workspace().pin(workspace().next_pin_name()); });
  solve_ = push_button(tr("&Fewest that meet the targets"), "solve",
                       tr("Find the smallest storage that meets the targets"), side);
  connect(solve_, &QPushButton::clicked, this, &WhatIfScreen::solve);
  buttons->addWidget(pin_);
  buttons->addWidget(solve_);
  buttons->addStretch(1);
  layout->addLayout(buttons);
  solved_ = new QLabel(side);
  solved_->setObjectName(QStringLiteral("solved"));
  solved_->setWordWrap(true);
  solved_->hide();
  layout->addWidget(solved_);
  pin_list_ = new QVBoxLayout;
  layout->addLayout(pin_list_);
  return side;
}

QWidget* WhatIfScreen::cause_side() {
  auto* side = splitter(Qt::Vertical, this);
  steps_ = new StepChart(side);
  auto* bars = new QWidget(side);
  auto* pane = new ChartPane(tr("Where the time goes"), "steps", steps_, bars);
  auto* bars_layout = new QVBoxLayout(bars);
  bars_layout->setContentsMargins(6, 0, 0, 6);
  bars_layout->addWidget(pane);
  side->addWidget(bars);
  auto* limits = new QWidget(side);
  auto* layout = new QVBoxLayout(limits);
  layout->setContentsMargins(6, 6, 0, 0);
  layout->addWidget(heading(tr("What limits it"), limits));
  limits_ = new RowsModel({tr("resource"), tr("would save"), tr("busy")}, this);
  QTableView* table = table_of(*limits_, tr("What limits it"), limits, "limits");
  table->horizontalHeader()->setStretchLastSection(false);  // figures stay whole
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  table->setTextElideMode(Qt::ElideMiddle);
  table->setWordWrap(true);  // two that differ in the middle are not cut to the same
  connect(table->horizontalHeader(), &QHeaderView::sectionResized, table,
          &QTableView::resizeRowsToContents);
  layout->addWidget(table, 1);
  side->addWidget(limits);
  return side;
}

void WhatIfScreen::rebuild_sliders() {
  for (SliderRow* row : rows_) row->deleteLater();
  rows_.clear();
  for (const SliderSpec& spec : workspace().sliders()) {
    auto* row = new SliderRow(workspace(), spec, slider_list_->parentWidget());
    slider_list_->insertWidget(slider_list_->count() - 1, row);
    rows_.push_back(row);
  }
}

void WhatIfScreen::show_values() {
  for (SliderRow* row : rows_)
    for (const SliderSpec& spec : workspace().sliders())
      if (spec.path == row->spec().path) row->show_value(spec);
}

void WhatIfScreen::refresh() {
  const Workspace& w = workspace();
  QString text;
  switch (w.freshness()) {
    case Freshness::none:
      text = w.has_errors() ? tr("This scenario has errors: see Problems (F8)")
                            : tr("Open a scenario");
      break;
    case Freshness::estimated:
      text = tr("~ Bounds; simulating...");
      break;
    case Freshness::simulated:
      text = tr("Simulated: %1, %2")
                 .arg(w.simulated()->verdict == Verdict::none
                          ? tr("nothing expected")
                          : status_sign(std::string(report::verdict_name(w.simulated()->verdict))),
                      limit_text(*w.simulated()));
      break;
    case Freshness::last_good:
      text = tr("This text has errors (F8): figures are those of the last good one");
      break;
    case Freshness::failed:
      text = tr("Not simulated: %1").arg(w.failure());
      break;
  }
  status_->setText(text);
  pin_->setEnabled(w.freshness() == Freshness::simulated && w.pins().size() < kMostPins);
  solve_->setEnabled(w.design() != nullptr && !w.has_errors());
  const QString reason = why();
  why_->setText(reason);
  why_->setVisible(!reason.isEmpty());
  refresh_tiles();
  refresh_causes();
}

QString WhatIfScreen::why() const {
  if (!before_ || !last_ || last_edits_.isEmpty() || before_->scenario_id != last_->scenario_id)
    return {};
  for (const Headline& h : headline_tiles(*last_)) {
    const auto before = find_metric(*before_, h.metric);
    const auto now = find_metric(*last_, h.metric);
    if (!before || !now || metric_text(*before) == metric_text(*now)) continue;
    QString out = tr("%1: %2 %3 \u2192 %4, because you %5")
                      .arg(h.title, QString(), metric_text(*before), metric_text(*now), last_edits_)
                      .replace(QStringLiteral("  "), QStringLiteral(" "));
    const QString from = limit_text(*before_), to = limit_text(*last_);
    return out + (from == to ? tr("; still %1").arg(to) : tr("; first %1, now %2").arg(from, to));
  }
  return {};
}

void WhatIfScreen::refresh_tiles() {
  std::vector<Headline> wanted;
  if (const auto& p = workspace().simulated())
    wanted = headline_tiles(*p);
  else if (const auto& e = workspace().estimate()) {
    for (const auto& [name, metric] : e->metrics)
      wanted.push_back({QString::fromStdString(name), name.ends_with("gpu.utilization")
                                                          ? tr("GPU utilization")
                                                          : tr("Size of a save")});
  }
  const std::vector<Tile*>& shown = tiles_->tiles();
  const bool same =
      std::equal(wanted.begin(), wanted.end(), shown.begin(), shown.end(),
                 [](const Headline& h, const Tile* tile) { return h.metric == tile->metric(); });
  if (!same) {
    std::vector<Tile*> tiles;
    for (const Headline& h : wanted) {
      tiles.push_back(new Tile(h.metric, h.title, tiles_));
      auto* expect = new QAction(tr("Assert this..."), tiles.back());
      connect(expect, &QAction::triggered, this, [this, h] { emit assert_wanted(h.metric); });
      tiles.back()->addAction(expect);
    }
    tiles_->set(std::move(tiles));
  }
  for (Tile* tile : tiles_->tiles()) tile->refresh(workspace());
  tiles_->place();
}

void WhatIfScreen::arrange() {
  constexpr int kThreeColumns = 110, kLinesEach = 15;
  set_columns(*split_, kThreeColumns, kLinesEach);
}

void WhatIfScreen::changeEvent(QEvent* event) {
  Screen::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh_pins();  // pins have the colours of a theme
}

void WhatIfScreen::refresh_pins() {
  while (QLayoutItem* item = pin_list_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  for (std::size_t i = 0; i < workspace().pins().size(); ++i) {
    const Pin& pin = workspace().pins()[i];
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    std::optional<Metric> use;
    for (const Headline& h : headline_tiles(pin.prediction))
      if (!use) use = find_metric(pin.prediction, h.metric);
    auto* name = new QLabel(QStringLiteral("<span style=\"color:%1\">\u25a0</span> %2%3")
                                .arg(Theme::of(*this).pins[i].name(), pin.name.toHtmlEscaped(),
                                     use ? QStringLiteral(": ") + metric_text(*use) : QString()),
                            row);
    name->setTextFormat(Qt::RichText);
    layout->addWidget(name, 1);
    const auto button = [&](const QString& text, const QString& say, auto&& action) {
      auto* b = new QToolButton(row);
      b->setText(text);
      b->setAccessibleName(say);
      b->setToolTip(say);
      connect(b, &QToolButton::clicked, this, action, Qt::QueuedConnection);
      layout->addWidget(b);
    };
    button(tr("Go back"), tr("Go back to %1").arg(pin.name),
           [this, text = pin.text, label = pin.name] {
             workspace().document().replace_text(text, tr("went back to %1").arg(label));
           });
    button(QStringLiteral("\u2715"), tr("Unpin %1").arg(pin.name),
           [this, i] { workspace().unpin(i); });
    pin_list_->addWidget(row);
  }
}

void WhatIfScreen::refresh_causes() {
  std::vector<StepChart::Bar> bars;
  const Workspace& w = workspace();
  if (w.simulated())
    bars = step_bars(*w.simulated(), tr("this design"), w.freshness() != Freshness::simulated);
  for (const Pin& pin : w.pins())
    for (StepChart::Bar& bar : step_bars(pin.prediction, pin.name, false))
      bars.push_back(std::move(bar));
  steps_->set(std::move(bars));
  std::vector<Row> rows;
  const auto& shown =
      w.freshness() == Freshness::estimated && !w.simulated() ? w.estimate() : w.simulated();
  if (shown)
    for (const Bottleneck& b : shown->bottlenecks) {
      if (rows.size() == 3) break;
      rows.push_back({Cell(label::of_resource(b.resource)), saved_cell(b, *shown),
                      b.utilization > 0.0 ? figure_cell(b.utilization, "ratio") : Cell(QString())});
      rows.back()[0].tip =
          QString::fromStdString(b.headroom.empty() ? b.resource : b.resource + ": " + b.headroom);
    }
  limits_->set(std::move(rows));
}

void WhatIfScreen::solve() {
  solved_->setText(tr("Searching..."));
  solved_->show();
  workspace().background().start(
      [this, scenario = *workspace().scenario()](client::Session& session,
                                                 const Engine::Progress& progress) -> Engine::Then {
        Result<PlanResult> plan = session.plan(scenario, "", {.on_progress = progress});
        return [this, plan = std::move(plan)] { solved_->setText(answer_text(plan)); };
      });
}

bool WhatIfScreen::working() const { return workspace().background().busy(); }

bool WhatIfScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("solve")) {
    solve();
    return true;
  }
  if (action == QLatin1String("pin")) return workspace().pin(argument);
  if (action == QLatin1String("slide")) {
    const QString path = argument.section(u' ', 0, 0), to = argument.section(u' ', 1);
    for (SliderRow* row : rows_) {
      if (row->spec().path != path) continue;
      const client::ReadQuantity value =
          client::read_quantity(to.toStdString(), row->spec().dimension);
      if (!value.value) return false;
      row->drag_to(*value.value);
      return true;
    }
  }
  return false;
}

}  // namespace stallcast::desktop
