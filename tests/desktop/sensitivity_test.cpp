#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "tests/desktop/support.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/grid_chart.hpp"
#include "ui/desktop/interaction_pane.hpp"
#include "ui/desktop/knee.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/range_model.hpp"
#include "ui/desktop/screen.hpp"

namespace sensitivity_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

using Curve = std::vector<std::pair<double, double>>;
using Tester = QAbstractItemModelTester;

template <typename F>
Curve curve_of(F f, double from, double to, int n) {
  Curve out;
  for (int i = 0; i < n; ++i) {
    const double x = from + (to - from) * i / (n - 1);
    out.emplace_back(x, f(x));
  }
  return out;
}

}  // namespace

// Rises to 1 at x = 4 and stays: scaled, the corner (0.5, 1) is 0.5 above the chord y = x, thus
// 0.5 / sqrt(2) from it.
TEST_CASE("the knee of a curve that rises and then stays is its corner") {
  const Knee knee =
      knee_of(curve_of([](double x) { return std::min(x / 4.0, 1.0); }, 0.0, 8.0, 9), false);
  REQUIRE(knee.at == 4);
  CHECK(knee.distance == Approx(0.5 / std::sqrt(2.0)));
}

// The smallest of (x - 3)^2 over 0..6 is where it is farthest from the level chord: by 1.
TEST_CASE("the knee of a valley is its bottom") {
  const Knee knee =
      knee_of(curve_of([](double x) { return (x - 3.0) * (x - 3.0); }, 0.0, 6.0, 7), false);
  REQUIRE(knee.at == 3);
  CHECK(knee.distance == Approx(1.0));
}

TEST_CASE("a straight line, a level one and too few points have no knee") {
  const auto line = [](double x) { return 3.0 - 2.0 * x; };
  CHECK(knee_of(curve_of(line, 0.0, 1.0, 9), false).why_not == NoKnee::straight);
  CHECK(knee_of(curve_of([](double x) { return 100.0 + 0.004 * x * x; }, 0.0, 9.0, 10), false)
            .why_not == NoKnee::flat);
  CHECK(knee_of(curve_of(line, 0.0, 1.0, 3), false).why_not == NoKnee::few);
}

// log x is straight over the logarithm of x, and bends over x itself.
TEST_CASE("the knee is that of the curve as it is drawn") {
  Curve curve;
  for (int i = 0; i < 7; ++i) curve.emplace_back(std::pow(10.0, i / 2.0), i / 2.0);
  CHECK(knee_of(curve, true).why_not == NoKnee::straight);
  CHECK(knee_of(curve, false).at.has_value());
}

// f = x + y: 0 + 2 - 1 - 1 = 0. f = x y over 1..3: 9 - 3 - 3 + 1 = 4.
TEST_CASE("two inputs interact by what both do beyond each alone") {
  CHECK(interaction_of(0.0, 1.0, 1.0, 2.0) == 0.0);
  CHECK(interaction_of(1.0, 3.0, 3.0, 9.0) == 4.0);
}

TEST_CASE("a range around a whole number has whole ends, and moves it by one at least") {
  SliderSpec slider;
  slider.path = QStringLiteral("jobs[train].loader.prefetch");
  slider.whole = true;
  slider.minimum = 1.0;
  slider.maximum = 8.0;
  slider.value = 1.0;
  CHECK(range_around(slider, 0.5) == std::pair(1.0, 2.0));  // not 0.5 to 1.5, nor 0
  slider.value = 4.0;
  CHECK(range_around(slider, 0.1) == std::pair(3.0, 5.0));
  slider.value = 7.0;
  CHECK(range_around(slider, 0.5) == std::pair(4.0, 10.0));  // beyond what the slider shows
}

