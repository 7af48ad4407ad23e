#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDropEvent>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QUrl>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/outcome_chart.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/side_pane.hpp"
#include "ui/desktop/twice_pane.hpp"
#include "ui/desktop/waterfall_chart.hpp"

namespace compare_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

bool wait_done(MainWindow& window) {
  return QTest::qWaitFor([&] { return !window.current()->working(); }, kPatience);
}

}  // namespace

TEST_CASE("a waterfall has a row for each change, and says which did most") {
  WaterfallChart chart(nullptr);
  MetricChange moved{"job.train.gpu.utilization", "ratio", 0.968, 0.950, Effect::worse};
  chart.set(moved, {{QStringLiteral("every 30 min -> 5 min"), -0.012, QStringLiteral("-0.6 pp")},
                    {QStringLiteral("nic 400 Gb/s -> 200 Gb/s"), -0.006, {}}});
  REQUIRE(chart.twin().rowCount() == 2);
  CHECK(chart.twin().index(0, 2).data().toString() == QStringLiteral("66.7 %"));
  CHECK(chart.accessibleDescription().startsWith(QStringLiteral("66.7 % of")));
  CHECK(chart.accessibleDescription().endsWith(QStringLiteral("every 30 min -> 5 min")));
  chart.set({}, {}, QStringLiteral("not asked for"));
  CHECK(chart.twin().rowCount() == 0);
  CHECK(chart.accessibleDescription() == QStringLiteral("not asked for"));
}

// Two inputs are changed: their Shapley values sum to the difference of each figure.
TEST_CASE("the difference from a pinned design is shared among the changed inputs") {
  MainWindow window({.jobs = 1, .worker = STALLCAST_SIM_PATH}, {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.workspace().pin(QStringLiteral("before")));
  Document& document = window.workspace().document();
  REQUIRE(document.set(QStringLiteral("params.n_ost.value"), QStringLiteral("10")));
  REQUIRE(document.set(QStringLiteral("storage[scratch].ost.write"), QStringLiteral("\"3 GB/s\"")));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("compare")));
  REQUIRE(window.current()->act(QStringLiteral("attribute"), {}));
  REQUIRE(wait_done(window));
  window.resize(1024, 700);
  QApplication::processEvents();
  const auto* figures = window.current()->findChild<QTableView*>(QStringLiteral("figures"));
  CHECK(figures->horizontalHeader()->length() <= figures->viewport()->width());
  const QString saved = QStringLiteral("job.train.checkpoint.duration");
  REQUIRE(window.current()->act(QStringLiteral("figure"), saved));
  auto* chart = window.findChild<WaterfallChart*>();
  REQUIRE(chart != nullptr);
  REQUIRE(chart->parts().size() == 2);
  const double difference = find_metric(*window.workspace().simulated(), saved)->value -
                            find_metric(window.workspace().pins()[0].prediction, saved)->value;
  CHECK(difference > 0.0);
  CHECK(chart->parts()[0].share + chart->parts()[1].share == Approx(difference));
  CHECK(chart->parts()[0].share >= chart->parts()[1].share);
  CHECK(chart->parts()[0].change.contains(QStringLiteral("n_ost")));
  // Another text: what was found is of the one before.
  document.undo_stack().undo();
  CHECK(chart->parts().empty());
}

