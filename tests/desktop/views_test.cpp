#include <QFile>
#include <QImage>
#include <QPainter>
#include <QTemporaryDir>
#include <catch2/catch.hpp>

#include "ui/desktop/gantt.hpp"
#include "ui/desktop/heat_chart.hpp"
#include "ui/desktop/hop_chart.hpp"
#include "ui/desktop/patch.hpp"
#include "ui/desktop/recorded.hpp"
#include "ui/desktop/step_chart.hpp"
#include "ui/desktop/tornado_chart.hpp"

namespace views_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// `n` steps of 1 s, every tenth followed by a stall of 0.5 s.
GanttData timeline(int n) {
  GanttData out;
  GanttData::Lane lane{QStringLiteral("gpu"), {}};
  double at = 0.0;
  for (int i = 0; i < n; ++i) {
    lane.spans.push_back({at, at + 1.0, GanttData::What::step, QStringLiteral("step")});
    at += 1.0;
    if (i % 10 != 9) continue;
    lane.spans.push_back({at, at + 0.5, GanttData::What::stall, QStringLiteral("stall")});
    at += 0.5;
  }
  out.lanes.push_back(std::move(lane));
  out.end = at;
  return out;
}

}  // namespace

TEST_CASE("changes between two texts name items by id, and comments are none", "[screen]") {
  const QString before = QStringLiteral(R"({ "params": { "n": { "value": 4 } }, "a": 1,
    "storage": [ { "id": "s", "ost": { "count": 2 } } ] })");
  const QString after = QStringLiteral(R"({ "params": { "n": { "value": 8 } }, // more
    "storage": [ { "id": "s", "ost": { "count": 2, "read": "1 GB/s" } } ] })");
  const std::vector<TextChange> changes = changes_between(before, after);
  REQUIRE(changes.size() == 3);
  CHECK(changes[0].path == QStringLiteral("params.n.value"));
  CHECK(changes[1].path == QStringLiteral("a"));
  CHECK(changes[1].after.isEmpty());
  CHECK(changes[2].path == QStringLiteral("storage[s].ost.read"));
  CHECK(changes[2].pointer == QStringLiteral("/storage/0/ost/read"));
  CHECK(json_patch(changes) == QStringLiteral(R"([
  { "op": "replace", "path": "/params/n/value", "value": 8 },
  { "op": "remove", "path": "/a" },
  { "op": "add", "path": "/storage/0/ost/read", "value": "1 GB/s" }
]
)"));
  const SetOptions set = set_options(value_changes(before, after));
  CHECK(set.sets ==
        QStringList{QStringLiteral("params.n=8"), QStringLiteral("storage.s.ost.read=1 GB/s")});
  CHECK(set.left_out == QStringList{QStringLiteral("a")});
  CHECK(changes_between(before, before).empty());
}

TEST_CASE("the timeline goes from stall to stall and shows all again", "[screen]") {
  Gantt gantt(nullptr);
  gantt.resize(800, 200);
  gantt.set(timeline(100));
  CHECK(gantt.from() == 0.0);
  CHECK(gantt.to() == 105.0);
  gantt.show_range(0.0, 2.0);
  REQUIRE(gantt.go_to_stall(true));  // the first lasts from 10 s to 10.5 s
  CHECK((gantt.from() + gantt.to()) / 2.0 == Approx(10.25));
  REQUIRE(gantt.go_to_stall(true));
  CHECK((gantt.from() + gantt.to()) / 2.0 == Approx(20.75));
  REQUIRE(gantt.go_to_stall(false));
  CHECK((gantt.from() + gantt.to()) / 2.0 == Approx(10.25));
  CHECK_FALSE(gantt.go_to_stall(false));
}

