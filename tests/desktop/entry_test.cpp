#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <catch2/catch.hpp>

#include "engine/base/assertion.hpp"
#include "tests/desktop/support.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/grid_chart.hpp"
#include "ui/desktop/outcome_chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/range_model.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/tornado_chart.hpp"
#include "ui/desktop/waterfall_chart.hpp"

namespace entry_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

void open(MainWindow& window, const QString& file = kExample) {
  window.show();
  REQUIRE(window.open_file(file));
  REQUIRE(wait_simulated(window));
}

bool wait_idle(MainWindow& window) {
  return QTest::qWaitFor([&] { return !window.workspace().background().busy(); }, kPatience);
}

int rows_of(const Screen& screen, const char* table) {
  return screen.findChild<QTableView*>(QLatin1String(table))->model()->rowCount();
}

}  // namespace

TEST_CASE(
    "sensitivity has its bars and a curve when it comes to the front, and again for a change") {
  MainWindow window(settings(2), {});
  open(window);
  auto* bars = window.findChild<TornadoChart*>();
  CHECK_FALSE(window.workspace().background().busy());  // it is not in front
  REQUIRE(window.show_screen(QStringLiteral("sensitivity")));
  REQUIRE(QTest::qWaitFor([&] { return !bars->bars().empty(); }, kPatience));
  QWidget* curve =
      window.current()->findChild<ChartPane*>(QStringLiteral("chart:response"))->chart();
  REQUIRE(QTest::qWaitFor([&] { return !curve->accessibleDescription().isEmpty(); }, kPatience));
  auto* tabs = window.current()->findChild<QTabWidget*>();
  tabs->setCurrentIndex(1);
  auto* grid = window.current()->findChild<GridChart*>();
  REQUIRE(QTest::qWaitFor([&] { return grid->twin().rowCount() > 1; }, kPatience));
  // The first value of the widest bar in the table follows the design.
  const std::vector<TornadoChart::Bar> before = bars->bars();
  REQUIRE(window.workspace().document().set(QStringLiteral("params.n_ost.value"),
                                            QStringLiteral("20")));
  REQUIRE(
      QTest::qWaitFor([&] { return bars->bars().front().low != before.front().low; }, kPatience));
}

TEST_CASE("figures of another scenario leave with it, also where the next ones take long") {
  MainWindow window(settings(2), {});
  open(window);
  auto* bars = window.findChild<TornadoChart*>();
  REQUIRE(window.show_screen(QStringLiteral("sensitivity")));
  REQUIRE(QTest::qWaitFor([&] { return !bars->bars().empty(); }, kPatience));
  REQUIRE(window.show_screen(QStringLiteral("sweep")));
  Screen* sweep = window.current();
  REQUIRE(QTest::qWaitFor([&] { return !sweep->working() && rows_of(*sweep, "points") == 25; },
                          kPatience));
  REQUIRE(window.show_screen(QStringLiteral("scenario")));
  REQUIRE(window.open_file(QStringLiteral("scenarios/library/vision-local-nvme.json")));
  CHECK(bars->bars().empty());
  CHECK(rows_of(*sweep, "points") == 0);
}

TEST_CASE("the limit that Checks proposes is near a figure of the scenario on screen, and holds") {
  MainWindow window(settings(2), {});
  open(window);
  REQUIRE(window.show_screen(QStringLiteral("checks")));
  REQUIRE(window.open_file(QStringLiteral("scenarios/library/vision-local-nvme.json")));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("checks")));
  const QString metric =
      chosen_path(*window.findChild<QComboBox*>(QStringLiteral("assert_metric")));
  const auto figure = find_metric(*window.workspace().simulated(), metric);
  REQUIRE(figure);
  const QString text = window.findChild<QLineEdit*>(QStringLiteral("assert_limit"))->text();
  INFO(text.toStdString());
  const auto asked = base::parse_assertion((metric + QStringLiteral(" >= ") + text).toStdString());
  REQUIRE(asked.ok());
  const auto limit = base::limit_in(*asked, figure->unit);
  REQUIRE(limit.ok());
  CHECK(*limit <= figure->value);
  CHECK(*limit >= 0.99 * figure->value);
}

TEST_CASE("a sweep of the first two inputs runs by itself, and never over one that was asked for") {
  MainWindow window(settings(2), {});
  open(window);
  REQUIRE(window.show_screen(QStringLiteral("sweep")));
  Screen* screen = window.current();
  REQUIRE(QTest::qWaitFor([&] { return !screen->working() && rows_of(*screen, "points") == 25; },
                          kPatience));
  REQUIRE(screen->act(QStringLiteral("vary"), QStringLiteral("n_ost")));
  REQUIRE(screen->act(QStringLiteral("run"), {}));
  REQUIRE(QTest::qWaitFor([&] { return !screen->working(); }, kPatience));
  REQUIRE(rows_of(*screen, "points") == 5);
  REQUIRE(window.workspace().document().set(QStringLiteral("storage[scratch].ost.write"),
                                            QStringLiteral("\"3 GB/s\"")));
  REQUIRE(wait_simulated(window));
  REQUIRE(wait_idle(window));
  CHECK(rows_of(*screen, "points") == 5);
}

