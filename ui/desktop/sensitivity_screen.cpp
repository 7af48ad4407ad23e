#include "ui/desktop/sensitivity_screen.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/tornado_chart.hpp"
#include "ui/desktop/xy_chart.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kMostInputs = 12;
constexpr int kCurvePoints = 9;

/// The unit of an axis in which `dimension` is counted.
std::string unit_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::bytes:
      return "B";
    case Dimension::time:
      return "s";
    case Dimension::rate:
      return "B/s";
    case Dimension::op_rate:
      return "1/s";
    case Dimension::ratio:
      return "ratio";
    case Dimension::money:
      return "USD";
    default:
      return "";
  }
}

}  // namespace

SensitivityScreen::SensitivityScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("sensitivity"), tr("Sensitivity"), parent) {
  auto* layout = new QVBoxLayout(this);
  auto* head = new QHBoxLayout;
  head->addWidget(new QLabel(tr("What moves"), this));
  metric_ = choice(QStringLiteral("metric"), tr("Metric"), this);
  head->addWidget(metric_, 1);
  head->addWidget(new QLabel(tr("when inputs move by"), this));
  span_ = choice(QStringLiteral("span"), tr("How far inputs move"), this);
  span_->setMinimumContentsLength(8);
  span_->addItem(tr("\u00b1 10 %"), 0.1);
  span_->addItem(tr("\u00b1 50 %"), 0.5);
  head->addWidget(span_);
  run_ = new QPushButton(tr("&Try them"), this);
  run_->setObjectName(QStringLiteral("run"));
  run_->setAccessibleName(tr("Try all inputs by simulation"));
  head->addWidget(run_);
  layout->addLayout(head);
  status_ = note(tr("Each input is moved alone; every bar is two simulations. Sliders count first, "
                    "then what the scenario sets."),
                 this);
  layout->addWidget(status_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  tornado_ = new TornadoChart(split);
  auto* left = new ChartPane(tr("Which inputs matter"), tornado_, tornado_->twin(), split);
  left->setObjectName(QStringLiteral("chart:tornado"));
  split->addWidget(scrolled(left, tr("Which inputs matter"), split));
  curve_ = new XyChart(split);
  curve_twin_ = new RowsModel({tr("input"), tr("metric")}, this);
  auto* right = new ChartPane(tr("Response to one input"), curve_, *curve_twin_, split);
  right->setObjectName(QStringLiteral("chart:response"));
  split->addWidget(right);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 1);
  layout->addWidget(split, 1);
  connect(run_, &QPushButton::clicked, this, &SensitivityScreen::run);
  connect(metric_, &QComboBox::currentIndexChanged, this, [this] {
    show_swings();
    show_curve();
  });
  connect(tornado_, &TornadoChart::chosen, this, [this](int bar) {
    const QString name = tornado_->bars()[static_cast<std::size_t>(bar)].name;
    for (const Swing& swing : swings_)
      if (swing.slider.label == name) return follow(swing.slider);
  });
  connect(&workspace, &Workspace::read, this, [this] {
    if (!swings_.empty())
      status_->setText(tr("The design has changed: these are of an earlier one"));
  });
  connect(&workspace, &Workspace::predicted, this, [this] {
    if (isVisible()) refresh();
  });
}

void SensitivityScreen::refresh() {
  offer_metrics(*metric_, workspace());
  run_->setEnabled(workspace().design().has_value() && !workspace().has_errors());
}

void SensitivityScreen::run() {
  const double span = span_->currentData().toDouble();
  std::vector<Swing> swings;
  std::vector<Design> designs;
  for (const SliderSpec& slider : variables(workspace(), kMostInputs)) {
    SliderSpec wide = slider;  // a percentage may lead out of what the slider shows
    if (slider.step == 0.0 && !slider.path.startsWith(QLatin1String("params."))) {
      wide.minimum = std::min(wide.minimum, slider.value * (1.0 - span));
      wide.maximum = std::max(wide.maximum, slider.value * (1.0 + span));
    }
    Swing swing{slider,
                Workspace::snapped(wide, slider.value * (1.0 - span)),
                Workspace::snapped(wide, slider.value * (1.0 + span)),
                {},
                {}};
    if (swing.low == swing.high) continue;
    const Move low[] = {{slider, swing.low}}, high[] = {{slider, swing.high}};
    std::optional<Design> a = design_with(workspace(), low), b = design_with(workspace(), high);
    if (!a || !b) continue;  // outside of what the field may be
    designs.push_back(*std::move(a));
    designs.push_back(*std::move(b));
    swings.push_back(std::move(swing));
  }
  status_->setText(tr("Simulating %1 designs...").arg(designs.size()));
  workspace().background().start(
      [this, designs = std::move(designs), swings = std::move(swings)](
          client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        std::vector<Swing> done = swings;
        const auto results = session.predict_all(designs, {.on_progress = progress});
        for (std::size_t i = 0; i < done.size(); ++i) {
          if (results[2 * i].ok()) done[i].at_low = results[2 * i].value();
          if (results[2 * i + 1].ok()) done[i].at_high = results[2 * i + 1].value();
        }
        return [this, done = std::move(done)] {
          swings_ = done;
          status_->setText(
              tr("%1 inputs, each moved alone. Click a bar for its whole range.").arg(done.size()));
          show_swings();
          if (!tornado_->bars().empty()) emit tornado_->chosen(0);
        };
      });
}

