#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/desktop/support.hpp"
#include "ui/desktop/main_window.hpp"

/// What docs/performance.md says of sliders: measured only where it is asked for, never asserted.
///   QT_QPA_PLATFORM=offscreen build/release/tests/desktop_test "[speed]"
namespace speed_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

struct Times {
  std::vector<double> all;  ///< ms
  void print(const char* what) {
    std::sort(all.begin(), all.end());
    std::printf("  %-28s median %6.1f ms, most %6.1f ms\n", what, all[all.size() / 2], all.back());
  }
};

/// From a change by hand to what is on screen of it, `moves` times.
void measure(const char* file, const QString& path, int moves) {
  MainWindow window(settings(2), {});
  window.resize(1280, 800);
  window.show();
  REQUIRE(window.open_file(QLatin1String(file)));
  Workspace& workspace = window.workspace();
  const auto refined = [&] {
    return workspace.freshness() == Freshness::simulated && workspace.simulated()->uncertainty;
  };
  REQUIRE(QTest::qWaitFor(refined, kPatience));
  Times estimate, shown, simulated, seen, band;
  const double first = workspace.slider_of(path)->value;
  for (int i = 0; i < moves; ++i) {
    const auto slider = workspace.slider_of(path);
    REQUIRE(slider.has_value());
    // Up to the greatest, and on from the least.
    const double up = slider->whole ? first + 1.0 + i : first * (1.05 + 0.05 * i);
    const double range = slider->maximum - slider->minimum + (slider->whole ? 1.0 : 0.0);
    const double value = slider->minimum + std::fmod(up - slider->minimum, range);
    QElapsedTimer clock;
    clock.start();
    const auto now = [&] { return static_cast<double>(clock.nsecsElapsed()) * 1e-6; };
    double at_result = 0.0;
    const auto noted = QObject::connect(&workspace, &Workspace::predicted, &window, [&] {
      if (workspace.freshness() == Freshness::simulated && at_result == 0.0) at_result = now();
    });
    workspace.move_slider(*slider, Workspace::snapped(*slider, value), i);
    estimate.all.push_back(workspace.estimate_ms());
    window.repaint();
    shown.all.push_back(now());
    REQUIRE(QTest::qWaitFor([&] { return at_result > 0.0 && refined(); }, kPatience));
    band.all.push_back(now());
    simulated.all.push_back(workspace.simulation_ms());
    seen.all.push_back(at_result);
    QObject::disconnect(noted);
  }
  std::printf("%s, %d moves of %s\n", file, moves, path.toUtf8().constData());
  estimate.print("estimate");
  shown.print("change to estimate painted");
  simulated.print("simulation, after the rest");
  seen.print("change to simulated");
  band.print("change to band");
}

}  // namespace

TEST_CASE("how long a slider takes", "[.speed]") {
  measure("examples/exercise-512-h100-async.json", QStringLiteral("params.n_ost.value"), 20);
  measure("examples/lustre-512-gpus.json", QStringLiteral("params.boxes.value"), 6);
  measure("scenarios/library/vision-local-nvme.json", QStringLiteral("params.workers.value"), 10);
}

}  // namespace speed_test
