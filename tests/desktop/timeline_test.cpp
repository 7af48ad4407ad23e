#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/desktop/support.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/gantt.hpp"
#include "ui/desktop/heat_chart.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/recorded.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/time_strip.hpp"

namespace timeline_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// A resource of 10 B/s: idle for five seconds, then full for five.
Timeline half_busy() {
  Timeline out;
  out.end_s = 10.0;
  out.bin_s = 1.0;
  out.counters = {
      {"storage.s.ost", "throughput", "B/s", 10.0, {0, 0, 0, 0, 0, 10, 10, 10, 10, 10}}};
  return out;
}

GanttData two_lanes() {
  GanttData out;
  out.end = 10.0;
  for (const char* name : {"worst", "best"}) {
    GanttData::Lane lane{QLatin1String(name), {}};
    for (int i = 0; i < 10; ++i)
      lane.spans.push_back({double(i), i + 1.0, GanttData::What::step, QStringLiteral("step")});
    out.lanes.push_back(std::move(lane));
  }
  return out;
}

}  // namespace

TEST_CASE("the table of the heat map has the figures of the time on screen") {
  HeatChart chart(nullptr);
  QAbstractItemModelTester tester(&chart.twin(),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
  chart.resize(600, 200);
  chart.set(half_busy());
  const auto mean = [&] { return chart.twin().index(0, 1).data(RowsModel::kSortRole).toDouble(); };
  CHECK(mean() == 5.0);
  chart.show_range(5.0, 10.0);
  CHECK(mean() == 10.0);
  chart.show_range(0.0, 5.0);
  CHECK(mean() == 0.0);
  chart.show_range(4.0, 6.0);  // one idle second, one full
  CHECK(mean() == 5.0);
  QTest::keyClick(&chart, Qt::Key_Home);
  CHECK(chart.shows_all());
}

TEST_CASE("ticks are at round times, and no two of them read alike") {
  CHECK(tick_step(13.0) == 5.0);
  CHECK(tick_step(120.0) == 30.0);
  CHECK(tick_step(2.0 * 3600.0) == 1800.0);
  CHECK(tick_step(12.0 * 86400.0) == 2.0 * 86400.0);
  CHECK(tick_text(0.4, 0.2) == QStringLiteral("400 ms"));
  CHECK(tick_text(167400.0, 1800.0) == QStringLiteral("1 d 22 h 30 min"));
  CHECK(tick_text(125.4, 0.2) == QStringLiteral("2 min 5.4 s"));
  for (const double from : {0.0, 59.0, 3599.0, 165600.0, 1e6})
    for (const double span : {0.5, 17.7, 120.0, 9000.0, 90000.0}) {
      const double step = tick_step(span);
      CHECK(span / step <= 6.0 + 1e-9);
      CHECK(span / step >= 2.0);
      QStringList texts;
      for (double t = std::ceil(from / step) * step; t <= from + span; t += step)
        texts << tick_text(t, step);
      CHECK(texts.removeDuplicates() == 0);
    }
}

TEST_CASE("a range is told once, is never outside of the time, and can be chosen by the mouse") {
  Gantt gantt(nullptr);
  gantt.resize(600, 200);
  gantt.set(two_lanes());
  QSignalSpy told(&gantt, &TimeChart::range_changed);
  gantt.show_range(2.0, 4.0);
  gantt.show_range(2.0, 4.0);
  CHECK(told.count() == 1);
  gantt.show_range(9.0, 12.0);
  CHECK(gantt.from() == Approx(7.0));
  CHECK(gantt.to() == Approx(10.0));
  gantt.show_all();
  const QPoint begin(300, 60), end(400, 60);
  QTest::mousePress(&gantt, Qt::LeftButton, Qt::ShiftModifier, begin);
  QTest::mouseMove(&gantt, end);
  QMouseEvent move(QEvent::MouseMove, end, gantt.mapToGlobal(end), Qt::LeftButton, Qt::LeftButton,
                   Qt::ShiftModifier);
  QApplication::sendEvent(&gantt, &move);
  QTest::mouseRelease(&gantt, Qt::LeftButton, Qt::ShiftModifier, end);
  CHECK_FALSE(gantt.shows_all());
  CHECK(gantt.to() - gantt.from() < 3.0);
  // The table of the lanes follows when the range rests: two lanes of at most four steps each.
  REQUIRE(QTest::qWaitFor([&] { return gantt.twin().rowCount() <= 8; }, 5000));
  QSignalSpy pin(&gantt, &Gantt::pin_wanted);
  QTest::keyClick(&gantt, Qt::Key_Down);
  QTest::keyClick(&gantt, Qt::Key_Space);
  REQUIRE(pin.count() == 1);
  CHECK(pin.front().front().toString() == QStringLiteral("best"));
}

TEST_CASE("lanes, pinned lanes and resources show one range, and ranges get names") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(QTest::qWaitFor([&] { return window.workspace().freshness() == Freshness::simulated; },
                          kPatience));
  window.show_screen(QStringLiteral("timeline"));
  Screen* screen = window.current();
  CHECK_FALSE(screen->act(QStringLiteral("bookmark"), QStringLiteral("too early")));
  REQUIRE(screen->act(QStringLiteral("record"), {}));
  REQUIRE(QTest::qWaitFor([&] { return !screen->working(); }, kPatience));
  std::vector<TimeChart*> charts;
  for (const ChartPane* pane : screen->findChildren<ChartPane*>())
    if (auto* chart = qobject_cast<TimeChart*>(pane->chart())) charts.push_back(chart);
  REQUIRE(charts.size() == 3);
  Workspace& workspace = window.workspace();
  const QString lane = screen->findChild<ChartPane*>(QStringLiteral("chart:timeline"))
                           ->twin()
                           .index(0, 0)
                           .data()
                           .toString();
  REQUIRE(screen->act(QStringLiteral("pin_track"), lane));
  CHECK(workspace.marks().tracks == QStringList{lane});
  CHECK(screen->findChild<ChartPane*>(QStringLiteral("chart:pinned"))->isVisible());
  for (TimeChart* moved : charts) {
    moved->show_range(10.0, 20.0);
    moved->show_range(moved->from() + 1.0, moved->to() + 1.0);
    for (const TimeChart* chart : charts) {
      CHECK(chart->from() == moved->from());
      CHECK(chart->to() == moved->to());
    }
  }
  REQUIRE(screen->act(QStringLiteral("bookmark"), QStringLiteral("second save")));
  REQUIRE(screen->act(QStringLiteral("bookmark"), {}));
  REQUIRE(workspace.marks().bookmarks.size() == 2);
  CHECK(workspace.marks().bookmarks[1].name == QStringLiteral("range 1"));
  charts.front()->show_all();
  REQUIRE(screen->act(QStringLiteral("go_to"), QStringLiteral("second save")));
  CHECK(charts.back()->from() == Approx(11.0));
  CHECK(screen->findChild<QLabel*>(QStringLiteral("range"))
            ->text()
            .startsWith(QStringLiteral("11 s to 21 s of ")));
  CHECK_FALSE(screen->act(QStringLiteral("go_to"), QStringLiteral("third save")));
  REQUIRE(screen->act(QStringLiteral("pin_track"), lane));
  CHECK(workspace.marks().tracks.isEmpty());
  // Another scenario begins without marks.
  REQUIRE(window.open_file(QStringLiteral("examples/exercise-512-h100-sync.json")));
  CHECK(workspace.marks() == Marks{});
}

