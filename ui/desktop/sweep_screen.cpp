#include "ui/desktop/sweep_screen.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/on_entry.hpp"
#include "ui/desktop/parallel_chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/range_model.hpp"
#include "ui/desktop/sweep_run.hpp"
#include "ui/desktop/xy_chart.hpp"
#include "ui/report/sweep_parts.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kMostInputs = 20;
constexpr int kUsualValues = 5;
constexpr std::size_t kDrawsOfPoint = 16;
constexpr int kUsualFigures = 3;  // besides the two of the chart, in parallel coordinates

int source_row(const QModelIndex& index) {
  return static_cast<const QSortFilterProxyModel*>(index.model())->mapToSource(index).row();
}

}  // namespace

SweepScreen::SweepScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("sweep"), tr("Sweep and Pareto"), parent) {
  run_state_ = new SweepRun(workspace, this);
  ranges_ = new RangeModel(workspace, kUsualValues, this);
  ranges_->set_rule([](const SliderSpec& s) {
    return std::pair(std::max(s.minimum, Workspace::snapped(s, s.value / 2.0)),
                     std::min(s.maximum, Workspace::snapped(s, s.value * 2.0)));
  });
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(run_row());
  status_ = note({}, this);
  status_->setObjectName(QStringLiteral("status"));
  layout->addWidget(status_);
  auto* split = splitter(Qt::Horizontal, this);
  split->addWidget(table_side(split));
  split->addWidget(chart_side(split));
  stretch(*split, {1, 1});
  layout->addWidget(split, 1);
  connect(ranges_, &RangeModel::changed, this, &SweepScreen::say_points);
  connect(ranges_, &RangeModel::refused, status_,
          [this](const QString& why) { status_->setText(QStringLiteral("\u2717 ") + why); });
  connect(run_, &QPushButton::clicked, this, [this] { act(QStringLiteral("run"), {}); });
  connect(keep_, &QPushButton::clicked, this, &SweepScreen::choose_file);
  connect(open_, &QPushButton::clicked, this, &SweepScreen::open_file);
  for (QComboBox* box : {x_, y_})
    connect(box, &QComboBox::currentIndexChanged, this, &SweepScreen::show_points);
  connect(run_state_, &SweepRun::changed, this, [this] {
    offer_figures();
    show_points();
  });
  connect(run_state_, &SweepRun::ended, this, &SweepScreen::ended);
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { load(source_row(index)); });
  connect(load_, &QPushButton::clicked, this, [this] {
    if (table_->currentIndex().isValid()) load(source_row(table_->currentIndex()));
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &SweepScreen::show_selection);
  connect(chart_, &XyChart::brushed, this, &SweepScreen::select_figures);
  connect(chart_, &XyChart::chosen, this, [this](QPointF at) {
    for (std::size_t i = 0; i < x_figures_.values.size(); ++i)
      if (x_figures_.values[i] == at.x() && y_figures_.values[i] == at.y())
        return static_cast<void>(load(static_cast<int>(i)));
  });
  connect(parallel_, &ParallelChart::brushed, this,
          [this](const std::vector<std::size_t>& points, bool all) {
            brushing_ = true;
            select(all ? std::vector<std::size_t>() : points);
            brushing_ = false;
          });
  entry_ = new OnEntry(
      *this, workspace, [this] { run_by_itself(); }, [this] { say_points(); });
  connect(&workspace.document(), &Document::opened, run_state_, &SweepRun::forget);
  refresh_on(&Workspace::predicted);
}

QHBoxLayout* SweepScreen::run_row() {
  auto* head = new QHBoxLayout;
  x_ = choice(QStringLiteral("figure_x"), tr("Figure to the right"), this);
  y_ = choice(QStringLiteral("figure_y"), tr("Figure upwards"), this);
  head->addWidget(new QLabel(tr("Show"), this));
  head->addWidget(y_, 1);
  head->addWidget(new QLabel(tr("over"), this));
  head->addWidget(x_, 1);
  draws_ = new QCheckBox(tr("&how sure"), this);
  draws_->setObjectName(QStringLiteral("draws"));
  draws_->setAccessibleName(tr("How sure each point is"));
  draws_->setToolTip(tr("Simulate each point %1 times more, with its inputs drawn from what they "
                        "may be, to see what 90 % of outcomes are within")
                         .arg(kDrawsOfPoint));
  run_ = new QPushButton(tr("&Run"), this);
  run_->setObjectName(QStringLiteral("run"));
  head->addWidget(draws_);
  head->addWidget(run_);
  return head;
}

