#include <QChart>
#include <QImage>
#include <QLineSeries>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QValueAxis>
#include <catch2/catch.hpp>
#include <set>

#include "tests/desktop/support.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/fall_chart.hpp"
#include "ui/desktop/picture_chart.hpp"
#include "ui/desktop/plan_pane.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/step_chart.hpp"
#include "ui/desktop/sweep_points.hpp"
#include "ui/desktop/xy_chart.hpp"

namespace charts_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// Points of "n" and "w", three values by two, with a utilization each.
SweepReport grid() {
  SweepReport out;
  out.axes = {"params.n", "storage.s.ost.write"};
  for (int n = 1; n <= 3; ++n)
    for (int w = 1; w <= 2; ++w) {
      SweepRow row;
      row.values = {std::to_string(n), std::to_string(w) + " GB/s"};
      row.numbers = {SweepFigure{n * 1.0, ""}, SweepFigure{w * 1e9, "B/s"}};
      row.outcome.emplace();
      row.outcome->metrics["job.train.gpu.utilization"] = {0.3 * n + 0.02 * w, "ratio", {}};
      out.rows.push_back(std::move(row));
    }
  return out;
}

std::vector<XyChart::Series> of_kind(const std::vector<XyChart::Series>& all, XyChart::Kind kind) {
  std::vector<XyChart::Series> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const XyChart::Series& s) { return s.kind == kind; });
  return out;
}

/// Pixels of `colour` in the rows from `top` to `bottom`.
int count_of(const QImage& image, const QColor& colour, int top, int bottom) {
  int out = 0;
  for (int y = std::max(0, top); y < std::min(image.height(), bottom); ++y)
    for (int x = 0; x < image.width(); ++x) out += image.pixelColor(x, y) == colour ? 1 : 0;
  return out;
}

}  // namespace

TEST_CASE("a sweep over an input has a coloured line for each value of the other, and the target") {
  const SweepReport sweep = grid();
  const Theme& theme = Theme::light();
  const SweepFigures n = figures_of(sweep, QStringLiteral("params.n")),
                     use = figures_of(sweep, QStringLiteral("job.train.gpu.utilization"));
  const std::vector<bool> frontier = frontier_of(sweep, n, use);
  const auto over_input = series_of(sweep, n, use, frontier, {}, 0.9, theme);
  const auto lines = of_kind(over_input, XyChart::Kind::line);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].name == QStringLiteral("1 GB/s OST write of s"));
  CHECK(lines[1].name == QStringLiteral("2 GB/s OST write of s"));
  CHECK(lines[0].colour != lines[1].colour);
  CHECK(lines[0].points.size() == 3);
  const auto limits = of_kind(over_input, XyChart::Kind::limit);
  REQUIRE(limits.size() == 1);
  CHECK(limits[0].points == std::vector<QPointF>{{1.0, 0.9}, {3.0, 0.9}});
  // Over a figure the frontier is the line.
  const auto over_figure = series_of(sweep, use, use, frontier, {}, {}, theme);
  CHECK(of_kind(over_figure, XyChart::Kind::line).size() <= 1);
  CHECK(of_kind(over_figure, XyChart::Kind::limit).empty());
  // As drawn: the target is dashed, the lines are not.
  XyChart chart(nullptr);
  chart.resize(600, 400);
  chart.show();
  chart.set(over_input, {n.name, n.unit, false}, {use.name, use.unit, false}, {});
  QTest::qWait(20);
  std::set<QRgb> colours;
  int dashed = 0;
  for (QAbstractSeries* s : chart.chart()->series())
    if (auto* line = qobject_cast<QLineSeries*>(s)) {
      dashed += line->pen().style() == Qt::DashLine ? 1 : 0;
      if (line->pen().style() == Qt::SolidLine) colours.insert(line->pen().color().rgb());
    }
  CHECK(dashed == 1);
  CHECK(colours.size() == 2);
}

