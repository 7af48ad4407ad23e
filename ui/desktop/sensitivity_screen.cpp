#include "ui/desktop/sensitivity_screen.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "stallcast/metric.hpp"
#include "ui/app/run_report.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/interaction_pane.hpp"
#include "ui/desktop/knee.hpp"
#include "ui/desktop/on_entry.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/plan_pane.hpp"
#include "ui/desktop/range_model.hpp"
#include "ui/desktop/tornado_chart.hpp"
#include "ui/desktop/xy_chart.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kMostVariedInputs = 12;
constexpr int kCurvePoints = 11, kTwoSides = 90, kLinesOfSide = 20;
constexpr double kWholeRange = 0.0;  // instead of a percentage
/// Of each point of a curve; fewer where the design on screen has fewer.
constexpr std::size_t kPointDraws = 16;

}  // namespace

SensitivityScreen::SensitivityScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("sensitivity"), tr("Sensitivity"), parent) {
  ranges_ = new RangeModel(workspace, 0, this);
  auto* layout = new QVBoxLayout(this);
  add_head(*layout);
  split_ = splitter(Qt::Horizontal, this);
  split_->addWidget(input_side(split_));
  split_->addWidget(response_side(split_));
  stretch(*split_, {1, 1});
  layout->addWidget(split_, 1);
  set_span();
  entry_ = new OnEntry(
      *this, workspace, [this] { run(); },
      [this] { status_->setText(tr("This design takes long: press \"Try them\".")); });
  connect(&workspace.document(), &Document::opened, this, [this] {  // what is shown is of another
    swings_.clear(), points_.clear(), followed_.reset();
    tornado_->set({}, {}, {}), curve_->set({}, {}, {}, {}), knee_->clear();
  });
  connect(run_, &QPushButton::clicked, this, &SensitivityScreen::run);
  connect(reset_, &QPushButton::clicked, ranges_, &RangeModel::reset_ranges);
  connect(span_, &QComboBox::currentIndexChanged, this, [this] {
    set_span();
    entry_->forget();
    entry_->look();
  });
  connect(tabs_, &QTabWidget::currentChanged, this, &SensitivityScreen::draw_points);
  connect(ranges_, &RangeModel::refused, status_,
          [this](const QString& why) { status_->setText(QStringLiteral("\u2717 ") + why); });
  connect(ranges_, &RangeModel::changed, this, [this] {
    reset_->setEnabled(std::any_of(ranges_->ranges().begin(), ranges_->ranges().end(),
                                   [](const InputRange& r) { return r.edited; }));
  });
  connect(metric_, &QComboBox::currentIndexChanged, this, [this] {
    show_swings();
    show_curve();
    pair_->show_metric(chosen_path(*metric_));
  });
  connect(tornado_, &TornadoChart::chosen, this, [this](int bar) {
    tabs_->setCurrentIndex(0);
    follow(tornado_->bars()[static_cast<std::size_t>(bar)].name);
  });
  connect(&workspace, &Workspace::read, this, [this] {
    if (!swings_.empty())
      status_->setText(tr("The design has changed: these are of an earlier one"));
  });
  connect(&workspace, &Workspace::refined, this, &SensitivityScreen::show_curve);
  refresh_on(&Workspace::predicted);
}

void SensitivityScreen::add_head(QVBoxLayout& layout) {
  auto* head = new QHBoxLayout;
  head->addWidget(new QLabel(tr("What moves"), this));
  metric_ = choice(QStringLiteral("metric"), tr("Metric"), this);
  head->addWidget(metric_, 1);
  head->addWidget(new QLabel(tr("by"), this));
  span_ = choice(QStringLiteral("span"), tr("How far inputs move"), this);
  span_->setMinimumContentsLength(10);
  span_->addItem(tr("\u00b1 10 %"), 0.1);
  span_->addItem(tr("\u00b1 50 %"), 0.5);
  span_->addItem(tr("their whole range"), kWholeRange);
  span_->setCurrentIndex(1);
  head->addWidget(span_);
  run_ = push_button(tr("&Try them"), "run", tr("Try all inputs by simulation"), this);
  head->addWidget(run_);
  layout.addLayout(head);
  status_ =
      note(tr("Each input is moved alone over its range; every bar is two simulations."), this);
  status_->setObjectName(QStringLiteral("status"));
  layout.addWidget(status_);
}