void SensitivityScreen::show_swings() {
  if (swings_.empty() || !workspace().simulated()) return;
  const QString metric = metric_->currentText();
  const Metric* now = find_metric(*workspace().simulated(), metric);
  if (now == nullptr) return;
  std::vector<TornadoChart::Bar> bars;
  for (const Swing& swing : swings_) {
    const Metric* low = swing.at_low ? find_metric(*swing.at_low, metric) : nullptr;
    const Metric* high = swing.at_high ? find_metric(*swing.at_high, metric) : nullptr;
    if (low == nullptr || high == nullptr) continue;
    bars.push_back({swing.slider.label, value_text(swing.slider, swing.low),
                    value_text(swing.slider, swing.high), low->value, high->value});
  }
  tornado_->set(std::move(bars), metric, *now);
}

void SensitivityScreen::follow(const SliderSpec& slider) {
  std::vector<double> values;
  std::vector<Design> designs;
  // Half to twice the value tells more than a range of thousands.
  const double low = std::max(slider.minimum, slider.value / 2.0),
               high = std::min(slider.maximum, slider.value * 2.0);
  for (const double value : values_between(slider, low, high, kCurvePoints)) {
    const Move move[] = {{slider, value}};
    if (std::optional<Design> design = design_with(workspace(), move)) {
      values.push_back(value);
      designs.push_back(*std::move(design));
    }
  }
  workspace().background().start(
      [this, slider, values = std::move(values), designs = std::move(designs)](
          client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        const auto results = session.predict_all(designs, {.on_progress = progress});
        std::vector<std::pair<double, Prediction>> points;
        for (std::size_t i = 0; i < results.size(); ++i)
          if (results[i].ok()) points.emplace_back(values[i], results[i].value());
        return [this, slider, points = std::move(points)] {
          followed_ = slider;
          points_ = points;
          show_curve();
        };
      });
}

void SensitivityScreen::show_curve() {
  if (!followed_ || points_.empty()) return;
  const QString metric = metric_->currentText();
  const Theme& theme = Theme::of(*this);
  std::vector<Row> rows;
  XyChart::Series curve{metric, XyChart::Kind::line, theme.accent, {}};
  std::string unit;
  std::optional<double> limit;
  for (const auto& [value, prediction] : points_) {
    const Metric* m = find_metric(prediction, metric);
    if (m == nullptr) continue;
    unit = m->unit;
    curve.points.emplace_back(value, m->value);
    rows.push_back({Cell(value_text(*followed_, value), value), Cell(metric_text(*m), m->value)});
    for (const AssertionOutcome& a : prediction.assertions)
      if (a.limit && (a.metric.empty() ? a.that : a.metric) == metric.toStdString())
        limit = a.limit;
  }
  if (curve.points.empty()) return;
  std::vector<XyChart::Series> series{curve};
  if (limit)
    series.push_back({tr("expected"),
                      XyChart::Kind::limit,
                      theme.bad,
                      {{curve.points.front().x(), *limit}, {curve.points.back().x(), *limit}}});
  curve_twin_->set({followed_->label, metric}, std::move(rows));
  curve_->set(std::move(series),
              {followed_->label, unit_of(followed_->dimension), followed_->logarithmic},
              {metric, unit, false},
              tr("%1 over %2, %3 points").arg(metric, followed_->label).arg(curve.points.size()));
}

bool SensitivityScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("run")) {
    run();
    return true;
  }
  if (action == QLatin1String("metric")) {
    metric_->setCurrentText(argument);
    return metric_->currentText() == argument;
  }
  if (action != QLatin1String("curve")) return false;
  const std::optional<SliderSpec> slider = workspace().slider_of(argument);
  if (slider) follow(*slider);
  return slider.has_value();
}

bool SensitivityScreen::working() const { return workspace().background().busy(); }

}  // namespace stallcast::desktop
