#include "ui/desktop/sweep_screen.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/xy_chart.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kMostInputs = 20;

/// 1: more is better, -1: less is better. Of inputs less is better: they are what is bought.
int direction(const QString& name) {
  const int of_metric = client::better_direction(name.toStdString());
  return of_metric == 0 ? -1 : of_metric;
}

int source_row(const QModelIndex& index) {
  return static_cast<const QSortFilterProxyModel*>(index.model())->mapToSource(index).row();
}

}  // namespace

SweepScreen::SweepScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("sweep"), tr("Sweep and Pareto"), parent) {
  auto* layout = new QVBoxLayout(this);
  auto* head = new QHBoxLayout;
  const auto add = [&](const QString& label, QWidget* widget, int stretch) {
    head->addWidget(new QLabel(label, this));
    head->addWidget(widget, stretch);
  };
  a_ = choice(QStringLiteral("input_a"), tr("First input"), this);
  b_ = choice(QStringLiteral("input_b"), tr("Second input"), this);
  steps_ = new QSpinBox(this);
  steps_->setObjectName(QStringLiteral("steps"));
  steps_->setAccessibleName(tr("Values of each input"));
  steps_->setRange(2, 12);
  steps_->setValue(5);
  run_ = new QPushButton(tr("&Run"), this);
  run_->setObjectName(QStringLiteral("run"));
  run_->setAccessibleName(tr("Simulate all points"));
  add(tr("Vary"), a_, 2);
  add(tr("and"), b_, 2);
  add(tr("values each"), steps_, 0);
  head->addWidget(run_);
  layout->addLayout(head);
  auto* axes = new QHBoxLayout;
  x_ = choice(QStringLiteral("figure_x"), tr("Figure to the right"), this);
  y_ = choice(QStringLiteral("figure_y"), tr("Figure upwards"), this);
  axes->addWidget(new QLabel(tr("Show"), this));
  axes->addWidget(y_, 1);
  axes->addWidget(new QLabel(tr("over"), this));
  axes->addWidget(x_, 1);
  layout->addLayout(axes);
  status_ = note(tr("Half to twice the value of each input. For thousands of points and clusters: "
                    "stallcast sweep."),
                 this);
  layout->addWidget(status_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  chart_ = new XyChart(split);
  model_ = new RowsModel({tr("design")}, this);
  auto* pane = new ChartPane(tr("Designs and their frontier"), chart_, *model_, split);
  pane->setObjectName(QStringLiteral("chart:pareto"));
  split->addWidget(pane);
  auto* side = new QWidget(split);
  auto* rows = new QVBoxLayout(side);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->addWidget(heading(tr("Points"), side));
  table_ = table_of(*model_, tr("Points"), side);
  table_->setObjectName(QStringLiteral("points"));
  rows->addWidget(table_, 1);
  load_ = new QPushButton(tr("&Load this point"), side);
  load_->setObjectName(QStringLiteral("load"));
  load_->setAccessibleName(tr("Load the selected point"));
  rows->addWidget(load_);
  split->addWidget(side);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  layout->addWidget(split, 1);
  connect(run_, &QPushButton::clicked, this, &SweepScreen::run);
  for (QComboBox* box : {x_, y_})
    connect(box, &QComboBox::currentIndexChanged, this, &SweepScreen::show_points);
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { load(source_row(index)); });
  connect(load_, &QPushButton::clicked, this, [this] {
    if (table_->currentIndex().isValid()) load(source_row(table_->currentIndex()));
  });
  connect(chart_, &XyChart::brushed, this, &SweepScreen::select);
  connect(chart_, &XyChart::chosen, this, [this](QPointF at) {
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (figures_of(points_[i]) == at) return load(static_cast<int>(i));
  });
  connect(&workspace, &Workspace::predicted, this, [this] {
    if (isVisible()) refresh();
  });
}