QHBoxLayout* SweepScreen::file_row(QWidget* parent) {
  auto* row = new QHBoxLayout;
  row->addWidget(heading(tr("Points"), parent));
  file_label_ = new QLabel(parent);
  file_label_->setObjectName(QStringLiteral("sweep_file"));
  file_label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // its tooltip has all
  keep_ = push_button(tr("&Keep in..."), "keep_in", tr("Keep results in a file, to resume from"),
                      parent);
  open_ = push_button(tr("&Open a sweep..."), "open_sweep", tr("Show the sweep in a file"), parent);
  row->addWidget(file_label_, 1);
  row->addWidget(keep_);
  row->addWidget(open_);
  return row;
}

QWidget* SweepScreen::table_side(QWidget* parent) {
  auto* split = splitter(Qt::Vertical, parent);
  auto* top = new QWidget(split);
  auto* inputs = column(top);
  inputs->addWidget(heading(tr("What is varied"), top));
  inputs->addWidget(range_table(*ranges_, tr("What is varied"), top), 1);
  split->addWidget(top);
  auto* below = new QWidget(split);
  auto* rows = column(below);
  rows->addLayout(file_row(below));
  model_ = new RowsModel({tr("design")}, this);
  table_ = table_of(*model_, tr("Points"), below, "points");
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  rows->addWidget(table_, 1);
  load_ = push_button(tr("&Load this point"), "load", tr("Load the selected point"), below);
  rows->addWidget(load_);
  split->addWidget(below);
  stretch(*split, {1, 1});
  return split;
}

QWidget* SweepScreen::chart_side(QWidget* parent) {
  auto* split = splitter(Qt::Vertical, parent);
  chart_ = new XyChart(split);
  twin_ = new RowsModel({tr("design")}, this);
  auto* pareto = new ChartPane(tr("Designs and their frontier"), chart_, *twin_, split);
  pareto->setObjectName(QStringLiteral("chart:pareto"));
  split->addWidget(pareto);
  parallel_ = new ParallelChart(split);
  auto* pane = new ChartPane(tr("All figures of each design"), "parallel", parallel_, split);
  split->addWidget(pane);
  stretch(*split, {3, 2});
  return split;
}

void SweepScreen::refresh() {
  ranges_->set_inputs(variables(workspace(), kMostInputs).shown);
  offer_figures();
  if (!run_state_->report().rows.empty()) show_chart();  // in the colours of now
  say_points();
  entry_->look();
}

void SweepScreen::run_by_itself() {
  constexpr std::size_t kFew = 64;
  const std::vector<InputRange> inputs = ranges_->chosen();
  const std::size_t points = points_of(inputs);
  const bool asked_for = !run_state_->report().rows.empty() && !by_itself_;
  if (asked_for || points == 0 || points > kFew || !file_.isEmpty()) return;
  by_itself_ = true;
  run_state_->start(inputs, {}, 0);
  say_points();
}

bool SweepScreen::resumes() const {
  const SweepReport::Counts counts = run_state_->report().counts();
  return !by_itself_ && counts.missing > 0 && counts.missing < run_state_->report().rows.size();
}

void SweepScreen::say_points() {
  const SweepReport::Counts counts = run_state_->report().counts();
  const auto inputs = ranges_->chosen();
  const std::size_t points = points_of(inputs);
  const bool can = workspace().design() != nullptr && !workspace().has_errors() && points > 0 &&
                   points <= SweepRun::kMostPoints;
  run_->setEnabled((!run_state_->running() || by_itself_) && (can || resumes()));
  run_->setText(resumes() ? tr("&Resume %1").arg(counts.missing) : tr("&Run %1").arg(points));
  run_->setAccessibleName(resumes()
                              ? tr("Simulate the %1 points that are missing").arg(counts.missing)
                              : tr("Simulate all %1 points").arg(points));
  file_label_->setText(file_.isEmpty() ? QString() : QFileInfo(file_).fileName());
  file_label_->setToolTip(file_);
  const bool quick = !workspace().simulated() || workspace().is_quick();
  status_->setText(!fault_.isEmpty()
                       ? QStringLiteral("\u2717 ") + fault_
                       : status_of(run_state_->report(), points, run_state_->running(), quick));
}

