#include "ui/desktop/interaction_pane.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/grid_chart.hpp"
#include "ui/desktop/knee.hpp"
#include "ui/desktop/on_entry.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/range_model.hpp"

namespace stallcast::desktop {
namespace {

constexpr int kValues = 5;  // of each input

}  // namespace

double interaction_of(double low_low, double high_low, double low_high, double high_high) {
  return high_high - high_low - low_high + low_low;
}

InteractionPane::InteractionPane(Workspace& workspace, RangeModel& ranges, QWidget* parent)
    : QWidget(parent), workspace_(workspace), ranges_(ranges) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  auto* head = new QHBoxLayout;
  a_ = choice(QStringLiteral("pair_a"), tr("Input to the right"), this);
  b_ = choice(QStringLiteral("pair_b"), tr("Input upwards"), this);
  for (QComboBox* box : {a_, b_}) box->setMinimumContentsLength(5);
  run_ = push_button(tr("Try &both"), "run_pair", tr("Simulate both inputs together"), this);
  head->addWidget(a_, 1);
  head->addWidget(new QLabel(tr("and"), this));
  head->addWidget(b_, 1);
  head->addWidget(run_);
  layout->addLayout(head);
  chart_ = new GridChart(this);
  auto* pane = new ChartPane(tr("Two inputs together"), "interaction", chart_, this);
  layout->addWidget(pane, 1);
  status_ = note(tr("%1 values of each over its range, every pair simulated").arg(kValues), this);
  status_->setObjectName(QStringLiteral("interaction"));
  layout->addWidget(status_);
  entry_ = new OnEntry(
      *this, workspace, [this] { run(); },
      [this] {
        status_->setText(tr("A simulation of this design takes long: press \"Try both\"."));
      });
  connect(run_, &QPushButton::clicked, this, &InteractionPane::run);
  connect(&workspace.document(), &Document::opened, this, [this] {  // what is shown is of another
    pair_ = {};
    chart_->set({});
  });
  connect(&ranges_, &RangeModel::changed, this, &InteractionPane::offer);
  connect(chart_, &GridChart::chosen, this, [this](int across, int up) {
    const auto i =
        static_cast<std::size_t>(up) * pair_.a_values.size() + static_cast<std::size_t>(across);
    const Move moves[] = {{pair_.a, pair_.a_values[static_cast<std::size_t>(across)]},
                          {pair_.b, pair_.b_values[static_cast<std::size_t>(up)]}};
    if (i >= pair_.changes.size()) return;
    if (const auto text = text_with(workspace_.document().text(), moves))
      workspace_.document().replace_text(*text, tr("loaded a pair of values"));
  });
}

void InteractionPane::offer() {
  QStringList names;
  for (const InputRange& r : ranges_.ranges()) names << r.slider.label;
  set_items(*a_, names);
  set_items(*b_, names, 1);
}

void InteractionPane::set_enabled(bool on) { run_->setEnabled(on); }

bool InteractionPane::run_pair(const QString& a, const QString& b) {
  const InputRange *first = ranges_.range_of(a), *second = ranges_.range_of(b);
  if (first == nullptr || second == nullptr || first == second) return false;
  a_->setCurrentText(first->slider.label);
  b_->setCurrentText(second->slider.label);
  run();
  return true;
}

void InteractionPane::showEvent(QShowEvent*) { entry_->look(); }

void InteractionPane::run() {
  entry_->taken();
  const InputRange *a = ranges_.range_of(a_->currentText()),
                   *b = ranges_.range_of(b_->currentText());
  if (a == nullptr || b == nullptr || a == b)
    return status_->setText(tr("Choose two different inputs"));
  Pair pair{a->slider,
            b->slider,
            values_between(a->slider, a->low, a->high, kValues),
            values_between(b->slider, b->low, b->high, kValues),
            {},
            {}};
  for (const double y : pair.b_values)
    for (const double x : pair.a_values) {
      const Move moves[] = {{pair.a, x}, {pair.b, y}};
      pair.changes.push_back(changes_of(moves));
    }
  status_->setText(tr("Simulating %1 designs...").arg(pair.changes.size()));
  workspace_.background().start(
      [this, pair = std::move(pair), scenario = *workspace_.scenario()](
          client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        Pair done = pair;
        done.predictions = predict_changes(session, scenario, done.changes, progress);
        return [this, done = std::move(done)] {
          pair_ = done;
          show_grid();
        };
      });
}

void InteractionPane::show_metric(const QString& metric) {
  metric_ = metric;
  show_grid();
}

void InteractionPane::show_grid() {
  if (pair_.predictions.empty()) return;
  GridChart::Grid grid;
  QString words = metric_;
  if (const auto& now = workspace_.simulated()) words = metric_words(*now, metric_);
  grid.metric = words;
  grid.across = pair_.a.label;
  grid.up = pair_.b.label;
  for (const double value : pair_.a_values) grid.across_values << value_text(pair_.a, value);
  for (const double value : pair_.b_values) grid.up_values << value_text(pair_.b, value);
  double largest = 0.0;
  for (const std::optional<Prediction>& p : pair_.predictions) {
    const auto metric = p ? find_metric(*p, metric_) : std::nullopt;
    grid.cells.push_back(metric ? std::optional(metric->value) : std::nullopt);
    if (!metric) continue;
    grid.unit = metric->unit;
    largest = std::max(largest, std::abs(metric->value));
  }
  const std::size_t wide = pair_.a_values.size(), all = grid.cells.size();
  const auto low_low = grid.cells[0], high_low = grid.cells[wide - 1],
             low_high = grid.cells[all - wide], high_high = grid.cells[all - 1];
  if (low_low && high_low && low_high && high_high) {
    const double more = interaction_of(*low_low, *high_low, *low_high, *high_high);
    if (std::abs(more) < kKneeMove * largest)
      status_->setText(tr("They do not interact: raised together they do what both do alone."));
    else
      status_->setText(
          tr("They interact: raised together, %1 ends %2 %3 than the sum of both alone.")
              .arg(words, figure_text(std::abs(more), grid.unit),
                   more > 0.0 ? tr("higher") : tr("lower")));
  } else {
    status_->setText(tr("Hatched: no result, or the pair does not give a valid design."));
  }
  chart_->set(std::move(grid));
}

}  // namespace stallcast::desktop
