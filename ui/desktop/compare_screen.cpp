#include "ui/desktop/compare_screen.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/patch.hpp"
#include "ui/desktop/side_pane.hpp"
#include "ui/desktop/step_chart.hpp"
#include "ui/desktop/waterfall_chart.hpp"
#include "ui/report/diff/words.hpp"

namespace stallcast::desktop {
namespace {

QWidget* titled(const QString& title, QWidget* inside, QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* layout = column(box);
  layout->addWidget(heading(title, box));
  layout->addWidget(inside, 1);
  return box;
}

}  // namespace

CompareScreen::CompareScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("compare"), tr("Compare"), parent) {
  auto* layout = new QVBoxLayout(this);
  tabs_ = new QTabWidget(this);
  tabs_->setAccessibleName(tr("Kinds of comparison"));
  tabs_->addTab(pinned_side(tabs_), tr("With a &pinned design"));
  side_ = new SidePane(workspace, tabs_);
  tabs_->addTab(side_, tr("&Side by side"));
  layout->addWidget(tabs_);
  connect(side_, &SidePane::file_chosen, this, &CompareScreen::file_chosen);
  connect(base_, &QComboBox::currentIndexChanged, this, &CompareScreen::refresh);
  const auto show = [this] {
    if (isVisible()) refresh();
  };
  connect(&workspace, &Workspace::predicted, this, show);
  connect(&workspace, &Workspace::pins_changed, this, show);
  connect(&workspace.document(), &Document::edited, this, &CompareScreen::forget_shares);
  connect(base_, &QComboBox::currentTextChanged, this, &CompareScreen::forget_shares);
  forget_shares();
}

QWidget* CompareScreen::pinned_side(QWidget* parent) {
  auto* side = new QWidget(parent);
  auto* layout = new QVBoxLayout(side);
  auto* head = new QHBoxLayout;
  head->addWidget(new QLabel(tr("Against"), side));
  base_ = choice(QStringLiteral("base"), tr("Design to compare with"), side);
  head->addWidget(base_, 1);
  empty_ = note(tr("Pin a design on \"What if\" (Ctrl+P), then change it"), side);
  head->addWidget(empty_, 1);
  layout->addLayout(head);
  auto* split = splitter(Qt::Horizontal, side);
  auto* left = splitter(Qt::Vertical, split);
  inputs_ = new RowsModel({tr("input"), tr("before"), tr("now")}, this);
  left->addWidget(titled(tr("What was changed"),
                         table_of(*inputs_, tr("What was changed"), left, "inputs"), left));
  figures_ = new RowsModel({tr("figure")}, this);
  left->addWidget(titled(tr("What came of it"),
                         table_of(*figures_, tr("What came of it"), left, "figures"), left));
  stretch(*left, {1, 3});
  split->addWidget(left);
  steps_ = new StepChart(split);
  auto* pane = new ChartPane(tr("Where the time goes"), "compare", steps_, split);
  auto* right = splitter(Qt::Vertical, split);
  right->addWidget(scrolled(pane, tr("Where the time goes"), right));
  right->addWidget(shares_side(right));
  split->addWidget(right);
  stretch(*split, {5, 3});
  split->setSizes({700, 400});
  layout->addWidget(split, 1);
  return side;
}