// 100 % - 4 % - 1 % = 95 %: of 1000 pixels a row, 40, 10 and 950, each beginning where the one
// above it ends.
TEST_CASE("the waterfall takes each cause off of what is left, in the colours of causes") {
  FallChart chart(nullptr);
  chart.set({{{}, {{"compute", 0.95}, {"checkpoint", 0.04}, {"data", 0.01}}, {}}}, false);
  CHECK(chart.accessibleDescription().startsWith(QStringLiteral("100 % - ")));
  CHECK(chart.accessibleDescription().endsWith(QStringLiteral("95.0 %")));
  REQUIRE(chart.twin().rowCount() == 3);
  CHECK(chart.twin().index(0, 2).data().toString() == QStringLiteral("96.0 %"));
  const Theme& theme = Theme::light();
  QImage image(1000, 200, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setFont(chart.font());
  chart.paint(painter, QRectF(0, 0, 1000, 200), theme);
  painter.end();
  const auto cause = [&](const char* name) {
    for (std::size_t i = 0; i < kBreakdownCauses.size(); ++i)
      if (std::string_view(kBreakdownCauses[i]) == name) return theme.causes[i];
    return QColor();
  };
  int bars[3] = {0, 0, 0}, from = 1000;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 1000; ++x) {
      const QColor colour = image.pixelColor(x, y);
      if (colour == cause("checkpoint")) ++bars[0], from = std::min(from, x);
      if (colour == cause("data")) ++bars[1];
      if (colour == cause("compute")) ++bars[2];
    }
  CHECK(from >= 958);
  CHECK(bars[0] / 4 == Approx(bars[1]).epsilon(0.3));
  CHECK(bars[2] / 23.75 == Approx(bars[0]).epsilon(0.1));
}

TEST_CASE("the waterfall marks what nine in ten outcomes are within") {
  const auto dark = [](std::optional<std::pair<double, double>> outcomes) {
    FallChart chart(nullptr);
    chart.set({{{}, {{"compute", 0.9}, {"checkpoint", 0.1}}, outcomes}}, false);
    QImage image(1000, 150, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    chart.paint(painter, QRectF(0, 0, 1000, 150), Theme::light());
    painter.end();
    return count_of(image, Theme::light().text, 0, 150);
  };
  // A line of 100 pixels, two high.
  CHECK(dark(std::pair{0.85, 0.95}) > dark({}) + 150);
}

TEST_CASE("what a job computes has the outcomes of its goodput, not of its utilization") {
  Prediction p;
  p.breakdown["train"] = {{"compute", 0.9}, {"restart", 0.06}, {"cpu", 0.04}};
  p.metrics["job.train.gpu.utilization"] = {0.93, "ratio", {}, std::pair{0.91, 0.95}};
  p.metrics["job.train.goodput"] = {0.9, "ratio", {}, std::pair{0.8, 0.92}};
  p.metrics["job.train.waited.host.gpu.gpu.decode"] = {1.0, "s", {}};
  FallChart chart(nullptr);
  chart.set(fall_jobs(p), false);
  REQUIRE(chart.twin().rowCount() == 3);
  CHECK(chart.twin().index(2, 3).data().toString() == QStringLiteral("80.0 % to 92.0 %"));
  CHECK(chart.twin().index(1, 0).data().toString() == QStringLiteral("waiting for GPU decoders"));
}

TEST_CASE("a plan is a chart: utilization with its band, the target, the fewest, and the cost") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(window.workspace().document().append(
      QStringLiteral("expect"),
      QStringLiteral("{ \"id\": \"use\", \"that\": \"job.train.gpu.utilization >= 90 %\" }")));
  REQUIRE(wait_simulated(window));
  PlanPane pane(window.workspace(), nullptr);
  pane.resize(600, 600);
  std::vector<PlanPane::Point> points;
  for (int i = 1; i <= 4; ++i) {
    const double use = 0.8 + 0.04 * i;
    points.push_back({8 * i, use >= 0.9,
                      Metric{use, "ratio", {}, std::pair{use - 0.02, use + 0.01}},
                      Metric{1e6 * i, "USD", {}}});
  }
  pane.show_points(points, 2, QStringLiteral("OSTs"));
  const QList<XyChart*> charts = pane.findChildren<XyChart*>();
  REQUIRE(charts.size() == 2);
  int bands = 0, dashed = 0;
  std::vector<QPointF> rings;
  for (QAbstractSeries* s : charts[0]->chart()->series()) {
    bands += s->type() == QAbstractSeries::SeriesTypeArea ? 1 : 0;
    auto* line = qobject_cast<QXYSeries*>(s);
    if (line == nullptr) continue;
    if (line->pen().style() == Qt::DashLine) {
      ++dashed;
      CHECK(line->at(0).y() == Approx(90.0));
    }
    if (line->name() == QStringLiteral("fewest that do")) rings.push_back(line->at(0));
  }
  CHECK(bands == 1);
  CHECK(dashed == 1);
  REQUIRE(rings.size() == 1);
  CHECK(rings[0].x() == 24.0);
  CHECK(charts[1]->accessibleDescription() == QStringLiteral("Cost of 4 designs"));
  pane.show_points({points[0], points[1]}, {}, QStringLiteral("OSTs"));
  for (PlanPane::Point& p : points) p.cost.reset();
  pane.show_points(points, 2, QStringLiteral("OSTs"));
  CHECK(pane.findChild<ChartPane*>(QStringLiteral("chart:plan_cost"))->isHidden());
}

