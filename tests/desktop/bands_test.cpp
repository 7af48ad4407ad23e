#include <QAreaSeries>
#include <QChart>
#include <QCheckBox>
#include <QLabel>
#include <QLegendMarker>
#include <QLineSeries>
#include <QTest>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/desktop/support.hpp"
#include "ui/app/run_report.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/tile.hpp"
#include "ui/desktop/xy_chart.hpp"
#include "ui/report/summary.hpp"

namespace bands_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

using report::outcomes_like;

/// The areas of a chart.
std::vector<QAreaSeries*> bands_of(const XyChart& chart) {
  std::vector<QAreaSeries*> out;
  for (QAbstractSeries* series : chart.chart()->series())
    if (auto* area = qobject_cast<QAreaSeries*>(series)) out.push_back(area);
  return out;
}

XyChart::Series level_line() {
  XyChart::Series line{
      QStringLiteral("m"), XyChart::Kind::line, Qt::blue, {{1.0, 0.5}, {2.0, 0.5}, {3.0, 0.5}}};
  line.outcomes = {{0.4, 0.7}, {0.4, 0.7}, {0.4, 0.7}};
  return line;
}

}  // namespace

TEST_CASE("a band is painted between the ends of its outcomes, and nowhere else") {
  XyChart chart(nullptr);
  chart.resize(640, 480);
  chart.show();
  chart.set({level_line()}, {QStringLiteral("x"), ""}, {QStringLiteral("y"), "ratio"}, {});
  QTest::qWait(50);
  REQUIRE(bands_of(chart).size() == 1);
  QAreaSeries* band = bands_of(chart).front();
  // Half way between two points, and off the grid of nice numbers.
  const QImage image = chart.grab().toImage();
  const auto colour_at = [&](double x, double percent) {
    const QPoint at = chart.mapFromScene(
        chart.chart()->mapToScene(chart.chart()->mapToPosition({x, percent}, band)));
    return image.pixelColor(at);
  };
  const QColor inside = colour_at(1.43, 43.0);
  CHECK(inside.blue() > inside.red() + 20);
  CHECK(colour_at(1.43, 67.0) == inside);
  CHECK(colour_at(2.57, 57.0) == inside);
  const QColor below = colour_at(1.43, 38.5), above = colour_at(1.43, 71.5);
  CHECK(below == above);
  CHECK(std::abs(below.blue() - below.red()) < 10);
}

TEST_CASE("a band of about the right width is paler, and only the first is in the legend") {
  XyChart chart(nullptr);
  XyChart::Series rough = level_line();
  rough.rough = true;
  chart.resize(640, 480);
  chart.show();
  chart.set({level_line(), rough}, {QStringLiteral("x"), ""}, {QStringLiteral("y"), "ratio"}, {});
  QTest::qWait(50);
  const std::vector<QAreaSeries*> bands = bands_of(chart);
  REQUIRE(bands.size() == 2);
  CHECK(bands[1]->brush().color().alpha() < bands[0]->brush().color().alpha());
  CHECK(bands[1]->pen().style() == Qt::DashLine);
  CHECK(bands[0]->pen().style() == Qt::NoPen);
  const auto shown = [&](QAreaSeries* band) {
    return chart.chart()->legend()->markers(band).front()->isVisible();
  };
  CHECK(shown(bands[0]));
  CHECK_FALSE(shown(bands[1]));
}

TEST_CASE("outcomes of another figure are as far off: by odds of shares, by factors of times") {
  Metric share{0.5, "ratio", {}, std::pair{0.2, 0.8}};
  // Odds of 1 go to 1/4 and to 4; so odds of 4 go to 1 and 16.
  auto [low, high] = outcomes_like(share, 0.8);
  CHECK(low == Approx(0.5));
  CHECK(high == Approx(16.0 / 17.0));
  const Metric time{10.0, "s", {}, std::pair{5.0, 20.0}};
  CHECK(outcomes_like(time, 3.0) == std::pair{1.5, 6.0});
  // Nothing has odds at an end: then by differences, but never more than all.
  std::tie(low, high) = outcomes_like(share, 1.0);
  CHECK(low == Approx(0.7));
  CHECK(high == 1.0);
  CHECK(outcomes_like(time, 0.0) == std::pair{0.0, 10.0});
}