QWidget* SensitivityScreen::input_side(QWidget* parent) {
  auto* split = splitter(Qt::Vertical, parent);
  tornado_ = new TornadoChart(split);
  auto* pane = new ChartPane(tr("Which inputs matter"), "tornado", tornado_, split);
  split->addWidget(scrolled(pane, tr("Which inputs matter"), split));
  auto* below = new QWidget(split);
  auto* rows = column(below);
  auto* head = new QHBoxLayout;
  head->addWidget(heading(tr("Ranges"), below), 1);
  reset_ =
      push_button(tr("R&eset ranges"), "reset_ranges", tr("Forget ranges set manually"), below);
  reset_->setEnabled(false);
  head->addWidget(reset_);
  rows->addLayout(head);
  rows->addWidget(range_table(*ranges_, tr("Inputs and their ranges"), below), 1);
  split->addWidget(below);
  stretch(*split, {3, 2});
  split->setSizes({300, 200});
  return split;
}

QWidget* SensitivityScreen::response_side(QWidget* parent) {
  tabs_ = new QTabWidget(parent);
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("One input, two together, or a plan"));
  auto* one = new QWidget(tabs_);
  auto* rows = new QVBoxLayout(one);
  rows->setContentsMargins(0, 4, 0, 0);
  curve_ = new XyChart(one);
  curve_twin_ =
      new RowsModel({tr("input"), tr("metric"), tr("90 % of outcomes"), tr("knee")}, this);
  auto* pane = new ChartPane(tr("Response to one input"), curve_, *curve_twin_, one);
  pane->setObjectName(QStringLiteral("chart:response"));
  rows->addWidget(pane, 1);
  knee_ = note(tr("Click a bar, or press Enter on it."), one);
  knee_->setObjectName(QStringLiteral("knee"));
  rows->addWidget(knee_);
  add_page(*tabs_, one, tr("One input"), tr("One input: the response"));
  pair_ = new InteractionPane(workspace(), *ranges_, tabs_);
  add_page(*tabs_, pair_, tr("Two"), tr("Two inputs together"));
  plan_ = new PlanPane(workspace(), tabs_);
  add_page(*tabs_, plan_, tr("How many"), tr("How many are enough"));
  return tabs_;
}

void SensitivityScreen::set_span() {
  const double span = span_->currentData().toDouble();
  ranges_->set_rule([span](const SliderSpec& slider) {
    return span == kWholeRange ? std::pair(slider.minimum, slider.maximum)
                               : range_around(slider, span);
  });
}

void SensitivityScreen::refresh() {
  if (const auto& now = workspace().simulated())
    offer_metrics(*metric_, workspace(), metric_that_matters(*now));
  ranges_->set_inputs(variables(workspace(), kMostVariedInputs).shown);
  const bool can = workspace().design() != nullptr && !workspace().has_errors();
  run_->setEnabled(can);
  pair_->set_enabled(can);
  plan_->set_enabled(can);
  pair_->show_metric(chosen_path(*metric_));
  show_curve();  // in the colours of now
  entry_->look();
  draw_points();
}

void SensitivityScreen::run() {
  entry_->taken();
  std::vector<Swing> swings;
  std::vector<std::vector<Change>> changes;
  for (const InputRange& range : ranges_->chosen()) {
    for (const double value : {range.low, range.high}) {
      const Move move[] = {{range.slider, value}};
      changes.push_back(changes_of(move));
    }
    swings.push_back({range.slider, range.low, range.high, {}, {}});
  }
  status_->setText(tr("Simulating %1 designs...").arg(changes.size()));
  workspace().background().start(
      [this, changes = std::move(changes), swings = std::move(swings),
       scenario = *workspace().scenario()](client::Session& session,
                                           const Engine::Progress& progress) -> Engine::Then {
        std::vector<Swing> done = swings;
        const auto results = predict_changes(session, scenario, changes, progress);
        for (std::size_t i = 0; i < done.size(); ++i) {
          done[i].at_low = results[2 * i];
          done[i].at_high = results[2 * i + 1];
        }
        return [this, done = std::move(done)] {
          swings_ = done;
          const auto no_design = std::count_if(
              done.begin(), done.end(), [](const Swing& s) { return !s.at_low || !s.at_high; });
          QString text = tr("%1 inputs, each moved alone.").arg(done.size());
          if (no_design > 0)
            text += tr(" %1 have no bar: no design at an end of their range.").arg(no_design);
          if (const auto more = variables(workspace(), kMostVariedInputs).left_out; more > 0)
            text += tr(" %1 more that the scenario sets are not tried.").arg(more);
          status_->setText(text + tr(" Click a bar for its response."));
          show_swings();
          const std::vector<TornadoChart::Bar>& bars = tornado_->bars();
          const auto last = std::find_if(bars.begin(), bars.end(), [&](const auto& bar) {
            return followed_ && bar.name == followed_->label;
          });
          if (!bars.empty()) follow(last == bars.end() ? bars.front().name : last->name);
        };
      });
}

