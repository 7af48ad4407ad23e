#include <QAbstractItemModelTester>
#include <QFile>
#include <QItemSelectionModel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/parallel_chart.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/sweep_points.hpp"
#include "ui/desktop/sweep_run.hpp"

namespace sweep_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// Points of "n" with a utilization each; one failed.
SweepReport four_points() {
  SweepReport out;
  out.axes = {"params.n"};
  const double utilization[] = {0.5, 0.9, 0.9, 0.8};
  for (int i = 0; i < 5; ++i) {
    SweepRow row;
    row.values = {std::to_string(i + 1)};
    row.numbers = {SweepFigure{i + 1.0, ""}};
    row.outcome.emplace();
    if (i < 4)
      row.outcome->metrics["job.train.gpu.utilization"] = {utilization[i], "ratio", {}};
    else
      row.outcome->failed = true;
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::size_t done_of(const SweepRun& run) { return run.report().counts().done; }

}  // namespace

// n is bought, so less is better; utilization: more is better. 1 and 2 are beaten by none; 3 has
// what 2 has and costs more; 4 is worse than 2 in both; the fifth failed.
TEST_CASE(
    "the frontier holds what no other point beats, and nothing that failed or misses a target") {
  const SweepReport sweep = four_points();
  const SweepFigures n = figures_of(sweep, QStringLiteral("params.n")),
                     u = figures_of(sweep, QStringLiteral("job.train.gpu.utilization"));
  CHECK(u.unit == "ratio");
  CHECK_FALSE(u.values[4].has_value());
  CHECK(frontier_of(sweep, n, u) == std::vector<bool>{true, true, false, false, false});
  CHECK(figures_of(sweep, QStringLiteral("nothing")).values[0] == std::nullopt);
  const std::vector<Row> rows = rows_of(sweep, {u}, frontier_of(sweep, n, u));
  REQUIRE(rows.size() == 5);
  CHECK(rows[1].back().text == QStringLiteral("\u25c6 best"));
  CHECK(rows[4][2].text == QStringLiteral("failed"));

  SweepReport missed = sweep;
  missed.rows[1].outcome->verdict = Verdict::fail;
  // 3 has what 2 has: it is the best of those that meet all targets now.
  CHECK(frontier_of(missed, n, u) == std::vector<bool>{true, false, true, false, false});
  for (SweepRow& row : missed.rows)
    if (row.outcome) row.outcome->verdict = Verdict::fail;
  CHECK(frontier_of(missed, n, u) == std::vector<bool>(5, false));
}

TEST_CASE("axes of parallel coordinates are brushed by mouse and by keys, and combine") {
  ParallelChart chart(nullptr);
  QAbstractItemModelTester tester(&chart.twin(),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
  chart.resize(600, 300);
  const SweepFigures a{
      QStringLiteral("a"), QStringLiteral("a"), "", {0.0, 1.0, 2.0, 3.0, std::nullopt}},
      b{QStringLiteral("b"), QStringLiteral("b"), "ratio", {1.0, 0.5, 0.5, 0.0, 0.2}};
  chart.set({a, b}, {true, false, false, false, false});
  CHECK(chart.twin().rowCount() == 5);
  std::vector<std::size_t> got;
  bool all = false;
  QObject::connect(&chart, &ParallelChart::brushed,
                   [&](const std::vector<std::size_t>& points, bool none) {
                     got = points;
                     all = none;
                   });
  REQUIRE(chart.brush(QStringLiteral("a"), 1.0, 3.0));
  CHECK(got == std::vector<std::size_t>{1, 2, 3});  // what has no value is not between two
  REQUIRE(chart.brush(QStringLiteral("b"), 0.4, 1.0));
  CHECK(got == std::vector<std::size_t>{1, 2});
  CHECK_FALSE(chart.brush(QStringLiteral("c"), 0.0, 1.0));
  CHECK(chart.accessibleDescription().contains(QStringLiteral("2 selected")));
  QTest::keyClick(&chart, Qt::Key_Escape);
  CHECK(all);
  // From the middle of the first axis to its top: 2 and 3.
  const QPoint low(72, 165), high(72, 5);
  QTest::mousePress(&chart, Qt::LeftButton, {}, low);
  QMouseEvent move(QEvent::MouseMove, high, chart.mapToGlobal(high), Qt::LeftButton, Qt::LeftButton,
                   {});
  QApplication::sendEvent(&chart, &move);
  QTest::mouseRelease(&chart, Qt::LeftButton, {}, high);
  CHECK(got == std::vector<std::size_t>{2, 3});
  QTest::keyClick(&chart, Qt::Key_Delete);
  CHECK(all);
  QTest::keyClick(&chart, Qt::Key_Right);
  for (int i = 0; i < 10; ++i) QTest::keyClick(&chart, Qt::Key_Up);  // the lower end to one half
  CHECK(got == std::vector<std::size_t>{0, 1, 2});
  chart.select({3});
  CHECK(chart.twin().index(3, 3).data().toString() == QStringLiteral("\u25cf yes"));
}

TEST_CASE("three inputs are varied together, and what is selected is selected everywhere") {
  MainWindow window(settings(2), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(QTest::qWaitFor([&] { return window.workspace().freshness() == Freshness::simulated; },
                          kPatience));
  window.show_screen(QStringLiteral("sweep"));
  Screen* screen = window.current();
  auto* ranges = screen->findChild<QTableView*>(QStringLiteral("ranges"))->model();
  QStringList inputs;
  for (int i = 0; i < 3; ++i) inputs << ranges->index(i, 0).data(Qt::UserRole).toString();
  REQUIRE(screen->act(QStringLiteral("vary"), inputs.join(u' ')));
  for (const QString& input : inputs)
    REQUIRE(screen->act(QStringLiteral("values"), input + QStringLiteral(" 2")));
  CHECK_FALSE(screen->act(QStringLiteral("values"), inputs[0] + QStringLiteral(" 1")));
  REQUIRE(screen->act(QStringLiteral("run"), {}));
  REQUIRE(QTest::qWaitFor([&] { return !screen->working(); }, kPatience));
  auto* points = screen->findChild<QTableView*>(QStringLiteral("points"));
  REQUIRE(points->model()->rowCount() == 8);
  auto* parallel = screen->findChild<ParallelChart*>();
  CHECK(parallel->twin().rowCount() == 8);
  // From an axis to the table: half of the points have the lower value.
  REQUIRE(screen->act(QStringLiteral("brush"), QStringLiteral("params.n_ost 0..30")));
  CHECK(points->selectionModel()->selectedRows().size() == 4);
  // From the table to the axes.
  points->clearSelection();
  points->selectRow(0);
  CHECK(parallel->accessibleDescription().contains(QStringLiteral("1 selected")));
  const QString before = window.workspace().document().text();
  REQUIRE(screen->act(QStringLiteral("load"), QStringLiteral("8")));
  CHECK(window.workspace().document().text() != before);
  CHECK_FALSE(window.workspace().has_errors());
}

TEST_CASE("a cancelled sweep keeps what is done, and goes on from there, also after a new start") {
  const QTemporaryDir folder;
  Workspace workspace(settings(2));
  QFile scenario(kExample);
  REQUIRE(scenario.open(QIODevice::ReadOnly));
  workspace.document().open(QString::fromUtf8(scenario.readAll()), kExample);
  RangeModel ranges(workspace, 6, nullptr);
  ranges.set_rule([](const SliderSpec& s) { return range_around(s, 0.5); });
  ranges.set_inputs(variables(workspace, 2).shown);
  const std::size_t all = points_of(ranges.chosen());
  REQUIRE(all == 36);
  const QString file = folder.filePath(QStringLiteral("sweep.db"));
  {
    SweepRun run(workspace, nullptr);
    run.start(ranges.chosen(), file, 0);
    REQUIRE(QTest::qWaitFor([&] { return done_of(run) > 0; }, kPatience));
    workspace.background().cancel();
    CHECK_FALSE(run.running());
    if (done_of(run) < all) {
      run.resume();
      CHECK(run.running());
      workspace.background().cancel();
    }
  }
  // What another program finds in the file.
  SweepRun again(workspace, nullptr);
  QSignalSpy ended(&again, &SweepRun::ended);
  REQUIRE(QTest::qWaitFor([&] { return !workspace.background().busy(); }, kPatience));
  again.open(file);
  CHECK(again.report().axes.size() == 2);
  REQUIRE(again.report().rows.size() == all);
  const std::size_t before = done_of(again);
  CHECK(before > 0);
  again.start(ranges.chosen(), file, 0);
  REQUIRE(QTest::qWaitFor([&] { return !again.running(); }, kPatience));
  CHECK(done_of(again) == all);
  REQUIRE(ended.count() == 1);
  CHECK(ended.front().front().toString().isEmpty());
  // Another sweep is not put into the same file.
  REQUIRE(ranges.set_values(ranges.ranges().front().slider.path, 3));
  again.start(ranges.chosen(), file, 0);
  REQUIRE(QTest::qWaitFor([&] { return ended.count() == 2; }, kPatience));
  CHECK_FALSE(ended.back().front().toString().isEmpty());
}

}  // namespace sweep_test
