#include "ui/desktop/compare_screen.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/patch.hpp"
#include "ui/desktop/step_chart.hpp"

namespace stallcast::desktop {
namespace {

QWidget* titled(const QString& title, QWidget* inside, QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(heading(title, box));
  layout->addWidget(inside, 1);
  return box;
}

}  // namespace

CompareScreen::CompareScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("compare"), tr("Compare"), parent) {
  auto* layout = new QVBoxLayout(this);
  auto* head = new QHBoxLayout;
  head->addWidget(new QLabel(tr("Against"), this));
  base_ = choice(QStringLiteral("base"), tr("Design to compare with"), this);
  head->addWidget(base_, 1);
  empty_ = note(tr("Pin a design on \"What if\" (Ctrl+P), then change it"), this);
  head->addWidget(empty_, 1);
  layout->addLayout(head);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  auto* left = new QSplitter(Qt::Vertical, split);
  left->setChildrenCollapsible(false);
  inputs_ = new RowsModel({tr("input"), tr("before"), tr("now")}, this);
  QTableView* inputs = table_of(*inputs_, tr("What was changed"), left);
  inputs->setObjectName(QStringLiteral("inputs"));
  left->addWidget(titled(tr("What was changed"), inputs, left));
  figures_ = new RowsModel({tr("figure")}, this);
  QTableView* figures = table_of(*figures_, tr("What came of it"), left);
  figures->setObjectName(QStringLiteral("figures"));
  left->addWidget(titled(tr("What came of it"), figures, left));
  left->setStretchFactor(0, 1);
  left->setStretchFactor(1, 3);
  split->addWidget(left);
  steps_ = new StepChart(split);
  auto* pane = new ChartPane(tr("Where the time goes"), steps_, steps_->twin(), split);
  pane->setObjectName(QStringLiteral("chart:compare"));
  split->addWidget(scrolled(pane, tr("Where the time goes"), split));
  split->setStretchFactor(0, 5);
  split->setStretchFactor(1, 3);
  layout->addWidget(split, 1);
  connect(base_, &QComboBox::currentIndexChanged, this, &CompareScreen::refresh);
  const auto show = [this] {
    if (isVisible()) refresh();
  };
  connect(&workspace, &Workspace::predicted, this, show);
  connect(&workspace, &Workspace::pins_changed, this, show);
}

void CompareScreen::refresh() {
  QStringList names, shown;
  for (const Pin& pin : workspace().pins()) names << pin.name;
  for (int i = 0; i < base_->count(); ++i) shown << base_->itemText(i);
  if (names != shown) {
    const QSignalBlocker quiet(base_);
    base_->clear();
    base_->addItems(names);
  }
  empty_->setVisible(names.isEmpty());
  base_->setEnabled(!names.isEmpty());
  refresh_inputs();
  refresh_figures();
  std::vector<StepChart::Bar> bars;
  if (const auto& now = workspace().simulated())
    bars = step_bars(*now, tr("this design"), workspace().freshness() != Freshness::simulated);
  for (const Pin& pin : workspace().pins())
    for (StepChart::Bar& bar : step_bars(pin.prediction, pin.name, false))
      bars.push_back(std::move(bar));
  steps_->set(std::move(bars));
}

void CompareScreen::refresh_inputs() {
  std::vector<Row> rows;
  const int base = base_->currentIndex();
  if (base >= 0)
    for (const Change& c : value_changes(workspace().pins()[static_cast<std::size_t>(base)].text,
                                         workspace().document().text()))
      rows.push_back({Cell(c.path), Cell(c.before.isEmpty() ? tr("absent") : c.before),
                      Cell(c.after.isEmpty() ? tr("absent") : c.after)});
  inputs_->set(std::move(rows));
}

void CompareScreen::refresh_figures() {
  const auto& now = workspace().simulated();
  const std::vector<Pin>& pins = workspace().pins();
  const int base = base_->currentIndex();
  QStringList headers{tr("figure")};
  for (const Pin& pin : pins) headers << pin.name;
  headers << tr("this design") << tr("difference");
  std::vector<Row> rows;
  if (now) {
    for (const auto& [name, metric] : now->metrics) {
      const QString title = QString::fromStdString(name);
      Row row{Cell(title)};
      const Metric* before = nullptr;
      for (std::size_t i = 0; i < pins.size(); ++i) {
        const Metric* m = find_metric(pins[i].prediction, title);
        row.push_back(m == nullptr ? Cell(QStringLiteral("\u2013"))
                                   : Cell(metric_text(*m), m->value));
        if (static_cast<int>(i) == base) before = m;
      }
      row.emplace_back(metric_text(metric), metric.value);
      QString delta;
      if (before != nullptr) {
        const int sign = delta_sign(title, *before, metric);
        delta = delta_text(*before, metric) + (sign > 0   ? tr(", better")
                                               : sign < 0 ? tr(", worse")
                                                          : QString());
      }
      row.push_back(Cell(delta));
      rows.push_back(std::move(row));
    }
  }
  figures_->set(headers, std::move(rows));
}

}  // namespace stallcast::desktop