void SensitivityScreen::show_swings() {
  if (swings_.empty() || !workspace().simulated()) return;
  const QString metric = chosen_path(*metric_);
  const auto now = find_metric(*workspace().simulated(), metric);
  if (!now) return;
  std::vector<TornadoChart::Bar> bars;
  for (const Swing& swing : swings_) {
    const auto low = swing.at_low ? find_metric(*swing.at_low, metric) : std::nullopt;
    const auto high = swing.at_high ? find_metric(*swing.at_high, metric) : std::nullopt;
    if (!low || !high) continue;
    bars.push_back({swing.slider.label, value_text(swing.slider, swing.low),
                    value_text(swing.slider, swing.high), low->value, high->value});
  }
  tornado_->set(std::move(bars), metric_->currentText(), *now);
}

void SensitivityScreen::follow(const QString& path) {
  const InputRange* range = ranges_->range_of(path);
  if (range == nullptr) return;
  std::vector<double> values;
  std::vector<std::vector<Change>> changes;
  for (const double value : values_between(range->slider, range->low, range->high, kCurvePoints)) {
    const Move move[] = {{range->slider, value}};
    values.push_back(value);
    changes.push_back(changes_of(move));
  }
  knee_->setText(tr("Simulating %1 designs...").arg(changes.size()));
  workspace().background().start(
      [this, slider = range->slider, values = std::move(values), changes = std::move(changes),
       scenario = *workspace().scenario()](client::Session& session,
                                           const Engine::Progress& progress) -> Engine::Then {
        const auto results = predict_changes(session, scenario, changes, progress);
        std::vector<std::pair<double, Prediction>> points;
        std::vector<Scenario> scenarios;
        for (std::size_t i = 0; i < results.size(); ++i) {
          if (!results[i]) continue;
          points.emplace_back(values[i], *results[i]);
          scenarios.push_back(scenario.with(changes[i]));
        }
        return [this, slider, points = std::move(points), scenarios = std::move(scenarios)] {
          followed_ = slider;
          points_ = points;
          scenarios_ = scenarios;
          drawn_ = 0;
          show_curve();
          draw_points();
        };
      });
}

void SensitivityScreen::draw_points() {
  const std::optional<Prediction>& now = workspace().simulated();
  if (drawn_ >= points_.size() || !now || !curve_->isVisible() || workspace().background().busy())
    return;
  const std::size_t draws =
      now->uncertainty ? std::min(kPointDraws, now->uncertainty->draws) : kPointDraws;
  if (draws < client::kFewestDraws) return;
  workspace().background().start(
      [this, at = drawn_, draws, scenario = scenarios_[drawn_], known = points_[drawn_].second](
          client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        const Result<client::RunReport> drawn =
            client::run_report(session, scenario,
                               {.predict = {.on_progress = progress},
                                .known = known,
                                .draws = draws,
                                .gains = false,
                                .advise = false,
                                .timeline = false});
        return [this, at, drawn] {
          if (drawn.ok()) points_[at].second = drawn->prediction;
          drawn_ = at + 1;
          show_curve();
          draw_points();
        };
      });
}

Cell SensitivityScreen::add_outcomes(const Metric& of, const QString& metric,
                                     XyChart::Series& line) const {
  Metric ranged = of;
  if (!of.ci90) {
    ranged.ci90 = workspace().outcomes_near(metric, of.value);
    line.rough = true;
  }
  if (!ranged.ci90) return {QString()};
  line.outcomes.push_back(*ranged.ci90);
  if (of.median) line.middles.push_back(*of.median);
  return {(of.ci90 ? QString() : QStringLiteral("~ ")) + ends_text(ranged)};
}

