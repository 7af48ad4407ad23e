#include <QAbstractItemModelTester>
#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>
#include <QTableView>
#include <catch2/catch.hpp>
#include <memory>

#include "ui/desktop/figures.hpp"
#include "ui/desktop/gauge_chart.hpp"
#include "ui/desktop/rows_model.hpp"
#include "ui/desktop/step_chart.hpp"

namespace models_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// What `chart` paints in so much room, as SVG: its texts can be found there.
QString painted(Chart& chart, int width) {
  QBuffer file;
  QSvgGenerator svg;
  svg.setOutputDevice(&file);
  svg.setSize({width, 300});
  QPainter painter(&svg);
  painter.setFont(chart.font());
  chart.paint(painter, QRectF(0, 0, width, 300), Theme::light());
  painter.end();
  return QString::fromUtf8(file.data());
}

}  // namespace

TEST_CASE("a table of rows keeps the rules of item models while its rows change") {
  RowsModel model({QStringLiteral("name"), QStringLiteral("share")});
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const std::unique_ptr<QTableView> view(table_of(model, QStringLiteral("test"), nullptr));
  for (const int rows : {0, 3, 3, 1, 7, 0}) {
    std::vector<Row> next;
    for (int i = 0; i < rows; ++i)
      next.push_back({Cell(QString::number(i)), Cell(QStringLiteral("%1 %").arg(i), 0.01 * i)});
    model.set(std::move(next));
    CHECK(model.rowCount() == rows);
    CHECK(view->model()->rowCount() == rows);
  }
  model.set({QStringLiteral("one")}, {{Cell(QStringLiteral("a"))}});
  CHECK(model.columnCount() == 1);
}

TEST_CASE("a table is sorted by numbers, not by their text") {
  RowsModel model({QStringLiteral("value")});
  const std::unique_ptr<QTableView> view(table_of(model, QStringLiteral("test"), nullptr));
  model.set({{Cell(QStringLiteral("9 s"), 9.0)},
             {Cell(QStringLiteral("10 s"), 10.0)},
             {Cell(QStringLiteral("1 h"), 3600.0)}});
  view->sortByColumn(0, Qt::DescendingOrder);
  CHECK(view->model()->index(0, 0).data().toString() == QStringLiteral("1 h"));
  CHECK(view->model()->index(2, 0).data().toString() == QStringLiteral("9 s"));
}

TEST_CASE("CSV quotes what has commas and writes numbers in base units") {
  RowsModel model({QStringLiteral("a,b"), QStringLiteral("rate")});
  model.set({{Cell(QStringLiteral("say \"x\"")), Cell(QStringLiteral("4 GB/s"), 4e9)}});
  CHECK(model.csv() == QStringLiteral("\"a,b\",rate\r\n\"say \"\"x\"\"\",4000000000\r\n"));
}

TEST_CASE("what a part would save stands with what was tried of it") {
  Prediction p;
  p.gains.emplace().noise = 0.001;
  const Bottleneck failures{"job.train.failures", 0.0, 0.0, "", Gain{0.058, 0.0, "", ""}};
  const Bottleneck ost{"storage.scratch.ost", 0.5, 0.9, "", Gain{0.0, 0.0, "", ""}};
  CHECK(saved_cell(failures, p).text == QStringLiteral("5.8 %\nwithout them"));
  CHECK(saved_cell(failures, p).tip == QStringLiteral("without them: 5.8 % less time"));
  CHECK(saved_cell(ost, p).text == QStringLiteral("nothing\ntwice as fast"));
  CHECK(saved_cell({"storage.scratch.mdt", 0.0, 0.0, ""}, p).text == QStringLiteral("\u2013"));
}