void SweepScreen::refresh() {
  run_->setEnabled(workspace().design().has_value() && !workspace().has_errors());
  offered_ = variables(workspace(), kMostInputs);
  QStringList names;
  for (const SliderSpec& slider : offered_) names << slider.label;
  for (QComboBox* box : {a_, b_}) {
    QStringList shown;
    for (int i = 0; i < box->count(); ++i) shown << box->itemText(i);
    if (shown == names) continue;
    const QString before = box->currentText();
    box->clear();
    box->addItems(names);
    box->setCurrentIndex(names.contains(before) ? static_cast<int>(names.indexOf(before))
                                                : std::min(box == b_ ? 1 : 0, box->count() - 1));
  }
  if (points_.empty()) {
    const QSignalBlocker quiet_x(x_), quiet_y(y_);
    offer_metrics(*y_, workspace());
    if (x_->count() != names.size() + y_->count()) {
      x_->clear();
      x_->addItems(names);
      for (int i = 0; i < y_->count(); ++i) x_->addItem(y_->itemText(i));
    }
  }
}

void SweepScreen::run() {
  if (a_->currentIndex() < 0) return;
  std::vector<SliderSpec> inputs{offered_[static_cast<std::size_t>(a_->currentIndex())]};
  if (b_->currentIndex() >= 0 && b_->currentIndex() != a_->currentIndex())
    inputs.push_back(offered_[static_cast<std::size_t>(b_->currentIndex())]);
  std::vector<std::vector<double>> grid;
  for (const SliderSpec& s : inputs)
    grid.push_back(values_between(s, std::max(s.minimum, s.value / 2.0),
                                  std::min(s.maximum, s.value * 2.0), steps_->value()));
  if (grid.size() == 1) grid.push_back({0.0});
  std::vector<Point> points;
  std::vector<Design> designs;
  int broken = 0;
  for (const double a : grid[0])
    for (const double b : grid[1]) {
      std::vector<Move> moves{{inputs[0], a}};
      if (inputs.size() > 1) moves.push_back({inputs[1], b});
      std::optional<Design> design = design_with(workspace(), moves);
      if (!design) {
        ++broken;
        continue;
      }
      points.push_back({inputs.size() > 1 ? std::vector{a, b} : std::vector{a},
                        *text_with(workspace(), moves),
                        {}});
      designs.push_back(*std::move(design));
    }
  status_->setText(tr("Simulating %1 designs%2...")
                       .arg(designs.size())
                       .arg(broken > 0 ? tr(", %1 are not valid").arg(broken) : QString()));
  workspace().background().start(
      [this, inputs, points = std::move(points), designs = std::move(designs)](
          client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        std::vector<Point> done = points;
        const auto results = session.predict_all(designs, {.on_progress = progress});
        for (std::size_t i = 0; i < done.size(); ++i)
          if (results[i].ok()) done[i].prediction = results[i].value();
        return [this, inputs, done = std::move(done)] {
          inputs_ = inputs;
          points_ = done;
          show_points();
        };
      });
}

std::optional<double> SweepScreen::figure_of(const Point& point, const QString& name,
                                             std::string& unit) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].label == name) {
      using enum Dimension;
      const Dimension d = inputs_[i].dimension;
      unit = d == bytes     ? "B"
             : d == time    ? "s"
             : d == rate    ? "B/s"
             : d == op_rate ? "1/s"
             : d == ratio   ? "ratio"
                            : "";
      return point.values[i];
    }
  if (!point.prediction) return std::nullopt;
  const Metric* metric = find_metric(*point.prediction, name);
  if (metric == nullptr) return std::nullopt;
  unit = metric->unit;
  return metric->value;
}

std::optional<QPointF> SweepScreen::figures_of(const Point& point) const {
  std::string unit;
  const auto x = figure_of(point, x_->currentText(), unit),
             y = figure_of(point, y_->currentText(), unit);
  if (!x || !y) return std::nullopt;
  return QPointF(*x, *y);
}

std::vector<bool> SweepScreen::frontier() const {
  const int dx = direction(x_->currentText()), dy = direction(y_->currentText());
  std::vector<bool> out(points_.size(), false);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto own = figures_of(points_[i]);
    bool beaten = !own;
    for (std::size_t j = 0; j < points_.size() && !beaten; ++j) {
      const auto other = figures_of(points_[j]);
      if (!other) continue;
      const double by_x = dx * (other->x() - own->x()), by_y = dy * (other->y() - own->y());
      beaten = by_x >= 0.0 && by_y >= 0.0 && by_x + by_y > 0.0;
    }
    out[i] = !beaten;
  }
  return out;
}