void SensitivityScreen::show_curve() {
  if (!followed_ || points_.empty()) return;
  const QString metric = chosen_path(*metric_), words = metric_->currentText();
  const Theme& theme = Theme::of(*this);
  std::vector<Row> rows;
  std::vector<std::pair<double, double>> curve;
  XyChart::Series line{words, XyChart::Kind::line, theme.accent, {}};
  std::string unit;
  std::optional<double> limit;
  for (const auto& [value, prediction] : points_) {
    const auto m = find_metric(prediction, metric);
    if (!m) continue;
    unit = m->unit;
    curve.emplace_back(value, m->value);
    line.points.emplace_back(value, m->value);
    rows.push_back({Cell(value_text(*followed_, value), value), figure_cell(m->value, m->unit),
                    add_outcomes(*m, metric, line), Cell(QString())});
    limit = target_of(prediction, metric);
  }
  if (curve.empty()) return;
  if (line.outcomes.size() < curve.size()) line.outcomes.clear();
  if (line.middles.size() < curve.size()) line.middles.clear();
  const XyChart::Axis across{followed_->label, std::string(metric::unit_of(followed_->dimension)),
                             followed_->logarithmic};
  const Knee knee =
      knee_of(curve, XyChart::is_logarithmic(across, curve.front().first, curve.back().first));
  std::vector<XyChart::Series> series{line};
  QString text;
  if (knee.at) {
    const std::size_t at = *knee.at;
    const QString value = value_text(*followed_, curve[at].first);
    rows[at].back() = Cell(tr("\u25c6 knee"));
    series.push_back(
        {tr("knee: %1").arg(value), XyChart::Kind::points, theme.warn, {line.points[at]}, true});
    text = tr("\u25c6 Knee at %1 = %2, between %3 and %4 that were tried too: %5 is %6 there.")
               .arg(followed_->label, value, value_text(*followed_, curve[at - 1].first),
                    value_text(*followed_, curve[at + 1].first), words,
                    figure_text(curve[at].second, unit));
  } else {
    text = knee.why_not == NoKnee::flat       ? tr("No knee: %1 hardly moves over this range.")
           : knee.why_not == NoKnee::straight ? tr("No knee: %1 is nearly a straight line.")
                                              : tr("No knee: too few values of %1 to tell.");
    text = text.arg(words);
  }
  knee_->setText(text);
  if (limit)
    series.push_back({tr("target"),
                      XyChart::Kind::limit,
                      theme.bad,
                      {{curve.front().first, *limit}, {curve.back().first, *limit}}});
  curve_twin_->set({followed_->label, words, tr("90 % of outcomes"), tr("knee")}, std::move(rows));
  curve_->set(std::move(series), across, {words, unit, false},
              tr("%1 over %2, %3 points%4. %5")
                  .arg(words, followed_->label)
                  .arg(curve.size())
                  .arg(line.outcomes.empty() ? QString()
                       : line.rough          ? tr(", with about what outcomes are within")
                                             : tr(", with what 90 % of outcomes are within"))
                  .arg(text));
}

void SensitivityScreen::arrange() { set_columns(*split_, kTwoSides, kLinesOfSide); }

bool SensitivityScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("run")) {
    run();
    return true;
  }
  if (action == QLatin1String("metric")) return choose_path(*metric_, argument);
  const QString path = argument.section(u' ', 0, 0), rest = argument.section(u' ', 1);
  if (action == QLatin1String("range"))
    return ranges_->set_range(path, rest.section(QStringLiteral(".."), 0, 0),
                              rest.section(QStringLiteral(".."), 1));
  if (action == QLatin1String("plan")) {
    entry_->taken();
    tabs_->setCurrentIndex(2);
    plan_->run();
    return true;
  }
  if (action == QLatin1String("pair")) {
    entry_->taken();
    tabs_->setCurrentIndex(1);
    return pair_->run_pair(path, rest);
  }
  if (action != QLatin1String("curve")) return false;
  entry_->taken();
  tabs_->setCurrentIndex(0);
  follow(argument);
  return ranges_->range_of(argument) != nullptr;
}

bool SensitivityScreen::working() const { return workspace().background().busy(); }

}  // namespace stallcast::desktop
