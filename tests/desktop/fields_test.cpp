#include <QApplication>
#include <QLineEdit>
#include <QSlider>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/desktop/json_editor.hpp"
#include "ui/desktop/quantity_edit.hpp"

namespace fields_test {

using namespace stallcast::desktop;

namespace {

struct Field {
  QSlider* slider;
  QuantityEdit* edit;
  void type(const QString& text) const {
    auto* line = edit->findChild<QLineEdit*>();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
  }
};

Field field_of(MainWindow& window) {
  auto* row = window.findChild<QWidget*>(QStringLiteral("slider:params.n_ost.value"));
  REQUIRE(row != nullptr);
  return {row->findChild<QSlider*>(), row->findChild<QuantityEdit*>()};
}

void activate(MainWindow& window) {
  window.show();
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
}

}  // namespace

TEST_CASE("a slider and the field next to it show one value") {
  MainWindow window(settings(), {});
  activate(window);
  REQUIRE(window.open_file(kExample));
  const int before = field_of(window).slider->value();
  field_of(window).type(QStringLiteral("100"));
  QTest::keyClick(field_of(window).edit, Qt::Key_Return);
  CHECK(field_of(window).edit->value() == 100.0);
  CHECK(field_of(window).slider->value() > before);
  const int at = field_of(window).slider->value();
  field_of(window).slider->setValue(at / 2);
  CHECK(field_of(window).edit->value() < 100.0);
}

TEST_CASE("text that is not a quantity is marked, and taken back when the field is left") {
  MainWindow window(settings(), {});
  activate(window);
  REQUIRE(window.open_file(kExample));
  const Field field = field_of(window);
  const QString text = field.edit->text(), document = window.workspace().document().text();
  field.type(QStringLiteral("abc"));
  CHECK(field.edit->wrong());
  QTest::keyClick(field.edit, Qt::Key_Return);
  CHECK_FALSE(field.edit->wrong());
  CHECK(field.edit->text() == text);
  CHECK_FALSE(field.edit->accessibleDescription().isEmpty());
  CHECK(window.workspace().document().text() == document);
}

TEST_CASE("Ctrl+Z undoes the last change wherever the keys go") {
  MainWindow window(settings(), {});
  activate(window);
  REQUIRE(window.open_file(kExample));
  Document& document = window.workspace().document();
  const QString before = document.text();
  SECTION("in a number field") {
    field_of(window).type(QStringLiteral("100"));
    QTest::keyClick(field_of(window).edit, Qt::Key_Return);
    REQUIRE(document.text() != before);
    field_of(window).edit->setFocus();
    QTest::keyClick(qApp->focusWidget(), Qt::Key_Z, Qt::ControlModifier);
  }
  SECTION("in the editor") {
    window.show_screen(QStringLiteral("scenario"));
    auto* editor = window.findChild<JsonEditor*>(QStringLiteral("editor"));
    editor->setFocus();
    editor->moveCursor(QTextCursor::End);
    QTest::keyClicks(editor, QStringLiteral("//"));
    REQUIRE(document.text() != before);
    QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
  }
  CHECK(document.text() == before);
}

TEST_CASE("the slider of a parameter with a unit keeps it") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(QStringLiteral("scenarios/library/qos-two-jobs.json")));
  REQUIRE(wait_simulated(window));
  Workspace& workspace = window.workspace();
  const auto slider = workspace.slider_of(QStringLiteral("params.cap"));
  REQUIRE(slider);
  CHECK(slider->value == 10e9);
  CHECK(slider->minimum < 10e9);
  CHECK(slider->maximum > 10e9);
  workspace.move_slider(*slider, 12e9, 0);
  CHECK(workspace.document().text().contains(QStringLiteral("\"value\": \"12 GB/s\"")));
  CHECK_FALSE(workspace.has_errors());
}

}  // namespace fields_test
