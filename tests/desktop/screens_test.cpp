#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QLineEdit>
#include <QSlider>
#include <QTest>
#include <QTextBlock>
#include <catch2/catch.hpp>
#include <random>

#include "tests/desktop/support.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/json_editor.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/problems_dock.hpp"
#include "ui/desktop/screen.hpp"

namespace screens_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// Parts of larger widgets that Qt makes and names itself, or that never take the focus alone.
bool is_inner_part(const QWidget& widget) {
  return widget.objectName().startsWith(QLatin1String("qt_")) || widget.inherits("QHeaderView") ||
         widget.inherits("QTableCornerButton") ||
         (widget.parentWidget() != nullptr &&
          (widget.parentWidget()->inherits("QAbstractSpinBox") ||
           widget.parentWidget()->inherits("QComboBox")));
}

}  // namespace

TEST_CASE("every widget that takes the focus has a name for screen readers", "[screen]") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  for (Screen* screen : window.screens()) {
    window.show_screen(screen->objectName());
    QApplication::processEvents();
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || is_inner_part(*widget))
        continue;
      INFO(screen->objectName().toStdString() << ": " << widget->metaObject()->className() << " "
                                              << widget->objectName().toStdString());
      CHECK_FALSE(widget->accessibleName().isEmpty());
    }
    for (const ChartPane* pane : screen->findChildren<ChartPane*>()) {
      INFO(pane->title().toStdString());
      CHECK(pane->twin().columnCount() > 0);
    }
  }
}

TEST_CASE("typing in the text, moving a slider and undo work on one document", "[screen]") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  Document& document = window.workspace().document();
  const QString before = document.text();
  auto* editor = window.findChild<JsonEditor*>(QStringLiteral("editor"));
  REQUIRE(editor != nullptr);
  CHECK(editor->toPlainText() == before);
  auto* slider = window.findChild<QWidget*>(QStringLiteral("slider:params.n_ost.value"));
  REQUIRE(slider != nullptr);
  slider->findChild<QSlider*>()->setValue(700);
  CHECK(document.text() != before);
  CHECK(editor->toPlainText() == document.text());
  document.undo_stack().undo();
  CHECK(editor->toPlainText() == before);
  window.show_screen(QStringLiteral("scenario"));
  editor->moveCursor(QTextCursor::End);
  QTest::keyClicks(editor, QStringLiteral("// so"));
  CHECK(document.text() == before + QStringLiteral("// so"));
  CHECK(document.undo_stack().count() == 1);
  document.undo_stack().undo();
  CHECK(editor->toPlainText() == before);
}

TEST_CASE("an error appears in the list, and F8 leads to its place in the text", "[screen]") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(window.workspace().document().set(QStringLiteral("jobs[train].checkpoint.mode"),
                                            QStringLiteral("\"asink\"")));
  auto* problems = window.findChild<ProblemsDock*>();
  CHECK(problems->isVisible());
  problems->next();
  CHECK(window.current()->objectName() == QStringLiteral("scenario"));
  auto* editor = window.findChild<JsonEditor*>();
  CHECK(editor->textCursor().block().text().contains(QStringLiteral("asink")));
  window.workspace().document().undo_stack().undo();
  CHECK_FALSE(problems->isVisible());
}

TEST_CASE("random sliders, texts and undos never break the window", "[screen]") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  std::mt19937 random(7);
  const QString before = window.workspace().document().text();
  for (int i = 0; i < 400; ++i) {
    const auto& sliders = window.workspace().sliders();
    REQUIRE_FALSE(sliders.empty());
    const SliderSpec spec = sliders[random() % sliders.size()];
    const double f = static_cast<double>(random() % 1000) / 1000.0;
    window.workspace().move_slider(spec, spec.minimum + f * (spec.maximum - spec.minimum), 0);
    if (random() % 3 == 0) window.workspace().document().undo_stack().undo();
    if (i % 20 == 0) QApplication::processEvents();
  }
  while (window.workspace().document().undo_stack().canUndo())
    window.workspace().document().undo_stack().undo();
  CHECK(window.workspace().document().text() == before);
}

TEST_CASE("letters twice as large leave every screen within the window", "[screen]") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  for (const int percent : {100, 200, 100}) {
    window.set_look(Look::light, percent);
    window.resize(1280 * percent / 100, 800 * percent / 100);
    for (Screen* screen : window.screens()) {
      window.show_screen(screen->objectName());
      QApplication::processEvents();
      INFO(screen->objectName().toStdString() << " at " << percent << " %");
      CHECK(window.width() <= 1280 * percent / 100);
      CHECK(window.height() <= 800 * percent / 100);
    }
  }
  window.set_look(Look::light, 100);
}

}  // namespace screens_test
