#include <QApplication>
#include <QScreen>
#include <QTest>
#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "tests/desktop/structure_support.hpp"
#include "tests/desktop/support.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/theme.hpp"

namespace structure_test {

using namespace stallcast;
using namespace stallcast::desktop;
using namespace stallcast::desktop::structure;

namespace {

/// A design to look at. `set` makes it miss its targets.
struct Subject {
  const char *file, *path, *value;
};
constexpr Subject kSubjects[] = {{"tests/desktop/light.json", "params.n_ost.value", "4"},
                                 {"tests/desktop/light.json", "", ""},
                                 {"scenarios/library/ingest-to-archive.json", "", ""}};

struct Size {
  int width, height, percent;
};
constexpr Size kSizes[] = {{1280, 800, 100}, {1920, 1080, 100}, {1280, 800, 200}};

/// All themes, as MainWindow::set_look takes them, with their names.
constexpr std::pair<Look, const char*> kThemes[] = {
    {Look::light, "light"}, {Look::dark, "dark"}, {Look::high_contrast, "high contrast"}};

/// Findings of all screens, each once.
class Findings {
 public:
  void add(const QString& screen, const std::vector<Finding>& found) {
    for (const Finding& finding : found)
      all_.insert(screen + QStringLiteral(", ") + finding.check + QStringLiteral(": ") +
                  finding.what);
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const QString& one : all_) out += one.toStdString() + "\n";
    return out;
  }

 private:
  std::set<QString> all_;
};

void open(MainWindow& window, const Subject& subject) {
  REQUIRE(window.open_file(QLatin1String(subject.file)));
  if (*subject.path != '\0')
    REQUIRE(window.workspace().document().set(QLatin1String(subject.path),
                                              QLatin1String(subject.value)));
  REQUIRE(wait_simulated(window));
  REQUIRE(QTest::qWaitFor([&] { return !window.workspace().refining(); }, kPatience));
}

void settle(MainWindow& window) {
  REQUIRE(QTest::qWaitFor([&] { return !window.current()->working(); }, kPatience));
  QTest::qWait(0);
  QApplication::processEvents();
}

}  // namespace

TEST_CASE("no text is cut and nothing overlaps on any screen, at any size, light or dark") {
  Findings findings;
  for (const Subject& subject : kSubjects) {
    MainWindow window(settings(2), {});
    window.show();
    open(window, subject);
    for (Screen* screen : window.screens()) {  // what each shows is computed once
      window.show_screen(screen->objectName());
      settle(window);
    }
    // A look is given to all widgets of the window at once, which takes longer than to see them.
    // Each subject is seen in every theme and at every size, and every theme at every size.
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
      const Size& size = kSizes[i];
      const auto nth = static_cast<std::size_t>(&subject - kSubjects);
      window.set_look(kThemes[(i + nth) % std::size(kThemes)].first, size.percent);
      window.resize(size.width, size.height);
      for (Screen* screen : window.screens()) {
        window.show_screen(screen->objectName());
        settle(window);
        QApplication::processEvents();
        if (window.width() > size.width || window.height() > size.height)
          findings.add(screen->objectName(),
                       {{QStringLiteral("size"), QStringLiteral("%1 %: needs %2 x %3")
                                                     .arg(size.percent)
                                                     .arg(window.width())
                                                     .arg(window.height())}});
        findings.add(screen->objectName(), cut_texts(*screen));
        findings.add(screen->objectName(), overlaps(*screen));
        findings.add(screen->objectName(), nameless(window));
      }
    }
  }
  CHECK(findings.text() == "");
}

TEST_CASE("the Tab key goes through each screen as it is read", "[screen]") {
  Findings findings;
  MainWindow window(settings(2), {});
  window.show();
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  open(window, kSubjects[0]);
  for (Screen* screen : window.screens()) {
    window.show_screen(screen->objectName());
    settle(window);
    findings.add(screen->objectName(), out_of_order(*screen));
  }
  CHECK(findings.text() == "");
}

// 4.5:1 is what WCAG 2.1 asks of texts (success criterion 1.4.3).
TEST_CASE("texts stand out from what they are on in every theme") {
  std::string low;
  MainWindow window(settings(), {});
  window.show();  // a window that was never shown keeps its palette
  for (const auto& [look, look_name] : kThemes) {
    window.set_look(look, 100);
    QApplication::processEvents();
    const QPalette palette = QApplication::palette();
    const Theme& theme = Theme::of(window);
    using enum QPalette::ColorRole;
    const auto check = [&, look_name = look_name](const char* what, const QColor& text,
                                                  const QColor& ground) {
      constexpr double kEnough = 4.5;
      const std::string name = std::string(look_name) + ", " + what;
      if (contrast(text, ground) < kEnough)
        low += name + " " + text.name().toStdString() + " on " + ground.name().toStdString() +
               ": " + std::to_string(contrast(text, ground)) + "\n";
    };
    const auto of = [&](QPalette::ColorRole role) { return palette.color(QPalette::Active, role); };
    check("window", of(WindowText), of(Window));
    check("text", of(Text), of(Base));
    check("every other row", of(Text), of(AlternateBase));
    check("button", of(ButtonText), of(Button));
    check("tooltip", of(ToolTipText), of(ToolTipBase));
    check("selection", of(HighlightedText), of(Highlight));
    check("link", of(Link), of(Base));
    for (const auto ground : {Window, Base}) {
      check("note", of(PlaceholderText), of(ground));
      check("chart", theme.text, of(ground));
      check("chart, faint", theme.faint, of(ground));
      check("chart, good", theme.good, of(ground));
      check("chart, bad", theme.bad, of(ground));
      check("chart, warning", theme.warn, of(ground));
      check("chart, accent", theme.accent, of(ground));
    }
  }
  window.set_look(kThemes[0].first, 100);
  CHECK(low == "");
}

}  // namespace structure_test
