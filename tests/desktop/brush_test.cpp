#include <QChart>
#include <QTest>
#include <QXYSeries>
#include <algorithm>
#include <catch2/catch.hpp>

#include "ui/desktop/xy_chart.hpp"

namespace brush_test {

using namespace stallcast::desktop;

namespace {

/// Three designs over a line through all of them: cost to the right, utilization upwards.
struct Shown {
  Shown() {
    chart.resize(640, 480);
    chart.show();
    const std::vector<QPointF> points{{1e6, 0.80}, {2e6, 0.90}, {4e6, 0.95}};
    chart.set({{QStringLiteral("frontier"), XyChart::Kind::line, Qt::blue, points},
               {QStringLiteral("designs"), XyChart::Kind::points, Qt::green, points}},
              {QStringLiteral("cost"), "USD"}, {QStringLiteral("utilization"), "ratio"},
              QStringLiteral("three designs"));
    QCoreApplication::processEvents();
    QObject::connect(&chart, &XyChart::brushed, &chart, [this](const std::vector<QPointF>& inside) {
      brushed = inside;
      ++times;
    });
    QObject::connect(&chart, &XyChart::chosen, &chart, [this](QPointF at) { chosen = at; });
  }
  /// Where the point `i` of the designs is painted.
  [[nodiscard]] QPoint place(int i) const {
    auto* series = static_cast<QXYSeries*>(chart.chart()->series().back());
    return chart.mapFromScene(
        chart.chart()->mapToScene(chart.chart()->mapToPosition(series->at(i), series)));
  }
  void drag(QPoint from, QPoint to) {
    QTest::mousePress(chart.viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(chart.viewport(), to);
    QTest::mouseRelease(chart.viewport(), Qt::LeftButton, {}, to);
  }
  XyChart chart{nullptr};
  std::vector<QPointF> brushed;
  int times = 0;
  QPointF chosen;
};

}  // namespace

TEST_CASE("what is drawn around is brushed, each point once and in base units") {
  Shown it;
  it.drag(it.place(0) + QPoint(-9, 9), it.place(1) + QPoint(9, -9));
  CHECK(it.brushed == std::vector<QPointF>{{1e6, 0.80}, {2e6, 0.90}});
  it.drag(it.place(2) + QPoint(9, -9), it.place(2) + QPoint(-9, 9));  // from the other corner
  CHECK(it.brushed == std::vector<QPointF>{{4e6, 0.95}});
}

TEST_CASE("a click brushes nothing, an empty rectangle brushes no point") {
  Shown it;
  QTest::mouseClick(it.chart.viewport(), Qt::LeftButton, {}, it.place(1));
  CHECK(it.times == 0);
  it.drag(it.place(0) + QPoint(-9, -40), it.place(0) + QPoint(9, -12));
  CHECK(it.times == 1);
  CHECK(it.brushed.empty());
}

TEST_CASE("a double click chooses the point below it, and none far from all") {
  Shown it;
  QTest::mouseDClick(it.chart.viewport(), Qt::LeftButton, {}, it.place(1));
  CHECK(it.chosen == QPointF(2e6, 0.90));
  it.chosen = {};
  QTest::mouseDClick(it.chart.viewport(), Qt::LeftButton, {}, it.place(0) + QPoint(80, -120));
  CHECK(it.chosen == QPointF());
}

}  // namespace brush_test