void SweepScreen::show_points() {
  if (points_.empty()) return;
  const Theme& theme = Theme::of(*this);
  const QString x_name = x_->currentText(), y_name = y_->currentText();
  std::string x_unit, y_unit;
  const std::vector<bool> best = frontier();
  XyChart::Series meet{tr("meets all targets"), XyChart::Kind::points, theme.good, {}};
  XyChart::Series miss{tr("misses a target"), XyChart::Kind::points, theme.bad, {}, true};
  XyChart::Series open{tr("no targets, or open"), XyChart::Kind::points, theme.accent, {}};
  XyChart::Series line{tr("frontier"), XyChart::Kind::line, theme.warn, {}};
  QStringList headers;
  for (const SliderSpec& input : inputs_) headers << input.label;
  const auto is_input = [&](const QString& name) {
    return std::any_of(inputs_.begin(), inputs_.end(),
                       [&](const SliderSpec& input) { return input.label == name; });
  };
  for (const QString& name : {x_name, y_name})
    if (!is_input(name)) headers << name;
  headers << tr("targets") << tr("frontier");
  std::vector<Row> rows;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& point = points_[i];
    const auto x = figure_of(point, x_name, x_unit), y = figure_of(point, y_name, y_unit);
    const Verdict verdict = point.prediction ? point.prediction->verdict : Verdict::inconclusive;
    Row row;
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      row.emplace_back(value_text(inputs_[k], point.values[k]), point.values[k]);
    if (!is_input(x_name))
      row.push_back(x ? Cell(figure_text(*x, x_unit), *x) : Cell(tr("failed")));
    if (!is_input(y_name))
      row.push_back(y ? Cell(figure_text(*y, y_unit), *y) : Cell(tr("failed")));
    row.push_back(Cell(verdict == Verdict::pass   ? tr("\u2713 met")
                       : verdict == Verdict::fail ? tr("\u2717 missed")
                                                  : tr("?")));
    row.push_back(Cell(best[i] ? tr("\u25c6 best") : QString()));
    rows.push_back(std::move(row));
    if (!x || !y) continue;
    (verdict == Verdict::pass   ? meet
     : verdict == Verdict::fail ? miss
                                : open)
        .points.emplace_back(*x, *y);
    if (best[i]) line.points.emplace_back(*x, *y);
  }
  std::sort(line.points.begin(), line.points.end(),
            [](QPointF a, QPointF b) { return a.x() < b.x(); });
  model_->set(headers, std::move(rows));
  std::vector<XyChart::Series> series;
  for (XyChart::Series* s : {&line, &meet, &miss, &open})
    if (!s->points.empty()) series.push_back(std::move(*s));
  chart_->set(std::move(series), {x_name, x_unit, false}, {y_name, y_unit, false},
              tr("%1 over %2 of %3 designs").arg(y_name, x_name).arg(points_.size()));
  status_->setText(
      tr("%1 designs. Draw around points to select them; a double click or Enter loads one.")
          .arg(points_.size()));
}

void SweepScreen::select(const std::vector<QPointF>& figures) {
  table_->clearSelection();
  for (int row = 0; row < table_->model()->rowCount(); ++row) {
    const QModelIndex index = table_->model()->index(row, 0);
    const auto own = figures_of(points_[static_cast<std::size_t>(source_row(index))]);
    if (own && std::find(figures.begin(), figures.end(), *own) != figures.end())
      table_->selectionModel()->select(index,
                                       QItemSelectionModel::Select | QItemSelectionModel::Rows);
  }
}

void SweepScreen::load(int point) {
  if (point < 0 || point >= static_cast<int>(points_.size())) return;
  workspace().document().replace_text(points_[static_cast<std::size_t>(point)].text,
                                      tr("loaded a point of the sweep"));
}

bool SweepScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("run")) {
    run();
    return true;
  }
  for (QComboBox* box : {a_, b_, x_, y_})
    if (box->objectName() == action) {
      box->setCurrentText(argument);
      return box->currentText() == argument;
    }
  return false;
}

bool SweepScreen::working() const { return workspace().background().busy(); }

}  // namespace stallcast::desktop
