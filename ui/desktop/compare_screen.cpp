#include "ui/desktop/compare_screen.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "stallcast/label.hpp"
#include "ui/app/diff.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/on_entry.hpp"
#include "ui/desktop/parts.hpp"
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
  tabs_->addTab(pinned_side(tabs_), tr("With &another design"));
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
  connect(base_, &QComboBox::currentIndexChanged, this, [this] {
    entry_->forget();
    entry_->look();
  });
  entry_ = new OnEntry(
      *this, workspace, [this] { fill(); },
      [this] {
        how_->setText(tr("A simulation of this design takes long: press \"Which change did it?\""));
      });
  forget_shares();
}

QWidget* CompareScreen::pinned_side(QWidget* parent) {
  auto* side = new QWidget(parent);
  auto* layout = new QVBoxLayout(side);
  auto* head = new QHBoxLayout;
  head->addWidget(new QLabel(tr("Against"), side));
  base_ = choice(QStringLiteral("base"), tr("Design to compare with"), side);
  head->addWidget(base_, 1);
  empty_ = note(tr("Change the design, or pin one (Ctrl+P) and change it then"), side);
  head->addWidget(empty_, 1);
  layout->addLayout(head);
  auto* split = splitter(Qt::Horizontal, side);
  auto* left = splitter(Qt::Vertical, split);
  inputs_ = new RowsModel({tr("input"), tr("before"), tr("now"), tr("set in")}, this);
  left->addWidget(titled(tr("What was changed"),
                         table_of(*inputs_, tr("What was changed"), left, "inputs"), left));
  figures_ = new RowsModel({tr("figure")}, this);
  QTableView* figures = table_of(*figures_, tr("What came of it"), left, "figures");
  left->addWidget(titled(tr("What came of it"), figures, left));
  // Figures stay in sight, names take what is left.
  constexpr int kLeastName = 16;  // letters
  figures->setTextElideMode(Qt::ElideMiddle);
  figures->horizontalHeader()->setMinimumSectionSize(kLeastName * fontMetrics().averageCharWidth());
  figures->horizontalHeader()->setStretchLastSection(false);
  figures->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
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

CompareBase* CompareScreen::base() {
  const int i = base_->currentIndex();
  return i < 0 || i >= static_cast<int>(bases_.size()) ? nullptr
                                                       : &bases_[static_cast<std::size_t>(i)];
}

void CompareScreen::refresh_bases() {
  std::vector<CompareBase> now = compare_bases(workspace());
  bool same = now.size() == bases_.size();
  for (std::size_t i = 0; i < now.size(); ++i) {
    same = same && now[i].same(bases_[i]);
    for (const CompareBase& before : bases_)
      if (now[i].same(before) && !now[i].prediction) now[i] = before;
  }
  bases_ = std::move(now);
  if (same) return;
  QStringList names;
  for (const CompareBase& one : bases_) names << one.name;
  set_items(*base_, names);
  forget_shares();
  entry_->forget();
}

void CompareScreen::refresh() {
  refresh_bases();
  empty_->setVisible(bases_.empty());
  base_->setEnabled(!bases_.empty());
  refresh_inputs();
  refresh_figures();
  std::vector<StepChart::Bar> bars;
  if (const auto& now = workspace().simulated())
    bars = step_bars(*now, tr("this design"), workspace().freshness() != Freshness::simulated);
  for (const CompareBase& one : bases_)
    if (one.prediction)
      for (StepChart::Bar& bar : step_bars(*one.prediction, one.name, false))
        bars.push_back(std::move(bar));
  steps_->set(std::move(bars));
  entry_->look();
}

void CompareScreen::fill() {
  constexpr int kFewChanges = 4;  // 2^4 designs between the two
  if (base() == nullptr || !base()->read(workspace())) return;
  if (!base()->prediction) return predict_base();
  if (const int n = inputs_->rowCount(); n > 0 && n <= kFewChanges) attribute();
}

void CompareScreen::predict_base() {
  how_->setText(tr("Simulating %1...").arg(base()->name));
  workspace().background().start([this, of = *base()](
                                     client::Session& session,
                                     const Engine::Progress& progress) -> Engine::Then {
    Result<Prediction> found = session.predict(of.scenario->design(), {.on_progress = progress});
    return [this, of, found = std::move(found)] {
      if (!found.ok()) return how_->setText(failure_text(found.failure()));
      for (CompareBase& one : bases_)
        if (one.same(of)) one.prediction = *found;
      forget_shares();
      refresh();
      fill();
    };
  });
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
  if (base() == nullptr || !base()->read(workspace()) || !workspace().design() ||
      workspace().has_errors())
    return;
  entry_->taken();
  forget_shares();
  how_->setText(tr("Simulating the designs between the two..."));
  const CompareBase of = *base();
  const client::DiffInput before{.name = of.name.toStdString(), .scenario = of.scenario};
  const client::DiffInput now{.name = tr("this design").toStdString(),
                              .scenario = workspace().scenario()};
  workspace().background().start(
      [this, of, before, now](client::Session& session,
                              const Engine::Progress& progress) -> Engine::Then {
        Result<Diff> found = session.diff(before, now, {.predict = {.on_progress = progress}});
        return [this, of, now, found = std::move(found)] {
          const bool stale = workspace().source().text != now.scenario->text() ||
                             base() == nullptr || !base()->same(of);
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
  moved_->setToolTip(moved_->currentText());
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
      parts.push_back({QString::fromStdString(report::change_text(*b.change, true)), b.share,
                       QString::fromStdString(report::part_text(b.alone, m))});
      rest -= b.share;
    }
    const bool by_oat = diff_->attributed.method == Attribution::one_at_a_time;
    constexpr double kWorthSaying = 0.005;  // of the difference
    if (std::abs(rest) > kWorthSaying * std::abs(m.difference()))
      parts.push_back({by_oat ? tr("only together") : tr("smaller changes"), rest});
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
  const auto side = [](const std::string& value, const std::string& at) {
    Cell out(value.empty() ? tr("not there") : QString::fromStdString(value));
    if (!at.empty()) out.tip = out.text + QStringLiteral(", ") + QString::fromStdString(at);
    return out;
  };
  if (base() != nullptr && base()->read(workspace()) && workspace().scenario())
    for (const InputChange& c :
         client::changed_inputs(*base()->scenario, *workspace().scenario())) {
      Cell input(label::of_input(c.name));
      input.tip = QString::fromStdString(c.name);
      rows.push_back({std::move(input), side(c.before, c.base_at), side(c.after, c.head_at),
                      Cell(report::place_text(c))});
    }
  inputs_->set(std::move(rows));
}

void CompareScreen::refresh_figures() {
  const auto& now = workspace().simulated();
  // Those that are simulated, and the one that is compared with.
  std::vector<const CompareBase*> shown;
  for (const CompareBase& one : bases_)
    if (one.prediction) shown.push_back(&one);
  QStringList headers{tr("figure")};
  for (const CompareBase* one : shown) headers << one->name;
  headers << tr("this design") << tr("difference");
  std::vector<Row> rows;
  std::vector<std::string> names;
  if (now) {
    for (const Headline& h : headline_tiles(*now)) names.push_back(h.metric.toStdString());
    for (const auto& [name, metric] : now->metrics)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names) {
    const QString path = QString::fromStdString(name);
    const Metric metric = *find_metric(*now, path);
    Row row{Cell(metric_words(*now, path))};
    row.back().tip = path;
    std::optional<Metric> before;
    for (const CompareBase* one : shown) {
      const auto m = find_metric(*one->prediction, path);
      row.push_back(m ? figure_cell(m->value, m->unit) : Cell(QStringLiteral("\u2013")));
      if (one == base()) before = m;
    }
    row.push_back(figure_cell(metric.value, metric.unit));
    row.emplace_back(before ? judged_delta(path, *before, metric) : QString());
    rows.push_back(std::move(row));
  }
  figures_->set(headers, std::move(rows));
}

}  // namespace stallcast::desktop