TEST_CASE("a share's axis ends at 100 %, and a large number's is written with a letter") {
  XyChart chart(nullptr);
  chart.set({{QStringLiteral("m"), XyChart::Kind::line, Qt::blue, {{1e12, 0.1}, {3e12, 0.97}}}},
            {QStringLiteral("parameters"), "count"}, {QStringLiteral("GPU utilization"), "ratio"},
            {});
  const auto* across = qobject_cast<QValueAxis*>(chart.chart()->axes(Qt::Horizontal).front());
  const auto* up = qobject_cast<QValueAxis*>(chart.chart()->axes(Qt::Vertical).front());
  REQUIRE((across != nullptr && up != nullptr));
  CHECK(across->titleText() == QStringLiteral("parameters [T]"));
  CHECK(across->max() < 10.0);
  CHECK(up->max() == 100.0);
}

TEST_CASE("where the time goes has the words and the digits of reports") {
  StepChart chart(nullptr);
  // Each is rounded as everywhere, though 11.8 + 87.6 + 0.5 are a tenth less than 100 %.
  chart.set({{QStringLiteral("this design"),
              {{"compute", 0.1184}, {"checkpoint", 0.8764}, {"sync", 0.0052}}}});
  const QString said = chart.accessibleDescription();
  CHECK(said.contains(QStringLiteral("saving checkpoints 87.6 %")));
  CHECK(said.contains(QStringLiteral("waiting for the slowest rank 0.5 %")));
  CHECK_FALSE(said.contains(QStringLiteral("sync")));
}

TEST_CASE("a system in little room has its boxes below each other, large enough to read") {
  Prediction prediction;
  for (int i = 0; i < 4; ++i) {
    PictureBox box;
    box.title = "box";
    box.x = 260.0 * i;
    box.width = 200.0;
    box.height = 100.0;
    prediction.picture.boxes.push_back(box);
  }
  prediction.picture.width = 980.0;
  prediction.picture.height = 100.0;
  PictureChart chart(nullptr);
  chart.set(prediction);
  chart.resize(1000, 400);
  const int wide = chart.minimumSizeHint().height();
  chart.resize(200, 400);
  // Four boxes of letters that are two thirds of the program's, of 13 to a line.
  CHECK(chart.minimumSizeHint().height() > 4 * 100 / 13 * chart.fontMetrics().height() / 2);
  CHECK(chart.minimumSizeHint().height() > wide);
}

// 8 host classes below each other are 8 times 248 high, in letters that are 0.55 of a line at
// least.
TEST_CASE("a high system keeps letters that can be read, and its table tells classes apart") {
  Prediction prediction;
  for (int i = 0; i < 8; ++i) {
    PictureBox box;
    box.path = "cluster.hosts[h" + std::to_string(i) + "]";
    box.title = "1 x NVIDIA DGX H100";
    box.parts = {{"NICs", "2", {}, {}}};
    box.y = 248.0 * i;
    box.width = 220.0, box.height = 224.0;
    prediction.picture.boxes.push_back(box);
  }
  prediction.picture.width = 236.0;
  prediction.picture.height = 8 * 248.0;
  PictureChart chart(nullptr);
  chart.set(prediction);
  chart.resize(700, 400);
  CHECK(chart.minimumSizeHint().height() ==
        Approx(8 * 248.0 * 0.55 * chart.fontMetrics().height() / 13.0).epsilon(0.01));
  REQUIRE(chart.twin().rowCount() == 8);
  CHECK(chart.twin().index(0, 0).data().toString() == QStringLiteral("h0"));
  CHECK(chart.twin().index(7, 0).data().toString() == QStringLiteral("h7"));
  CHECK(chart.twin().index(7, 1).data().toString() == QStringLiteral("1 x NVIDIA DGX H100"));
}

TEST_CASE("every chart can be saved as a picture by a button next to it") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  const QTemporaryDir folder;
  int panes = 0;
  for (Screen* screen : window.screens())
    for (const ChartPane* pane : screen->findChildren<ChartPane*>()) {
      INFO(pane->title().toStdString());
      auto* save = pane->findChild<QToolButton*>(QStringLiteral("save_chart"));
      REQUIRE(save != nullptr);
      CHECK(save->accessibleName().contains(pane->title()));
      ++panes;
      for (const char* ending : {"png", "svg"}) {
        QString why_not;
        CHECK(
            pane->write(folder.filePath(QStringLiteral("%1.%2").arg(panes).arg(ending)), why_not));
      }
    }
  CHECK(panes > 8);
}

}  // namespace charts_test