void CompareScreen::refresh() {
  QStringList names, shown;
  for (const Pin& pin : workspace().pins()) names << pin.name;
  for (int i = 0; i < base_->count(); ++i) shown << base_->itemText(i);
  if (names != shown) {
    const QSignalBlocker quiet(base_);
    base_->clear();
    base_->addItems(names);
    forget_shares();
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

QWidget* CompareScreen::shares_side(QWidget* parent) {
  auto* side = new QWidget(parent);
  auto* layout = column(side);
  auto* head = new QHBoxLayout;
  attribute_ = push_button(tr("Which change &did it?"), "attribute",
                           tr("Find which change made which part of the difference"), side);
  moved_ = choice(QStringLiteral("moved"), tr("Figure that moved"), side);
  head->addWidget(attribute_);
  head->addWidget(moved_, 1);
  layout->addLayout(head);
  how_ = note({}, side);
  layout->addWidget(how_);
  shares_ = new WaterfallChart(side);
  auto* pane = new ChartPane(tr("Share of each change"), "shares", shares_, side);
  layout->addWidget(scrolled(pane, tr("Share of each change"), side), 1);
  connect(attribute_, &QPushButton::clicked, this, &CompareScreen::attribute);
  connect(moved_, &QComboBox::currentIndexChanged, this, &CompareScreen::show_shares);
  return side;
}

void CompareScreen::forget_shares() {
  diff_.reset();
  offer_figures();
  how_->setText(tr("Simulates the designs between the two"));
  attribute_->setEnabled(base_->currentIndex() >= 0 && !workspace().has_errors());
}

void CompareScreen::attribute() {
  const int base = base_->currentIndex();
  if (base < 0 || !workspace().design() || workspace().has_errors()) return;
  forget_shares();
  how_->setText(tr("Simulating the designs between the two..."));
  const Pin& pin = workspace().pins()[static_cast<std::size_t>(base)];
  ScenarioFile source = workspace().source();
  source.text = pin.text.toStdString();
  const client::DiffInput before{.name = pin.name.toStdString(),
                                 .scenario = workspace().session().read(source).scenario};
  const client::DiffInput now{.name = tr("this design").toStdString(),
                              .scenario = workspace().scenario()};
  if (!before.scenario) return;  // it was read when it was pinned
  workspace().background().start(
      [this, before, now](client::Session& session,
                          const Engine::Progress& progress) -> Engine::Then {
        Result<Diff> found = session.diff(before, now, {.predict = {.on_progress = progress}});
        return [this, before, now, found = std::move(found)] {
          const std::vector<Pin>& pins = workspace().pins();
          const int i = base_->currentIndex();
          const bool stale =
              workspace().source().text != now.scenario->text() || i < 0 ||
              pins[static_cast<std::size_t>(i)].text.toStdString() != before.scenario->text();
          if (stale) return;
          if (!found.ok()) return how_->setText(QString::fromStdString(found.failure().message));
          diff_ = *found;
          offer_figures();
        };
      });
}

void CompareScreen::offer_figures() {
  const QSignalBlocker quiet(moved_);
  moved_->clear();
  if (diff_)
    for (const MetricChange* m : report::moved_metrics(*diff_))
      if (diff_->attributed.metrics.contains(m->metric))
        moved_->addItem(QString::fromStdString(report::metric_label(m->metric)),
                        QString::fromStdString(m->metric));
  moved_->setEnabled(moved_->count() > 0);
  show_shares();
}

void CompareScreen::show_shares() {
  const std::string wanted = moved_->currentData().toString().toStdString();
  if (!diff_) return shares_->set({}, {}, tr("Not asked for yet"));
  QStringList notes{QString::fromStdString(report::method_text(*diff_))};
  for (const std::string& n : diff_->attributed.notes) notes << QString::fromStdString(n);
  for (const MetricChange& m : diff_->metrics) {
    if (m.metric != wanted) continue;
    std::vector<WaterfallChart::Part> parts;
    double rest = m.difference();
    for (const report::Blame& b : report::blames(*diff_, m)) {
      parts.push_back({QString::fromStdString(report::change_text(*b.change)), b.share,
                       QString::fromStdString(report::part_text(b.alone, m.unit))});
      rest -= b.share;
    }
    constexpr double kWorthSaying = 0.005;  // of the difference
    if (std::abs(rest) > kWorthSaying * std::abs(m.difference()))
      parts.push_back({tr("only together"), rest});
    shares_->set(m, std::move(parts));
    notes.removeAll(QString());
    return how_->setText(notes.join(QStringLiteral(". ")));
  }
  shares_->set({}, {}, diff_->inputs.empty() ? tr("No input differs") : tr("No figure moved"));
  how_->setText(notes.join(QStringLiteral(". ")));
}

bool CompareScreen::working() const { return workspace().background().busy(); }

bool CompareScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("attribute")) {
    attribute();
    return attribute_->isEnabled();
  }
  if (action == QLatin1String("add_alternative") || action == QLatin1String("side_by_side"))
    tabs_->setCurrentWidget(side_);
  if (action == QLatin1String("add_alternative")) {
    side_->add({argument});
    return true;
  }
  if (action == QLatin1String("side_by_side")) return side_->compare();
  QComboBox* box = action == QLatin1String("base")     ? base_
                   : action == QLatin1String("figure") ? moved_
                                                       : nullptr;
  const int i = box == nullptr ? -1
                : box == base_ ? base_->findText(argument)
                               : moved_->findData(argument);
  if (i >= 0) box->setCurrentIndex(i);
  return i >= 0;
}

void CompareScreen::refresh_inputs() {
  std::vector<Row> rows;
  const int base = base_->currentIndex();
  if (base >= 0)
    for (const TextChange& c :
         value_changes(workspace().pins()[static_cast<std::size_t>(base)].text,
                       workspace().document().text()))
      if (!c.path.endsWith(QLatin1String("].id")))  // names the item that others change
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
                                   : figure_cell(m->value, m->unit));
        if (static_cast<int>(i) == base) before = m;
      }
      row.emplace_back(metric_text(metric), metric.value);
      row.emplace_back(before == nullptr ? QString() : judged_delta(title, *before, metric));
      rows.push_back(std::move(row));
    }
  }
  figures_->set(headers, std::move(rows));
}

}  // namespace stallcast::desktop