// The form has hosts first, with more fields than are offered; prices move no time.
TEST_CASE("inputs are offered of each part in turn, prices last, in the unit they are written in") {
  Workspace workspace(settings());
  workspace.document().open(QStringLiteral(R"({
    "cluster": { "hosts": [ { "id": "h", "count": 4, "gpus": 8, "gpu": { "price": "30 kUSD", "power": "700 W" },
      "price": "50 kUSD", "cpu": { "cores": 64 }, "memory": { "size": "1 TB" },
      "nic": { "count": 2, "rate": "25 Gb/s" } } ] },
    "storage": [ { "id": "nas", "type": "nfs", "head": { "count": 2, "read": "3 GB/s", "write": "1 GB/s" } } ],
    "jobs": [ { "id": "t", "hosts": "h", "step": { "compute": "1 s" },
      "checkpoint": { "to": "nas", "size": "10 GB", "every": "10 min" } } ] })"),
                            QStringLiteral("own.json"));
  REQUIRE_FALSE(workspace.has_errors());
  workspace.set_sliders({});
  const Variables some = variables(workspace, 8), all = variables(workspace, 100);
  CHECK(some.shown.size() == 8);
  CHECK(some.left_out == all.shown.size() - 8);
  CHECK(all.left_out == 0);
  const auto has = [&](const char* part) {
    return std::any_of(some.shown.begin(), some.shown.end(),
                       [&](const SliderSpec& s) { return s.path.startsWith(QLatin1String(part)); });
  };
  for (const char* part :
       {"cluster.hosts[h]", "storage[nas]", "jobs[t].step", "jobs[t].checkpoint"})
    CHECK(has(part));
  for (const SliderSpec& slider : some.shown)
    CHECK_FALSE(slider.path.contains(QLatin1String("price")));
  CHECK(all.shown.back().path.contains(QLatin1String("price")) |
        all.shown.back().path.contains(QLatin1String("power")));
  for (const SliderSpec& slider : all.shown)
    if (slider.path.endsWith(QLatin1String("nic.rate")))
      CHECK(value_text(slider, 1.5 * slider.value) == QStringLiteral("37.5 Gb/s"));
}

TEST_CASE("what differs by less than a reader would tell apart is not drawn as a swing") {
  CHECK(told_apart(0.5, 0.9, "ratio") == std::pair(0.5, 0.9));
  const auto [low, high] = told_apart(0.98400, 0.98401, "ratio");
  CHECK(high - low == Approx(1e-3));
  CHECK(told_apart(10.0, 10.0, "s") == std::pair(9.975, 10.025));
  CHECK(told_apart(0.0, 0.0, "ratio").first == 0.0);
}

TEST_CASE("ranges can be edited, wrong ones are refused, and edited ones stay") {
  Workspace workspace(settings());
  QFile file(kExample);
  REQUIRE(file.open(QIODevice::ReadOnly));
  workspace.document().open(QString::fromUtf8(file.readAll()), kExample);
  for (const int values : {0, 3}) {
    RangeModel model(workspace, values, nullptr);
    Tester tester(&model, Tester::FailureReportingMode::Fatal);
    QSignalSpy refused(&model, &RangeModel::refused);
    model.set_rule([](const SliderSpec& s) { return range_around(s, 0.5); });
    model.set_inputs(variables(workspace, 12).shown);
    REQUIRE(model.rowCount() > 2);
    CHECK(model.columnCount() == (values > 0 ? 5 : 4));
    const InputRange* n_ost = model.range_of(QStringLiteral("n_ost"));
    REQUIRE(n_ost != nullptr);
    CHECK(n_ost->low == 25.0);
    CHECK(n_ost->high == 75.0);
    const QModelIndex low = model.index(0, RangeModel::kLow),
                      high = model.index(0, RangeModel::kHigh);
    REQUIRE(model.index(0, 0).data().toString() == QStringLiteral("n_ost"));
    REQUIRE(model.setData(low, QStringLiteral("30"), Qt::EditRole));
    CHECK(low.data().toString() == QStringLiteral("30"));
    CHECK_FALSE(model.setData(high, QStringLiteral("many"), Qt::EditRole));
    CHECK_FALSE(model.setData(high, QStringLiteral("30"), Qt::EditRole));  // not above the low one
    CHECK_FALSE(model.setData(low, QStringLiteral("-4"), Qt::EditRole));   // no such design
    CHECK(refused.count() == 3);
    CHECK(model.set_range(QStringLiteral("n_ost"), QStringLiteral("30"), QStringLiteral("90")));
    model.set_rule([](const SliderSpec& s) { return range_around(s, 0.1); });
    model.set_inputs(variables(workspace, 12).shown);
    CHECK(model.ranges().front().low == 30.0);
    CHECK(model.ranges().front().high == 90.0);
    model.reset_ranges();
    CHECK(model.ranges().front().low == 45.0);
    const std::size_t on = model.chosen().size();
    CHECK(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
    CHECK(model.chosen().size() == on - 1);
    CHECK((on == 2) == (values > 0));  // a sweep begins with two inputs
    // The same by keyboard and by mouse.
    const std::unique_ptr<QTableView> view(range_table(model, QStringLiteral("ranges"), nullptr));
    view->resize(600, 300);
    view->setCurrentIndex(model.index(0, 0));
    QTest::keyClick(view.get(), Qt::Key_Space);
    CHECK(model.chosen().size() == on);
    const QRect box = view->visualRect(model.index(0, 0));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, box.topLeft() + QPoint(8, 8));
    CHECK(model.chosen().size() == on - 1);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, box.center());  // its name
    CHECK(model.chosen().size() == on - 1);
    model.set_inputs({});
    CHECK(model.rowCount() == 0);
  }
}