// What the terminal's table has of the same designs, a column each.
TEST_CASE("architectures are compared side by side") {
  const QString other = QStringLiteral("scenarios/library/petastorm-recsys.json");
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("compare")));
  auto* pane = window.findChild<SidePane*>();
  auto* list = pane->findChild<QListWidget*>(QStringLiteral("alternatives"));
  auto* button = pane->findChild<QPushButton*>(QStringLiteral("compare_alternatives"));
  CHECK_FALSE(button->isEnabled());  // one design is nothing to compare
  CHECK_FALSE(window.current()->act(QStringLiteral("side_by_side"), {}));
  REQUIRE(window.current()->act(QStringLiteral("add_alternative"), other));
  REQUIRE(window.current()->act(QStringLiteral("add_alternative"), other));
  REQUIRE(list->count() == 2);  // once
  CHECK(button->isEnabled());
  REQUIRE(window.current()->act(QStringLiteral("side_by_side"), {}));
  CHECK(pane->markdown().isEmpty());
  REQUIRE(wait_done(window));
  REQUIRE(pane->found().has_value());
  REQUIRE(pane->found()->designs.size() == 2);
  const auto* table = pane->findChild<QAbstractItemView*>(QStringLiteral("side_by_side"))->model();
  REQUIRE(table->columnCount() == 3);
  CHECK(table->headerData(2, Qt::Horizontal).toString() == QStringLiteral("petastorm-recsys"));
  const auto use = find_metric(pane->found()->designs[1].prediction,
                               QStringLiteral("job.train.gpu.utilization"));
  bool found = false;
  for (int i = 0; i < table->rowCount(); ++i)
    if (table->index(i, 0).data().toString() == QStringLiteral("GPU utilization")) {
      found = true;
      CHECK(table->index(i, 2).data().toString().startsWith(metric_text(*use)));
      CHECK(table->index(i, 1).data(Qt::FontRole).isValid());  // the best
    }
  CHECK(found);
  CHECK(pane->findChild<OutcomeChart*>()->bars().size() == 2);
  CHECK(pane->markdown().contains(QStringLiteral("petastorm-recsys")));
  // A design that is left out stays out when others come.
  list->item(1)->setCheckState(Qt::Unchecked);
  REQUIRE(window.workspace().pin(QStringLiteral("before")));
  REQUIRE(list->count() == 3);
  CHECK(list->item(1)->text() == QStringLiteral("before"));
  CHECK(list->item(2)->checkState() == Qt::Unchecked);
}

TEST_CASE("files that are dropped are compared; one with errors is named; one can be opened") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("compare")));
  REQUIRE(window.current()->act(QStringLiteral("add_alternative"), QStringLiteral("README.md")));
  CHECK_FALSE(window.current()->act(QStringLiteral("side_by_side"), {}));
  auto* pane = window.findChild<SidePane*>();
  bool said = false;
  for (const QLabel* label : pane->findChildren<QLabel*>())
    said = said || label->text().startsWith(QStringLiteral("\"README.md\" has errors"));
  CHECK(said);
  QMimeData dropped;
  dropped.setUrls({QUrl::fromLocalFile(QStringLiteral("scenarios/library/straggler.json"))});
  QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
  static_cast<QObject*>(pane)->event(&drop);
  auto* list = pane->findChild<QListWidget*>(QStringLiteral("alternatives"));
  REQUIRE(list->count() == 3);
  auto* open = pane->findChild<QPushButton*>(QStringLiteral("open_alternative"));
  list->setCurrentRow(0);
  CHECK_FALSE(open->isEnabled());
  list->setCurrentRow(2);
  REQUIRE(open->isEnabled());
  open->click();
  CHECK(window.workspace().document().file().endsWith(QStringLiteral("straggler.json")));
}

// Twice the OSTs is what a scenario with twice as many predicts.
TEST_CASE("a row of what limits says what twice of it would do, as a simulation has it") {
  MainWindow window({.jobs = 1, .worker = STALLCAST_SIM_PATH}, {});
  window.show();
  REQUIRE(window.open_file(kExample));
  Document& document = window.workspace().document();
  REQUIRE(document.set(QStringLiteral("params.n_ost.value"), QStringLiteral("4")));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("bottleneck")));
  std::string ost;
  for (const Bottleneck& b : window.workspace().simulated()->bottlenecks)
    if (ost.empty() && b.resource.starts_with("storage.scratch.ost")) ost = b.resource;
  REQUIRE_FALSE(ost.empty());
  auto* pane = window.findChild<TwicePane*>();
  REQUIRE(pane != nullptr);
  CHECK(pane->answer(ost).isEmpty());
  CHECK_FALSE(window.current()->act(QStringLiteral("twice"), QStringLiteral("storage.none")));
  REQUIRE(window.current()->act(QStringLiteral("twice"), QString::fromStdString(ost)));
  REQUIRE(wait_done(window));
  const QString answer = pane->answer(ost);
  INFO(answer.toStdString());
  CHECK(answer.contains(QStringLiteral("4 -> 8")));
  REQUIRE(document.set(QStringLiteral("params.n_ost.value"), QStringLiteral("8")));
  REQUIRE(wait_simulated(window));
  const auto use =
      find_metric(*window.workspace().simulated(), QStringLiteral("job.train.gpu.utilization"));
  CHECK(answer.contains(metric_text(*use)));
  CHECK(pane->answer(ost).isEmpty());  // that was another design
}

}  // namespace compare_test