TEST_CASE("a stall is painted even where a pixel holds many steps", "[screen]") {
  Gantt gantt(nullptr);
  gantt.resize(400, 120);
  gantt.set(timeline(1000000));
  QImage image(gantt.size(), QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  gantt.paint(painter, QRectF(0, 0, 400, 120), Theme::light());
  painter.end();
  int red = 0;
  for (int x = 0; x < image.width(); ++x)
    for (int y = 0; y < image.height(); ++y)
      red += image.pixelColor(x, y) == Theme::light().bad ? 1 : 0;
  CHECK(red > 100);
  CHECK(gantt.twin().rowCount() <= 5000);
}

// Step 1 holds a wait and a compute: only those are painted, the step that encloses them is not.
TEST_CASE("of what was recorded the innermost spans become lanes", "[screen]") {
  stallcast::Timeline recorded;
  recorded.end_s = 10.0;
  recorded.texts = {"ProfilerStep", "wait for data", "compute", "storage.s.ost"};
  recorded.tracks = {{.kind = "rank", .job = "train", .name = "rank", .chosen = "worst"}};
  recorded.spans = {{.name = 0, .number = 1, .end_s = 3.0},
                    {.depth = 1, .name = 1, .cause = 3, .end_s = 1.0},
                    {.depth = 1, .name = 2, .begin_s = 1.0, .end_s = 3.0}};
  const GanttData lanes = lanes_of(recorded);
  REQUIRE(lanes.lanes.size() == 1);
  CHECK(lanes.lanes[0].name == QStringLiteral("train, worst rank"));
  REQUIRE(lanes.lanes[0].spans.size() == 2);
  CHECK(lanes.lanes[0].spans[0].what == GanttData::What::stall);
  CHECK(lanes.lanes[0].spans[0].text == QStringLiteral("wait for data, OSTs of s"));
  CHECK(lanes.lanes[0].spans[1].what == GanttData::What::step);
}

TEST_CASE("the heat map has a row for each resource with a capacity", "[screen]") {
  stallcast::Timeline recorded;
  recorded.bin_s = 1.0;
  recorded.counters = {{"storage.s.ost", "throughput", "B/s", 10.0, {0.0, 10.0, 5.0}},
                       {"storage.s.ost", "queue", "count", 0.0, {1.0, 1.0, 1.0}}};
  HeatChart chart(nullptr);
  chart.set(recorded);
  REQUIRE(chart.twin().rowCount() == 1);
  CHECK(chart.accessibleDescription() ==
        QStringLiteral("The busiest are OSTs of s, 50.0 % on average"));
}

TEST_CASE("the tornado has the widest bar on top", "[screen]") {
  TornadoChart chart(nullptr);
  chart.set({{QStringLiteral("small"), {}, {}, 0.90, 0.91},
             {QStringLiteral("large"), {}, {}, 0.95, 0.80}},
            QStringLiteral("utilization"), Metric{0.9, "ratio", {}});
  CHECK(chart.bars().front().name == QStringLiteral("large"));
  CHECK(chart.twin().rowCount() == 2);
}

TEST_CASE("the data path begins at the storage, and says what is waited for", "[screen]") {
  HopChart chart(nullptr);
  chart.set({{"host.gpu.nic.read", "B/s", 100.0, 10.0, 20.0, 0.1},
             {"storage.s.ost", "B/s", 50.0, 49.0, 50.0, 0.9}},
            false);
  CHECK(chart.twin().index(0, 0).data().toString() == QStringLiteral("OSTs of s"));
  CHECK(chart.accessibleDescription() ==
        QStringLiteral("90.0 % of all waiting is for the OSTs of s"));
  chart.set_gains({{"storage.s.ost", 0.0}, {"host.gpu.nic.read", 0.031}});
  CHECK(chart.accessibleDescription() ==
        QStringLiteral("NICs of gpu hosts (read): twice as fast saves 3.1 % of the time"));
}

TEST_CASE("a chart is written as PNG, SVG, PDF and CSV, and as nothing else", "[screen]") {
  const QTemporaryDir folder;
  QWidget parent;
  auto* chart = new StepChart(&parent);
  Prediction prediction;
  prediction.breakdown["train"] = {{"compute", 0.75}, {"data", 0.25}};
  chart->set(step_bars(prediction, QStringLiteral("this design"), false));
  ChartPane pane(QStringLiteral("Time"), chart, chart->twin(), &parent);
  QString why_not;
  const std::pair<const char*, QByteArray> kinds[] = {
      {"a.png", "\x89PNG"}, {"a.svg", "<?xml"}, {"a.pdf", "%PDF"}, {"a.csv", "design,"}};
  for (const auto& [name, begin] : kinds) {
    INFO(name);
    REQUIRE(pane.write(folder.filePath(QLatin1String(name)), why_not));
    QFile file(folder.filePath(QLatin1String(name)));
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.read(begin.size()) == begin);
  }
  CHECK_FALSE(pane.write(folder.filePath(QStringLiteral("a.doc")), why_not));
  CHECK_FALSE(pane.write(QStringLiteral("/no/such/folder/a.csv"), why_not));
}

}  // namespace views_test
