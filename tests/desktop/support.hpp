#pragma once

#include <QString>
#include <QTest>

#include "ui/desktop/main_window.hpp"

/// What the tests of screens share.
namespace stallcast::desktop {

/// How long a test waits for what is simulated in seconds, in ms.
#ifdef STALLCAST_SANITIZED
inline constexpr int kPatience = 1'200'000;
#else
inline constexpr int kPatience = 120'000;
#endif

/// The example that most tests open, over a tenth of its steps, and the example itself.
inline const QString kExample = QStringLiteral("tests/desktop/light.json");
inline const QString kWhole = QStringLiteral("examples/exercise-512-h100-async.json");

/// Misses both of its targets.
inline const QString kMissed = QStringLiteral("examples/lustre-512-gpus.json");

inline client::Settings settings(int jobs = 1) {
  return {.jobs = jobs, .worker = STALLCAST_SIM_PATH};
}

inline bool wait_simulated(MainWindow& window) {
  return QTest::qWaitFor([&] { return window.workspace().freshness() == Freshness::simulated; },
                         kPatience);
}

/// Draws, gains, changes and the timeline are there.
inline bool wait_advised(MainWindow& window) {
  return QTest::qWaitFor(
      [&] {
        const Workspace& w = window.workspace();
        return w.freshness() == Freshness::simulated && !w.refining() && w.timeline();
      },
      kPatience);
}

}  // namespace stallcast::desktop
