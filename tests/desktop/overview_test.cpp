#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <set>

#include "stallcast/label.hpp"
#include "tests/desktop/support.hpp"
#include "ui/app/run_report.hpp"
#include "ui/desktop/advice_pane.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/gantt.hpp"
#include "ui/desktop/gauge_chart.hpp"
#include "ui/desktop/heat_chart.hpp"
#include "ui/desktop/knobs_pane.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/part_pane.hpp"
#include "ui/desktop/picture_chart.hpp"
#include "ui/desktop/recorded.hpp"
#include "ui/desktop/response_chart.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

namespace overview_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

QString text_of(const MainWindow& window, const char* label) {
  return window.current()->findChild<QLabel*>(QLatin1String(label))->text();
}

/// As it begins a sentence.
QString sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return QString::fromStdString(text);
}

std::vector<Alternative> useful(const Prediction& p) {
  std::vector<Alternative> out;
  for (const Alternative& a : p.alternatives)
    if (report::is_useful(a, p)) out.push_back(a);
  return out;
}

}  // namespace

TEST_CASE("the overview says of verdict, limit, targets and changes what reports say") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  const Prediction& p = *window.workspace().simulated();
  CHECK(text_of(window, "verdict_line") ==
        QStringLiteral("\u2717 ") + sentence(report::verdict_phrase(p)));
  CHECK(text_of(window, "system_line") == QString::fromStdString(p.system));
  CHECK(text_of(window, "limit_line") == sentence(report::limit_phrase(p)));
  CHECK(text_of(window, "advice_line") == sentence(report::advice_phrase(p)));
  for (std::size_t i = 0; i < std::min<std::size_t>(p.warnings.size(), 2); ++i)
    CHECK(text_of(window, "warnings_line").contains(QString::fromStdString(p.warnings[i])));
  CHECK_FALSE(text_of(window, "cost_line").isEmpty());
  auto* gauges = window.current()->findChild<GaugeChart*>();
  REQUIRE(gauges->twin().rowCount() == static_cast<int>(p.assertions.size()));
  for (int i = 0; i < gauges->twin().rowCount(); ++i) {
    const AssertionOutcome& a = p.assertions[static_cast<std::size_t>(i)];
    CHECK(gauges->twin().index(i, 1).data().toString().toStdString() == report::target_phrase(a));
    CHECK(gauges->twin().index(i, 2).data().toString().toStdString() == report::print_predicted(a));
    CHECK(gauges->twin().index(i, 3).data().toString().startsWith(u'-'));  // both are missed
  }
  const std::vector<Alternative> changes = useful(p);
  REQUIRE(changes.size() >= 2);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto* card = window.current()->findChild<QWidget*>(QStringLiteral("advice:%1").arg(i));
    REQUIRE(card != nullptr);
    const auto labels = card->findChildren<QLabel*>();
    REQUIRE(labels.size() == 2);
    CHECK(labels[0]->text().toStdString() == label::of_change(changes[i].change));
    CHECK(labels[1]->text().toStdString().starts_with(report::gain_text(changes[i], p)));
    CHECK(labels[1]->text().toStdString().ends_with(report::cost_phrase(changes[i])));
  }
}

TEST_CASE("what is advised is what the report of the same scenario advises") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  client::Session session(settings());
  const client::Reading reading = session.read({.file = kMissed.toStdString()});
  REQUIRE(reading.scenario);
  const auto report = client::run_report(session, *reading.scenario, {.timeline = false});
  REQUIRE(report.ok());
  CHECK(report::advice_phrase(report->prediction) ==
        report::advice_phrase(*window.workspace().simulated()));
}

