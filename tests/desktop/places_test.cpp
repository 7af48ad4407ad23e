#include <QAction>
#include <QSplitter>
#include <QStyle>
#include <QTabBar>
#include <QTest>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/desktop/support.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/rail.hpp"
#include "ui/desktop/screen.hpp"

namespace places_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// WCAG 2.1: (L1 + 0.05) / (L2 + 0.05) of relative luminances.
double contrast(const QColor& a, const QColor& b) {
  const auto luminance = [](const QColor& c) {
    const auto linear = [](double v) {
      return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
  };
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

void press(MainWindow& window, const char* keys) {
  const QKeySequence wanted{QLatin1String(keys)};
  for (QAction* action : window.findChildren<QAction*>())
    if (action->shortcuts().contains(wanted)) return action->trigger();
  FAIL("no action has the key " << keys);
}

QString at(const MainWindow& window) { return window.current()->objectName(); }

}  // namespace

TEST_CASE("five places hold every view, and keys and names of scripts lead to them", "[screen]") {
  MainWindow window(settings(), {});
  window.show();
  CHECK(at(window) == QStringLiteral("start"));
  CHECK_FALSE(window.findChild<Rail*>()->isEnabled());  // nothing is open
  REQUIRE(window.open_file(kExample));
  CHECK(at(window) == QStringLiteral("overview"));
  CHECK(window.findChild<Rail*>()->isEnabled());
  REQUIRE(window.places().places().size() == 5);
  std::set<QString> views;
  for (const Places::Place& place : window.places().places())
    for (const Screen* view : place.views) views.insert(view->objectName());
  CHECK(views.size() + 1 == window.screens().size());
  for (const char* key : {"scenario", "overview", "whatif", "timeline", "checks", "bottleneck",
                          "sensitivity", "sweep", "compare", "export"}) {
    INFO(key);
    CHECK(views.contains(QLatin1String(key)));
    REQUIRE(window.show_screen(QLatin1String(key)));
    CHECK(at(window) == QLatin1String(key));
  }
  CHECK_FALSE(window.show_screen(QStringLiteral("nowhere")));
  // A place is entered where it was left.
  window.show_screen(QStringLiteral("timeline"));
  press(window, "Ctrl+4");
  CHECK(at(window) == QStringLiteral("compare"));
  press(window, "Ctrl+2");
  CHECK(at(window) == QStringLiteral("timeline"));
  press(window, "Alt+Right");
  CHECK(at(window) == QStringLiteral("checks"));
  press(window, "Ctrl+Tab");
  CHECK(at(window) == QStringLiteral("bottleneck"));
  press(window, "Alt+Left");
  CHECK(at(window) == QStringLiteral("checks"));
  press(window, "Ctrl+N");
  CHECK(at(window) == QStringLiteral("start"));
}

TEST_CASE("views of a place are tabs, and one view needs none", "[screen]") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  auto* tabs = window.findChild<QTabBar*>(QStringLiteral("views"));
  REQUIRE(tabs->count() == 4);
  CHECK(tabs->tabText(0) == QStringLiteral("Overview"));
  tabs->setCurrentIndex(2);
  CHECK(at(window) == QStringLiteral("timeline"));
  QTest::keyClick(tabs, Qt::Key_Right);
  CHECK(at(window) == QStringLiteral("checks"));
  window.show_screen(QStringLiteral("scenario"));
  CHECK_FALSE(tabs->isVisible());
  auto* rail = window.findChild<Rail*>();
  CHECK(rail->chosen() == 0);
  const auto buttons = rail->findChildren<RailButton*>();
  REQUIRE(buttons.size() == 5);
  buttons[2]->click();
  CHECK(at(window) == QStringLiteral("bottleneck"));
}

TEST_CASE("at 200 % the window still fits 1280 x 800, and the rail has icons alone", "[screen]") {
  MainWindow window(settings(), {});
  window.resize(1280, 800);
  window.show();
  REQUIRE(window.open_file(kExample));
  QApplication::processEvents();
  auto* rail = window.findChild<Rail*>();
  const int with_words = rail->width();
  window.set_look(Look::light, 200);
  for (Screen* screen : window.screens()) {
    window.show_screen(screen->objectName());
    QApplication::processEvents();
    INFO(screen->objectName().toStdString());
    CHECK(window.width() <= 1280);
    CHECK(window.height() <= 800);
  }
  CHECK(rail->width() <= with_words);
  // Columns stand below each other then, and beside each other again.
  window.show_screen(QStringLiteral("whatif"));
  const auto* split = window.current()->findChild<QSplitter*>();
  CHECK(split->orientation() == Qt::Vertical);
  window.set_look(Look::light, 100);
  QApplication::processEvents();
  CHECK(split->orientation() == Qt::Horizontal);
}

TEST_CASE("letters and marks stand out from their ground in every look", "[screen]") {
  const std::pair<const Theme*, double> looks[] = {
      {&Theme::light(), 4.5}, {&Theme::dark(), 4.5}, {&Theme::high_contrast(), 7.0}};
  for (const auto& [theme, least] : looks)
    for (const auto role : {QPalette::Window, QPalette::Base, QPalette::AlternateBase}) {
      const QColor ground = theme->palette.color(role);
      INFO(ground.name().toStdString());
      for (const QColor& letters :
           {theme->text, theme->faint, theme->good, theme->bad, theme->warn, theme->accent}) {
        INFO(letters.name().toStdString());
        CHECK(contrast(letters, ground) >= (letters == theme->text ? least : 4.5));
      }
      if (role == QPalette::AlternateBase) continue;  // nothing is painted on it
      for (const QColor& cause : theme->causes) CHECK(contrast(cause, ground) >= 2.0);
    }
  const Theme& high = Theme::high_contrast();
  for (const QColor& mark : {high.grid, high.good, high.bad, high.warn, high.accent})
    CHECK(contrast(mark, high.palette.color(QPalette::Base)) >= 7.0);
  CHECK(contrast(high.palette.color(QPalette::HighlightedText),
                 high.palette.color(QPalette::Highlight)) >= 7.0);
}

TEST_CASE("each look is what widgets have, and the desktop's own comes back", "[screen]") {
  const QPalette desktop = QApplication::style()->standardPalette();
  MainWindow window(settings(), {});
  window.show();
  for (const Look look : {Look::dark, Look::high_contrast, Look::light}) {
    window.set_look(look, 100);
    CHECK(look_now() == look);
    QApplication::processEvents();
    const Theme& wanted = look == Look::dark    ? Theme::dark()
                          : look == Look::light ? Theme::light()
                                                : Theme::high_contrast();
    CHECK(Theme::of(window).accent == wanted.accent);
    CHECK(Theme::of(window).text == window.palette().color(QPalette::WindowText));
  }
  CHECK(look_named(QStringLiteral("high-contrast")) == Look::high_contrast);
  window.set_look(Look::system, 100);
  QApplication::processEvents();
  CHECK(Theme::of(window).text == window.palette().color(QPalette::WindowText));
  CHECK(window.palette().color(QPalette::Window).name().toStdString() ==
        desktop.color(QPalette::Window).name().toStdString());
  window.set_look(Look::light, 100);
}

}  // namespace places_test