// A share of 75 % has a range to 100 %, not to twice of it.
TEST_CASE("ranges end where a value makes no design any more") {
  MainWindow window(settings(2), {});
  open(window, QStringLiteral("tests/desktop/light_tiers.json"));
  const SliderSpec& hot = window.workspace().sliders().front();
  CHECK(hot.label == QStringLiteral("hot"));
  CHECK(hot.maximum == 1.0);
  REQUIRE(window.show_screen(QStringLiteral("sweep")));
  Screen* screen = window.current();
  const QAbstractItemModel* ranges =
      screen->findChild<QTableView*>(QStringLiteral("ranges"))->model();
  CHECK(ranges->index(0, RangeModel::kHigh).data().toString() == QStringLiteral("100 %"));
  const QAbstractItemModel* points =
      screen->findChild<QTableView*>(QStringLiteral("points"))->model();
  CHECK(points->headerData(0, Qt::Horizontal).toString() == QStringLiteral("hot"));
  CHECK(QTest::qWaitFor([&] { return !screen->working() && points->rowCount() == 25; }, kPatience));
}

TEST_CASE("comparing begins with the scenario as it was saved, and says which change did it") {
  MainWindow window(settings(2), {});
  open(window);
  REQUIRE(window.workspace().document().set(QStringLiteral("params.n_ost.value"),
                                            QStringLiteral("20")));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("compare")));
  auto* shares = window.current()->findChild<WaterfallChart*>();
  REQUIRE(QTest::qWaitFor([&] { return !shares->parts().empty(); }, kPatience));
  CHECK(window.current()->findChild<QComboBox*>(QStringLiteral("base"))->currentText() ==
        QStringLiteral("as saved"));
  const auto* figures =
      window.current()->findChild<QTableView*>(QStringLiteral("figures"))->model();
  CHECK(figures->columnCount() == 4);
  CHECK(figures->headerData(1, Qt::Horizontal).toString() == QStringLiteral("as saved"));
}

TEST_CASE("without a change, comparing begins with the first variant") {
  MainWindow window(settings(2), {});
  window.show();
  QFile file(kExample);
  REQUIRE(file.open(QIODevice::ReadOnly));
  QString text = QString::fromUtf8(file.readAll());
  text.insert(text.lastIndexOf(u'}'),
              QStringLiteral(", \"scenarios\": { \"few\": { \"params\": { \"n_ost\": 20 } } }"));
  window.workspace().document().open(text, kExample);
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("compare")));
  auto* shares = window.current()->findChild<WaterfallChart*>();
  REQUIRE(QTest::qWaitFor([&] { return !shares->parts().empty(); }, kPatience));
  CHECK(window.current()->findChild<QComboBox*>(QStringLiteral("base"))->currentText() ==
        QStringLiteral("variant few"));
  window.current()->findChild<QTabWidget*>()->setCurrentIndex(1);
  auto* outcomes = window.current()->findChild<OutcomeChart*>();
  REQUIRE(QTest::qWaitFor([&] { return outcomes->bars().size() == 2; }, kPatience));
}

TEST_CASE("what would help is tried when the place comes to the front") {
  MainWindow window(settings(2), {});
  open(window);
  REQUIRE(window.workspace().document().set(QStringLiteral("params.n_ost.value"),
                                            QStringLiteral("20")));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("bottleneck")));
  REQUIRE(QTest::qWaitFor([&] { return rows_of(*window.current(), "changes") > 0; }, kPatience));
}

TEST_CASE("nothing begins while another place is in front, nor over work that was asked for") {
  bool began = false;  // outlives the window, whose end ends work
  MainWindow window(settings(2), {});
  open(window);
  QObject::connect(&window.workspace().background(), &Engine::busy_changed, &window,
                   [&](bool busy) { began = began || busy; });
  REQUIRE(window.workspace().document().set(QStringLiteral("params.n_ost.value"),
                                            QStringLiteral("20")));
  REQUIRE(wait_simulated(window));
  QTest::qWait(50);
  CHECK_FALSE(began);
  // Somebody's work goes on until it is done.
  bool done = false;
  window.workspace().background().start(
      [&](client::Session&, const Engine::Progress&) -> Engine::Then {
        return [&] { done = true; };
      });
  REQUIRE(window.show_screen(QStringLiteral("sensitivity")));
  REQUIRE(QTest::qWaitFor([&] { return done; }, kPatience));
  auto* bars = window.findChild<TornadoChart*>();
  REQUIRE(QTest::qWaitFor([&] { return !bars->bars().empty(); }, kPatience));
}

// Ten events a step, none of which is skipped: 1.5 million.
TEST_CASE("a large design says so and waits for a click") {
  MainWindow window(settings(2), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  Document& document = window.workspace().document();
  REQUIRE(document.set(QStringLiteral("run.fast_forward"), QStringLiteral("false")));
  REQUIRE(document.set(QStringLiteral("jobs[train].steps"), QStringLiteral("150000")));
  REQUIRE(wait_simulated(window));
  INFO(window.workspace().simulated()->events << " events");
  REQUIRE_FALSE(window.workspace().is_quick());
  for (const char* place : {"sensitivity", "sweep"}) {
    REQUIRE(window.show_screen(QLatin1String(place)));
    CHECK_FALSE(window.workspace().background().busy());
    auto* said = window.current()->findChild<QLabel*>(QStringLiteral("status"));
    CHECK(said->text().contains(QStringLiteral("takes long")));
    CHECK(window.current()->findChild<QPushButton*>(QStringLiteral("run"))->isEnabled());
  }
}

}  // namespace entry_test
