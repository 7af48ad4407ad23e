#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QRegularExpression>
#include <QTableView>
#include <QToolTip>
#include <QTreeView>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/screen.hpp"

namespace names_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// Paths of metrics, resources and inputs, as JSON and `--set` write them.
bool is_path(const QString& text) {
  static const QRegularExpression path(
      QStringLiteral(R"((^|[\s(])((job|storage|host|tenant|stage|resource)\.\w+\.\w|)"
                     R"((jobs|storage|tenants|cluster\.hosts)\[|params\.))"));
  return path.match(text).hasMatch();
}

/// Where two figures read alike, their paths stand behind them in parentheses.
QString without_path_behind(QString text) {
  static const QRegularExpression behind(QStringLiteral(R"( \([\w.]+\)$)"));
  return text.remove(behind);
}

/// All that can be read on `widget` besides text of files: labels, lists, tables and their heads.
QStringList texts_of(const QWidget& widget) {
  QStringList out;
  for (const QLabel* label : widget.findChildren<QLabel*>())
    if (label->isVisibleTo(&widget)) out << label->text();
  for (const QComboBox* box : widget.findChildren<QComboBox*>())
    for (int i = 0; i < box->count(); ++i) out << without_path_behind(box->itemText(i));
  const auto of_model = [&](const QAbstractItemModel& model) {
    for (int c = 0; c < model.columnCount(); ++c) {
      out << model.headerData(c, Qt::Horizontal).toString();
      for (int r = 0; r < model.rowCount(); ++r) out << model.index(r, c).data().toString();
    }
  };
  for (const QTableView* table : widget.findChildren<QTableView*>()) of_model(*table->model());
  for (Chart* chart : widget.findChildren<Chart*>()) of_model(chart->twin());
  return out;
}

}  // namespace

TEST_CASE("screens name figures, resources and inputs in words") {
  // One job, two of them with others on their storage, and a pipeline.
  const char* file = GENERATE("tests/desktop/light.json", "scenarios/library/qos-two-jobs.json",
                              "scenarios/library/ingest-to-archive.json");
  INFO(file);
  MainWindow window(settings(2), {});
  window.show();
  REQUIRE(window.open_file(QLatin1String(file)));
  REQUIRE(wait_simulated(window));
  for (Screen* screen : window.screens()) {
    const QString name = screen->objectName();
    if (name == QLatin1String("scenario")) continue;  // the file, by its own names
    REQUIRE(window.show_screen(name));
    REQUIRE(QTest::qWaitFor([&] { return !screen->working(); }, kPatience));
    INFO(name.toStdString());
    const auto* warnings = screen->findChild<QLabel*>(QStringLiteral("warnings_line"));
    for (const QString& text : texts_of(*screen)) {
      if (warnings != nullptr && text == warnings->text()) continue;  // word for word as in reports
      INFO(text.toStdString());
      CHECK_FALSE(is_path(text));
    }
  }
}

// Somebody else's scenario may call a target anything.
TEST_CASE("names of a scenario are text, whatever they look like") {
  MainWindow window(settings(), {});
  const QString bad = QStringLiteral("<b>a</b><img src=\"x.png\">");
  auto* label = new QLabel(bad, &window);
  auto* meant = new QLabel(bad, &window);
  meant->setTextFormat(Qt::RichText);
  window.show();
  CHECK(label->textFormat() == Qt::PlainText);
  CHECK(label->text() == bad);
  CHECK(meant->textFormat() == Qt::RichText);
  for (const QLabel* shown : window.findChildren<QLabel*>())
    if (shown->isVisible()) CHECK(shown->textFormat() != Qt::AutoText);
  QToolTip::showText(QPoint(10, 10), bad, &window);
  for (const QWidget* top : QApplication::topLevelWidgets())
    if (const auto* tip = qobject_cast<const QLabel*>(top))
      CHECK(tip->textFormat() == Qt::PlainText);
}

TEST_CASE("what a job reads is counted in samples, as in reports") {
  MainWindow window(settings(2), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  const Prediction& found = *window.workspace().simulated();
  const auto samples = find_metric(found, QStringLiteral("job.train.throughput.samples"));
  REQUIRE(samples);
  CHECK(metric_text(*samples).endsWith(QStringLiteral("samples/s")));
  CHECK(found.metrics.at("job.train.throughput.samples").unit == "1/s");  // as results have it
  CHECK_FALSE(find_metric(found, QStringLiteral("job.train.nothing")));
}

TEST_CASE("a list of figures finds them by their path, and tells those apart that read alike") {
  QComboBox box;
  set_choices(box, {{QStringLiteral("stall"), QStringLiteral("job.a.stall")},
                    {QStringLiteral("stall"), QStringLiteral("job.b.stall")},
                    {QStringLiteral("step time"), QStringLiteral("job.a.step.time")}});
  CHECK(box.itemText(0) == QStringLiteral("stall (job.a.stall)"));
  CHECK(box.itemText(2) == QStringLiteral("step time"));
  CHECK(chosen_path(box) == QStringLiteral("job.a.stall"));
  REQUIRE(choose_path(box, QStringLiteral("job.a.step.time")));
  CHECK_FALSE(choose_path(box, QStringLiteral("step time")));
  // The choice stays where the list changes, and goes to the first where it is no more.
  set_choices(box, {{QStringLiteral("goodput"), QStringLiteral("job.a.goodput")},
                    {QStringLiteral("step time"), QStringLiteral("job.a.step.time")}});
  CHECK(chosen_path(box) == QStringLiteral("job.a.step.time"));
  set_choices(box, {{QStringLiteral("goodput"), QStringLiteral("job.a.goodput")}});
  CHECK(chosen_path(box) == QStringLiteral("job.a.goodput"));
  CHECK(box.toolTip() == QStringLiteral("goodput\njob.a.goodput"));
}

}  // namespace names_test