TEST_CASE("the grid of two inputs is walked by keys, and has a table as its twin") {
  GridChart chart(nullptr);
  Tester tester(&chart.twin(), Tester::FailureReportingMode::Fatal);
  chart.resize(400, 300);
  chart.set({QStringLiteral("m"),
             "s",
             QStringLiteral("a"),
             QStringLiteral("b"),
             {QStringLiteral("1"), QStringLiteral("2")},
             {QStringLiteral("10"), QStringLiteral("20")},
             {1.0, 2.0, 3.0, std::nullopt}});
  CHECK(chart.twin().rowCount() == 2);
  CHECK(chart.twin().columnCount() == 3);
  CHECK(chart.accessibleDescription() == QStringLiteral("m over a and b: 1 s at 1 and 10"));
  QTest::keyClick(&chart, Qt::Key_Right);
  CHECK(chart.accessibleDescription() == QStringLiteral("m over a and b: 2 s at 2 and 10"));
  QTest::keyClick(&chart, Qt::Key_Up);
  CHECK(chart.accessibleDescription() == QStringLiteral("m over a and b: none at 2 and 20"));
  QTest::keyClick(&chart, Qt::Key_Up);  // already on top
  CHECK(chart.current() == std::pair(1, 1));
  QSignalSpy chosen(&chart, &GridChart::chosen);
  QTest::keyClick(&chart, Qt::Key_Return);
  CHECK(chosen.count() == 1);
}

TEST_CASE("the screen says where the knee is, and what two inputs do together") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(QTest::qWaitFor([&] { return window.workspace().freshness() == Freshness::simulated; },
                          kPatience));
  window.show_screen(QStringLiteral("sensitivity"));
  Screen* screen = window.current();
  const auto settle = [&] {
    return QTest::qWaitFor([&] { return !screen->working(); }, kPatience);
  };
  REQUIRE(screen->act(QStringLiteral("metric"), QStringLiteral("job.train.checkpoint.duration")));
  REQUIRE(screen->act(QStringLiteral("range"), QStringLiteral("n_ost 20..200")));
  REQUIRE(screen->act(QStringLiteral("curve"), QStringLiteral("n_ost")));
  REQUIRE(settle());
  const QString said = screen->findChild<QLabel*>(QStringLiteral("knee"))->text();
  INFO(said.toStdString());
  CHECK(said.contains(QStringLiteral("Knee at n_ost")));
  const QString other = screen->findChild<QTableView*>(QStringLiteral("ranges"))
                            ->model()
                            ->index(1, 0)
                            .data()
                            .toString();
  REQUIRE(screen->act(QStringLiteral("pair"), QStringLiteral("n_ost ") + other));
  REQUIRE(settle());
  CHECK(screen->findChild<GridChart*>()->twin().rowCount() >= 2);
  CHECK(screen->findChild<QLabel*>(QStringLiteral("interaction"))
            ->text()
            .startsWith(QStringLiteral("They ")));
  CHECK_FALSE(screen->act(QStringLiteral("pair"), QStringLiteral("n_ost nothing")));
}

}  // namespace sensitivity_test
