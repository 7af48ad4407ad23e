#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <catch2/catch.hpp>

#include "ui/desktop/gantt.hpp"

namespace paint_test {

using namespace stallcast::desktop;

namespace {

/// Paints nothing, and counts what it was asked to paint.
class CountingEngine : public QPaintEngine {
 public:
  CountingEngine() : QPaintEngine(QPaintEngine::AllFeatures) {}
  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  void updateState(const QPaintEngineState&) override {}
  void drawRects(const QRectF*, int n) override { count += n; }
  void drawRects(const QRect*, int n) override { count += n; }
  void drawLines(const QLineF*, int n) override { count += n; }
  void drawLines(const QLine*, int n) override { count += n; }
  void drawPath(const QPainterPath&) override { ++count; }
  void drawPolygon(const QPointF*, int, PolygonDrawMode) override { ++count; }
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override { ++count; }
  void drawTextItem(const QPointF&, const QTextItem&) override { ++count; }
  [[nodiscard]] Type type() const override { return QPaintEngine::User; }
  int count = 0;
};

class CountingDevice : public QPaintDevice {
 public:
  [[nodiscard]] QPaintEngine* paintEngine() const override { return &engine; }
  mutable CountingEngine engine;

 protected:
  [[nodiscard]] int metric(PaintDeviceMetric metric) const override {
    switch (metric) {
      case PdmWidth:
      case PdmHeight:
      case PdmWidthMM:
      case PdmHeightMM:
        return 4000;
      case PdmDevicePixelRatio:
      case PdmNumColors:
        return 1;
      case PdmDepth:
        return 32;
      default:
        return 96;
    }
  }
};

/// `lanes` with `each` steps of 0.9 s, each followed by a stall of 0.1 s.
GanttData timeline(int lanes, int each) {
  GanttData out;
  for (int lane = 0; lane < lanes; ++lane) {
    GanttData::Lane& l = out.lanes.emplace_back();
    l.name = QStringLiteral("rank %1").arg(lane);
    for (int i = 0; i < each / 2; ++i) {
      const double at = i;
      l.spans.push_back({at, at + 0.9, GanttData::What::step, QStringLiteral("compute")});
      l.spans.push_back({at + 0.9, at + 1.0, GanttData::What::stall, QStringLiteral("wait")});
    }
  }
  out.end = each / 2.0;
  return out;
}

}  // namespace

// Ten lanes of 100,000 spans over 1,000 pixels: two kinds a pixel, so at most 2 x 10 x 1,000
// rectangles and a label a lane, whatever the number of spans.
TEST_CASE("a million spans are painted as so many rectangles as there are pixels, not spans") {
  constexpr int kLanes = 10, kWidth = 1000;
  Gantt gantt(nullptr);
  gantt.resize(kWidth, 400);
  gantt.set(timeline(kLanes, 100'000));
  CountingDevice device;
  QPainter painter(&device);
  gantt.paint(painter, QRectF(0, 0, kWidth, 400), Theme::light());
  painter.end();
  CHECK(device.engine.count > kLanes);
  CHECK(device.engine.count < 2 * kLanes * kWidth + 100);
}

TEST_CASE("a small part of a million spans is painted span by span, with its names") {
  Gantt gantt(nullptr);
  gantt.resize(1000, 400);
  gantt.set(timeline(10, 100'000));
  gantt.show_range(1000.0, 1005.0);
  CountingDevice device;
  QPainter painter(&device);
  gantt.paint(painter, QRectF(0, 0, 1000, 400), Theme::light());
  painter.end();
  // Eleven spans of each kind at most (the range begins within one), with a text each, and 100
  // for lanes and axis.
  CHECK(device.engine.count >= 10 * 10);
  CHECK(device.engine.count <= 10 * (22 + 22) + 100);
}

}  // namespace paint_test