TEST_CASE("applying a change is one step of undo, and makes what its card says") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  Workspace& w = window.workspace();
  const QString before = w.document().text();
  const std::vector<Alternative> changes = useful(*w.simulated());
  for (std::size_t i = 0; i < 2; ++i) {
    INFO(changes[i].set);
    REQUIRE(wait_advised(window));
    auto* card = window.current()->findChild<QWidget*>(QStringLiteral("advice:%1").arg(i));
    REQUIRE(card != nullptr);
    card->findChild<QPushButton*>(QStringLiteral("apply"))->click();
    REQUIRE(QTest::qWaitFor([&] { return w.document().text() != before; }, 5000));
    CHECK(w.document().undo_stack().count() == 1);
    REQUIRE(wait_simulated(window));
    CHECK(w.simulated()->verdict == Verdict::pass);
    const auto use = find_metric(*w.simulated(), QStringLiteral("job.train.gpu.utilization"));
    CHECK(use->value == Approx(changes[i].utilization));
    w.document().undo_stack().undo();
    CHECK(w.document().text() == before);
  }
}

TEST_CASE("a change can be pinned, which leaves the design as it is") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  Workspace& w = window.workspace();
  const QString before = w.document().text();
  REQUIRE(window.current()->act(QStringLiteral("pin_advice"), QStringLiteral("1")));
  REQUIRE(QTest::qWaitFor([&] { return w.pins().size() == 1; }, kPatience));
  CHECK(w.document().text() == before);
  CHECK(w.pins().front().prediction.verdict == Verdict::pass);
  CHECK(w.pins().front().name.toStdString() ==
        label::of_change(useful(*w.simulated()).front().change));
  CHECK_FALSE(window.current()->act(QStringLiteral("pin_advice"), QStringLiteral("99")));
}

TEST_CASE("curves beside sliders come from bounds, then simulations, then draws") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  auto* knobs = window.findChild<KnobsPane*>();
  std::set<SliderResponse::From> seen;
  QObject::connect(&knobs->responses(), &Responses::changed, &window, [&] {
    for (const SliderResponse& r : knobs->responses().all()) seen.insert(r.from);
  });
  REQUIRE(QTest::qWaitFor(
      [&] {
        const auto& all = knobs->responses().all();
        return !all.empty() && std::all_of(all.begin(), all.end(), [](const SliderResponse& r) {
          return r.from == SliderResponse::From::draws;
        });
      },
      kPatience));
  CHECK(seen.contains(SliderResponse::From::bounds));
  CHECK(seen.contains(SliderResponse::From::simulation));
  const auto& all = knobs->responses().all();
  REQUIRE(all.size() == 3);
  const QString use = QStringLiteral("job.train.gpu.utilization");
  const auto value = [&](const Prediction& p) { return find_metric(p, use)->value; };
  // More boxes never make GPUs wait longer.
  CHECK(value(all[0].points.front().second) < value(all[0].points.back().second));
  for (const auto& [x, prediction] : all[0].points) CHECK(find_metric(prediction, use)->ci90);
  const auto curves = knobs->findChildren<ResponseChart*>();
  REQUIRE(curves.size() == 3);
  CHECK(curves[0]->twin().rowCount() == static_cast<int>(all[0].points.size()));
  CHECK(curves[0]->accessibleDescription().contains(QStringLiteral("the target is")));
  // Its own slider moves along a curve, and leaves it as it is.
  REQUIRE(window.current()->act(QStringLiteral("slide"), QStringLiteral("params.boxes.value 4")));
  CHECK(knobs->responses().all()[0].from == SliderResponse::From::draws);
  CHECK(knobs->responses().all()[1].from != SliderResponse::From::draws);
}