void SweepScreen::choose_file() {
  const QString file = QFileDialog::getSaveFileName(
      this, tr("Keep the sweep in"), QStringLiteral("sweep.db"), tr("Sweeps (*.db)"), nullptr,
      QFileDialog::DontConfirmOverwrite);  // it is taken up again
  if (file.isEmpty()) return;
  file_ = file;
  fault_.clear();
  say_points();
}

void SweepScreen::open_file() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open a sweep"), {},
                                                    tr("Sweeps (*.db);;All files (*)"));
  if (!file.isEmpty()) act(QStringLiteral("open_sweep"), file);
}

void SweepScreen::ended(const QString& why) {
  fault_ = why;
  say_points();
}

void SweepScreen::offer_figures() {
  const SweepReport& sweep = run_state_->report();
  const QStringList headline =
      workspace().simulated() ? headline_metrics(*workspace().simulated()) : QStringList();
  QStringList metrics = metrics_of(sweep, headline);
  if (metrics.isEmpty()) metrics = headline;
  const auto choice_of = [&](const QString& name) {
    return NamedPath{QString::fromStdString(report::sweep_label(sweep, name.toStdString())), name};
  };
  std::vector<NamedPath> figures, all;
  for (const QString& metric : metrics) figures.push_back(choice_of(metric));
  if (sweep.axes.empty())
    for (const InputRange& r : ranges_->ranges())
      all.push_back({r.slider.label, set_path(r.slider.path)});
  for (const std::string& axis : sweep.axes) all.push_back(choice_of(QString::fromStdString(axis)));
  all.insert(all.end(), figures.begin(), figures.end());
  set_choices(*y_, std::move(figures));
  set_choices(*x_, std::move(all));
}

void SweepScreen::show_points() {
  const SweepReport& sweep = run_state_->report();
  x_figures_ = figures_of(sweep, chosen_path(*x_));
  y_figures_ = figures_of(sweep, chosen_path(*y_));
  if (sweep.axes.empty()) x_figures_.words = x_->currentText();  // an input, of no point yet
  frontier_ = frontier_of(sweep, x_figures_, y_figures_);
  const auto is_axis = [&](const QString& name) {
    return report::sweep_axis(sweep, name.toStdString()).has_value();
  };
  QStringList headers;
  for (const std::string& axis : sweep.axes)
    headers << QString::fromStdString(report::sweep_label(sweep, axis));
  std::vector<SweepFigures> shown;
  for (const SweepFigures& f : {x_figures_, y_figures_})
    if (!is_axis(f.name) && (shown.empty() || shown.front().name != f.name)) shown.push_back(f);
  for (const SweepFigures& f : shown) headers << f.words;
  headers << tr("targets") << tr("frontier");
  twin_->set(headers, rows_of(sweep, shown, frontier_));
  model_->set(headers, rows_of(sweep, shown, frontier_));

  std::vector<SweepFigures> axes;
  for (const std::string& axis : sweep.axes)
    axes.push_back(figures_of(sweep, QString::fromStdString(axis)));
  for (int i = 0; i < std::min(y_->count(), kUsualFigures); ++i)
    if (std::none_of(shown.begin(), shown.end(),
                     [&](const SweepFigures& f) { return f.name == y_->itemData(i).toString(); }))
      shown.push_back(figures_of(sweep, y_->itemData(i).toString()));
  for (SweepFigures& f : shown) axes.push_back(std::move(f));
  std::vector<bool> good;
  for (const SweepRow& row : sweep.rows)
    good.push_back(row.outcome && row.outcome->verdict == Verdict::pass);
  parallel_->set(std::move(axes), std::move(good));
  show_chart();
  say_points();
}