TEST_CASE("a curve has about the band of the design at once, then that of its own draws") {
  MainWindow window(settings(2), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  Workspace& workspace = window.workspace();
  REQUIRE(QTest::qWaitFor([&] { return !workspace.refining(); }, kPatience));
  window.show_screen(QStringLiteral("sensitivity"));
  Screen* screen = window.current();
  const QString metric = QStringLiteral("job.train.checkpoint.duration");
  REQUIRE(screen->act(QStringLiteral("metric"), metric));
  REQUIRE(screen->act(QStringLiteral("range"), QStringLiteral("n_ost 20..200")));
  auto* chart = qobject_cast<XyChart*>(
      screen->findChild<ChartPane*>(QStringLiteral("chart:response"))->chart());
  REQUIRE(chart != nullptr);
  std::vector<Qt::PenStyle> rims;  // of the bands, as they came
  QObject::connect(&workspace.background(), &Engine::busy_changed, chart, [&] {
    if (const auto bands = bands_of(*chart); !bands.empty())
      rims.push_back(bands.front()->pen().style());
  });
  REQUIRE(screen->act(QStringLiteral("curve"), QStringLiteral("n_ost")));
  REQUIRE(QTest::qWaitFor([&] { return !screen->working(); }, kPatience));
  REQUIRE_FALSE(rims.empty());
  CHECK(rims.front() == Qt::DashLine);
  REQUIRE(bands_of(*chart).size() == 1);
  QAreaSeries* band = bands_of(*chart).front();
  CHECK(band->pen().style() == Qt::NoPen);
  REQUIRE(band->upperSeries()->count() >= 8);

  client::Session session(settings(2));
  const double n_ost = band->lowerSeries()->at(0).x();
  const Change change{"params.n_ost", setting_of(n_ost, Dimension::count)};
  const auto alone = client::run_report(session, workspace.scenario()->with({&change, 1}),
                                        {.draws = 16, .advise = false, .timeline = false});
  REQUIRE(alone.ok());
  const auto drawn = find_metric(alone->prediction, metric);
  REQUIRE((drawn && drawn->ci90));
  CHECK(band->lowerSeries()->at(0).y() == Approx(drawn->ci90->first));
  CHECK(band->upperSeries()->at(0).y() == Approx(drawn->ci90->second));
}

TEST_CASE("a tile says about what outcomes are within until the new ones are drawn") {
  MainWindow window(settings(2), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  Workspace& workspace = window.workspace();
  const QString metric = QStringLiteral("job.train.gpu.utilization");
  CHECK_FALSE(workspace.outcomes_near(metric, 0.9).has_value());
  REQUIRE(QTest::qWaitFor([&] { return !workspace.refining(); }, kPatience));
  const auto near = workspace.outcomes_near(metric, 0.9);
  REQUIRE(near);
  CHECK((near->first < near->second && near->second < 1.0));
  Tile tile(metric, QStringLiteral("GPU utilization"), nullptr);
  const auto says = [&] {
    tile.refresh(workspace);
    for (const QLabel* label : tile.findChildren<QLabel*>())
      if (!label->isHidden() && label->text().contains(QStringLiteral("90 % of outcomes")))
        return label->text();
    return QString();
  };
  CHECK(says().startsWith(QStringLiteral("90 % of outcomes")));
  const auto slider = workspace.slider_of(QStringLiteral("params.n_ost"));
  REQUIRE(slider);
  QString at_first;
  QObject::connect(&workspace, &Workspace::predicted, &tile, [&] {
    if (workspace.freshness() == Freshness::simulated && at_first.isEmpty()) at_first = says();
  });
  workspace.move_slider(*slider, 40.0, 0);
  // A bound is the middle of no outcomes: what is simulated may lie below all of them.
  CHECK(workspace.freshness() == Freshness::estimated);
  CHECK(says().isEmpty());
  REQUIRE(QTest::qWaitFor(
      [&] { return workspace.freshness() == Freshness::simulated && !workspace.refining(); },
      kPatience));
  CHECK(at_first.startsWith(QStringLiteral("~ 90 % of outcomes")));
  CHECK(says().startsWith(QStringLiteral("90 % of outcomes")));
}

TEST_CASE("a sweep with draws has a band for each curve, without them none") {
  MainWindow window(settings(2), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  window.show_screen(QStringLiteral("sweep"));
  Screen* screen = window.current();
  const auto run = [&](const char* draws) {
    const std::pair<const char*, const char*> steps[] = {{"vary", "n_ost jobs[train].step.compute"},
                                                         {"values", "n_ost 3"},
                                                         {"values", "jobs[train].step.compute 2"},
                                                         {"draws", draws},
                                                         {"run", ""}};
    for (const auto& [action, argument] : steps)
      REQUIRE(screen->act(QLatin1String(action), QLatin1String(argument)));
    REQUIRE(QTest::qWaitFor([&] { return !screen->working(); }, kPatience));
    REQUIRE(screen->act(QStringLiteral("figure_x"), QStringLiteral("params.n_ost")));
    return bands_of(*screen->findChild<XyChart*>());
  };
  CHECK(run("off").empty());
  const std::vector<QAreaSeries*> bands = run("on");
  CHECK(bands.size() == 2);
  for (const QAreaSeries* band : bands) {
    CHECK(band->upperSeries()->count() == 3);
    for (int i = 0; i < 3; ++i)
      CHECK(band->lowerSeries()->at(i).y() < band->upperSeries()->at(i).y());
  }
}

}  // namespace bands_test