TEST_CASE("of a part there are its fields, its load over time, and how its figures come about") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  auto* picture = window.current()->findChild<PictureChart*>();
  for (int i = 0; i < 5; ++i) QTest::keyClick(picture, Qt::Key_Right);
  QTest::keyClick(picture, Qt::Key_Return);
  auto* part = window.findChild<PartPane*>();
  REQUIRE(part->isVisible());
  CHECK(part->path() == QStringLiteral("storage[scratch]"));
  CHECK(part->findChild<HeatChart*>()->twin().rowCount() > 0);
  const auto* fields = part->findChild<QTableView*>(QStringLiteral("part_fields"));
  CHECK(fields->model()->rowCount() > 5);
  REQUIRE(QTest::qWaitFor([&] { return !part->working(); }, kPatience));
  const QString text = part->findChild<QPlainTextEdit*>()->toPlainText();
  CHECK(text.contains(QStringLiteral("storage.scratch.ost")));
  CHECK(text.contains(QStringLiteral("64 GB/s")));  // 16 OSTs of 4 GB/s
  QTest::keyClick(part, Qt::Key_Escape);
  CHECK_FALSE(part->isVisible());
  CHECK(window.current()->findChild<Gantt*>()->isVisible());
}

TEST_CASE("the time on the overview holds a save") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  const auto save = first_save(lanes_of(*window.workspace().timeline()));
  REQUIRE(save);
  const auto* time = window.current()->findChild<Gantt*>();
  CHECK(time->from() <= save->first);
  CHECK(time->to() >= save->second);
  CHECK(time->to() - time->from() == Approx(120.0));
}

TEST_CASE("Tab goes through the overview as it is read, and every change has its buttons named") {
  MainWindow window(settings(), {});
  window.resize(1600, 1000);
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  QApplication::processEvents();
  const QWidget* screen = window.current();
  // The strip, the middle, the sliders, the cards.
  const auto block = [&](const QWidget* w) {
    for (; w != nullptr && w != screen; w = w->parentWidget()) {
      if (w->objectName() == QStringLiteral("verdict")) return 0;
      if (w->objectName() == QStringLiteral("knobs")) return 2;
      if (w->objectName() == QStringLiteral("advice")) return 3;
    }
    return 1;
  };
  int last = 0, stops = 0, row = -1;
  for (QWidget* w = screen->nextInFocusChain(); w != screen; w = w->nextInFocusChain()) {
    if (!screen->isAncestorOf(w) || !w->isVisible() || (w->focusPolicy() & Qt::TabFocus) == 0)
      continue;
    if (w->inherits("QScrollArea") || w->focusProxy() != nullptr) continue;
    INFO(w->metaObject()->className() << " " << w->accessibleName().toStdString());
    CHECK_FALSE(w->accessibleName().isEmpty());
    const int now = block(w);
    CHECK(now >= last);
    const int y = w->mapTo(&window, QPoint(0, w->height() / 2)).y();
    if (now >= 2 && now == last) CHECK(y >= row - w->height());
    row = y;
    last = now;
    ++stops;
  }
  CHECK(last == 3);
  CHECK(stops > 10);
}

TEST_CASE("What if says of all edits since the last simulation that they made the figures") {
  MainWindow window(settings(2), {});
  window.show();
  REQUIRE(window.open_file(QStringLiteral("examples/lustre-512-gpus.json")));
  REQUIRE(wait_simulated(window));
  window.show_screen(QStringLiteral("whatif"));
  const auto* why = window.current()->findChild<QLabel*>(QStringLiteral("why"));
  REQUIRE(why != nullptr);
  Document& document = window.workspace().document();
  REQUIRE(document.set(QStringLiteral("params.boxes.value"), QStringLiteral("3")));
  REQUIRE(
      document.set(QStringLiteral("jobs[train].checkpoint.every"), QStringLiteral("\"15 min\"")));
  REQUIRE(wait_simulated(window));
  CHECK(why->text().contains(QStringLiteral("boxes to 3 and set ")));
  CHECK(why->text().contains(QStringLiteral("\"15 min\"")));
  // One step back says which.
  document.undo_stack().undo();
  REQUIRE(wait_simulated(window));
  CHECK(why->text().contains(QStringLiteral("because you undid: set ")));
  CHECK_FALSE(why->text().contains(QStringLiteral("boxes")));
}

}  // namespace overview_test