TEST_CASE("the twin of the step bar has one row a design and one column a cause") {
  Prediction prediction;
  prediction.breakdown["train"] = {{"compute", 0.9}, {"checkpoint", 0.1}};
  StepChart chart(nullptr);
  QAbstractItemModelTester tester(&chart.twin(),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
  chart.set(step_bars(prediction, QStringLiteral("this design"), false));
  CHECK(chart.twin().rowCount() == 1);
  CHECK(chart.twin().columnCount() == static_cast<int>(kBreakdownCauses.size()) + 1);
  CHECK(chart.accessibleDescription() ==
        QStringLiteral("this design: compute 90.0 %, saving checkpoints 10.0 %"));
}

TEST_CASE("the legend has the shares of each bar below its name, or of none") {
  Prediction prediction;
  prediction.breakdown["production"] = {{"compute", 0.949}, {"data", 0.051}};
  prediction.breakdown["research"] = {{"compute", 0.25}, {"data", 0.75}};
  StepChart chart(nullptr);
  chart.set(step_bars(prediction, QStringLiteral("this design"), false));
  const QString wide = painted(chart, 600);
  for (const char* text : {">production<", ">research<", ">5.1 %<", ">75.0 %<"})
    CHECK(wide.contains(QLatin1String(text)));
  CHECK(wide.count(QStringLiteral(">25.0 %<")) == 2);  // in the bar, and in the legend
  CHECK_FALSE(painted(chart, 160).contains(QStringLiteral(">5.1 %<")));
}

TEST_CASE("a target keeps its limit where there is little room for its name") {
  Prediction prediction;
  AssertionOutcome a{"first", "pipeline.first_batch < 3 d", 1.9 * 86400.0, "s", "pass", "error", "",
                     ""};
  a.metric = "pipeline.first_batch", a.limit = 3.0 * 86400.0;
  prediction.assertions = {a};
  GaugeChart chart(nullptr);
  chart.set(prediction, false);
  CHECK(chart.twin().index(0, 1).data().toString() ==
        QStringLiteral("first batch of the pipeline after < 3 d"));
  CHECK(painted(chart, 300).contains(QStringLiteral(" &lt; 3 d<")));
}

TEST_CASE("a target that misses its confidence alone says how often it holds, not that it is off") {
  Prediction prediction;
  AssertionOutcome a{"cap", "cost.capex <= 380 kUSD", 357e3, "USD", "fail", "error", "", ""};
  a.metric = "cost.capex", a.limit = 380e3;
  CHECK(margin_text(a) == QStringLiteral("+6.1 %"));
  a.confidence = 0.8, a.probability = 0.67;
  prediction.assertions = {a};
  GaugeChart chart(nullptr);
  chart.set(prediction, false);
  CHECK(chart.twin().index(0, 3).data().toString() == QStringLiteral("holds in 67 %, need 80"));
}

TEST_CASE("what waits for GPUs that decode is not said to wait for CPU cores") {
  Prediction prediction;
  prediction.breakdown["train"] = {{"compute", 0.9}, {"cpu", 0.1}};
  prediction.metrics["job.train.waited.host.gpu.gpu.decode"] = {1.0, "s", {}};
  StepChart chart(nullptr);
  chart.set(step_bars(prediction, QStringLiteral("this design"), false));
  CHECK(chart.accessibleDescription() ==
        QStringLiteral("this design: compute 90.0 %, waiting for GPU decoders 10.0 %"));
}

TEST_CASE("a range has the middle of outcomes that the figure is outside of") {
  const Metric outside{0.004, "s", {}, std::pair{0.01, 0.4}, 0.07};
  CHECK(range_text(outside) == QStringLiteral("90 % of outcomes 10 ms to 400 ms, middle 70 ms"));
  const Metric inside{0.1, "s", {}, std::pair{0.01, 0.4}, 0.07};
  CHECK(range_text(inside) == QStringLiteral("90 % of outcomes 10 ms to 400 ms"));
}

TEST_CASE("a change is said in points of a ratio, else in percent, and with its direction") {
  const Metric low{0.90, "ratio", {}}, high{0.93, "ratio", {}};
  CHECK(delta_text(low, high) == QStringLiteral("+3.0 points"));
  CHECK(delta_sign(QStringLiteral("job.train.gpu.utilization"), low, high) == 1);
  const Metric fast{2.0, "s", {}}, slow{3.0, "s", {}};
  CHECK(delta_text(fast, slow) == QStringLiteral("+50 %"));
  CHECK(delta_sign(QStringLiteral("job.train.step.time"), fast, slow) == -1);
  CHECK(delta_text(fast, fast) == QStringLiteral("as before"));
}

}  // namespace models_test
