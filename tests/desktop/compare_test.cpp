#include <QComboBox>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/twice_pane.hpp"
#include "ui/desktop/waterfall_chart.hpp"

namespace compare_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

bool wait_done(MainWindow& window) {
  return QTest::qWaitFor([&] { return !window.current()->working(); }, 120'000);
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
  const Metric* use =
      find_metric(*window.workspace().simulated(), QStringLiteral("job.train.gpu.utilization"));
  CHECK(answer.contains(metric_text(*use)));
  CHECK(pane->answer(ost).isEmpty());  // that was another design
}

}  // namespace compare_test
