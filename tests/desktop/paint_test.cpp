#include <QFontMetricsF>
#include <QImage>
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

// Steps of 5 s that a barrier of 2 ms ends: a pixel of 0.4 s holds the end of a step, the barrier
// and the beginning of the next step.
TEST_CASE("a span of many pixels keeps its length beside one of less than a pixel") {
  GanttData data;
  GanttData::Lane& lane = data.lanes.emplace_back();
  lane.name = QStringLiteral("rank");
  for (int i = 0; i < 60; ++i) {
    const double at = 5.002 * i;
    lane.spans.push_back({at, at + 5.0, GanttData::What::step, {}});
    lane.spans.push_back({at + 5.0, at + 5.002, GanttData::What::stall, {}});
  }
  data.end = 60 * 5.002;
  for (const double zoom : {1.0, 0.3, 0.011}) {
    constexpr int kWidth = 800;
    Gantt gantt(nullptr);
    gantt.resize(kWidth, 80);
    gantt.set(data);
    gantt.show_range(0.0, data.end * zoom);
    const Theme theme = Theme::light();
    QImage image(kWidth, 80, QImage::Format_RGB32);
    image.fill(Qt::magenta);
    QPainter painter(&image);
    gantt.paint(painter, QRectF(0, 0, kWidth, 80), theme);
    painter.end();
    // The first lane begins 1.4 lines of text down; the lower half of it shows long spans.
    const QFontMetricsF metrics(gantt.font());
    int busy = 0, bare = 0;
    const int y = static_cast<int>(metrics.height() * (1.4 + 0.4));
    for (int x = 0; x < kWidth; ++x) {
      const QColor colour = image.pixelColor(x, y);
      busy += colour == theme.causes[0] ? 1 : 0;
      bare += colour == QColor(Qt::magenta) ? 1 : 0;
    }
    INFO("zoom " << zoom << ": " << busy << " pixels of steps, " << bare << " of nothing");
    CHECK(busy > kWidth / 2);
    CHECK(busy > 9 * (kWidth - bare - busy));
  }
}

}  // namespace paint_test