void SweepScreen::show_chart() {
  const SweepReport& sweep = run_state_->report();
  std::vector<XyChart::Series> series = series_of(
      sweep, x_figures_, y_figures_, frontier_, selected(),
      workspace().simulated() ? target_of(*workspace().simulated(), y_figures_.name) : std::nullopt,
      Theme::of(*this));
  chart_->set(std::move(series), {x_figures_.words, x_figures_.unit, false},
              {y_figures_.words, y_figures_.unit, false},
              tr("%1 over %2 of %3 designs")
                  .arg(y_figures_.words, x_figures_.words)
                  .arg(sweep.rows.size()));
}

std::vector<std::size_t> SweepScreen::selected() const {
  std::vector<std::size_t> out;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows())
    out.push_back(static_cast<std::size_t>(source_row(index)));
  std::sort(out.begin(), out.end());
  return out;
}

void SweepScreen::show_selection() {
  if (!brushing_) parallel_->select(selected());
  show_chart();
}

void SweepScreen::select(const std::vector<std::size_t>& points) {
  const auto* proxy = static_cast<const QSortFilterProxyModel*>(table_->model());
  QItemSelection rows;
  for (const std::size_t i : points) {
    const QModelIndex index = proxy->mapFromSource(model_->index(static_cast<int>(i), 0));
    rows.select(index, index);
  }
  table_->selectionModel()->select(rows,
                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void SweepScreen::select_figures(const std::vector<QPointF>& figures) {
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < x_figures_.values.size(); ++i)
    if (x_figures_.values[i] && y_figures_.values[i] &&
        std::find(figures.begin(), figures.end(),
                  QPointF(*x_figures_.values[i], *y_figures_.values[i])) != figures.end())
      inside.push_back(i);
  select(inside);
}

bool SweepScreen::load(int point) {
  const SweepReport& sweep = run_state_->report();
  if (point < 0 || point >= static_cast<int>(sweep.rows.size())) return false;
  const std::optional<QString> text =
      text_of(workspace(), sweep, sweep.rows[static_cast<std::size_t>(point)], fault_);
  const bool can = text.has_value();
  if (can) workspace().document().replace_text(*text, tr("loaded a point of the sweep"));
  say_points();
  return can;
}

bool SweepScreen::act(const QString& action, const QString& argument) {
  fault_.clear();
  if (action == QLatin1String("run")) {
    entry_->taken();
    if (resumes())
      run_state_->resume();
    else
      run_state_->start(ranges_->chosen(), file_, draws_->isChecked() ? kDrawsOfPoint : 0);
    by_itself_ = false;
    say_points();
    return true;
  }
  if (action == QLatin1String("draws")) {
    draws_->setChecked(argument != QLatin1String("off"));
    return true;
  }
  if (action == QLatin1String("cancel")) {
    workspace().background().cancel();
    return true;
  }
  for (QComboBox* box : {x_, y_})
    if (box->objectName() == action) return choose_path(*box, argument);
  if (action == QLatin1String("keep_in")) {
    file_ = argument;
    say_points();
    return true;
  }
  if (action == QLatin1String("open_sweep")) {
    entry_->taken();
    by_itself_ = false;
    run_state_->open(argument);
    if (fault_.isEmpty()) file_ = argument;
    say_points();
    return fault_.isEmpty();
  }
  if (action == QLatin1String("vary")) {
    const QStringList paths = argument.split(u' ');
    ranges_->choose(paths);
    return ranges_->chosen().size() == static_cast<std::size_t>(paths.size());
  }
  if (action == QLatin1String("load")) return load(argument.toInt() - 1);
  const QString name = argument.section(u' ', 0, 0), rest = argument.section(u' ', 1);
  const QString low = rest.section(QStringLiteral(".."), 0, 0),
                high = rest.section(QStringLiteral(".."), 1);
  if (action == QLatin1String("range")) return ranges_->set_range(name, low, high);
  if (action == QLatin1String("values")) return ranges_->set_values(name, rest.toInt());
  if (action == QLatin1String("brush"))
    return parallel_->brush(name, low.toDouble(), high.toDouble());
  return false;
}

bool SweepScreen::working() const { return run_state_->running(); }

}  // namespace stallcast::desktop