TEST_CASE("the timeline is there on entry, with the first save and the longest wait in sight") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(QStringLiteral("examples/lustre-512-gpus.json")));
  REQUIRE(wait_simulated(window));
  window.show_screen(QStringLiteral("timeline"));
  Screen* screen = window.current();
  auto* pane = screen->findChild<ChartPane*>(QStringLiteral("chart:timeline"));
  REQUIRE(QTest::qWaitFor([&] { return !screen->working() && pane->isVisible(); }, kPatience));
  CHECK(pane->twin().rowCount() > 0);
  auto* lanes = qobject_cast<Gantt*>(pane->chart());
  auto* strip = screen->findChild<TimeStrip*>();
  REQUIRE(strip->isVisible());
  // A save every 10 min; the run lasts 2 h, and all of it was recorded.
  CHECK(lanes->from() < 600.0);
  CHECK(lanes->to() > 600.0);
  CHECK_FALSE(lanes->shows_all());
  const auto cell = [&](int row, int column) {
    return strip->twin().index(row, column).data(RowsModel::kSortRole).toDouble();
  };
  CHECK(cell(0, 2) >= 7200.0);
  CHECK(cell(1, 2) == lanes->to());
  // Dragged along, and by keys.
  const double before = lanes->from(), wide = lanes->to() - lanes->from();
  QTest::mousePress(strip, Qt::LeftButton, {}, QPoint(strip->width() / 2, 8));
  CHECK(lanes->from() > before);
  CHECK(lanes->to() - lanes->from() == Approx(wide));
  const double middle = lanes->from();
  QTest::keyClick(strip, Qt::Key_Left);
  CHECK(lanes->from() < middle);
  QTest::keyClick(strip, Qt::Key_Up);
  CHECK(lanes->to() - lanes->from() == Approx(wide / 2.0));
  QTest::keyClick(strip, Qt::Key_Home);
  CHECK(lanes->shows_all());
  // Another design is recorded anew.
  REQUIRE(window.workspace().document().set(QStringLiteral("jobs[train].checkpoint.every"),
                                            QStringLiteral("\"5 min\"")));
  REQUIRE(wait_simulated(window));
  REQUIRE(QTest::qWaitFor(
      [&] { return !screen->working() && !lanes->shows_all() && lanes->from() < 300.0; },
      kPatience));
}

// A save from 10 s to 12 s, waits of 1 s and of 3 s: what is looked at first holds 10 s to 23 s.
TEST_CASE("the first range holds the first save and the longest wait") {
  GanttData data;
  data.end = 100.0;
  data.lanes.push_back(
      {QStringLiteral("rank"),
       {{10.0, 12.0, GanttData::What::checkpoint, QStringLiteral("checkpoint 1")},
        {15.0, 16.0, GanttData::What::stall, QStringLiteral("wait for data")},
        {20.0, 23.0, GanttData::What::stall, QStringLiteral("wait for data")},
        {30.0, 32.0, GanttData::What::checkpoint, QStringLiteral("checkpoint 2")}}});
  CHECK(first_save(data) == TimeRange{10.0, 12.0});
  CHECK(worst_stall(data) == TimeRange{20.0, 23.0});
  const TimeRange range = notable_range(data);
  CHECK(range.first < 10.0);
  CHECK(range.second > 23.0);
  CHECK(range.second < 30.0);
  CHECK(save_or_stall(data) == 11.0);
  data.lanes.front().spans.clear();
  CHECK(notable_range(data) == TimeRange{0.0, 100.0});
}

}  // namespace timeline_test
