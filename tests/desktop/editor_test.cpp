#include "ui/desktop/json_editor.hpp"

#include <QAbstractItemView>
#include <QCompleter>
#include <QTest>
#include <catch2/catch.hpp>

#include "ui/desktop/workspace.hpp"

namespace editor_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

const QString kText = QStringLiteral(R"({
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 2, "gpus": 8 } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 4 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "steps": 10, "step": { "compute": "1 s" } } ]
}
)");

/// An editor of kText with the cursor behind `before`.
struct Editing {
  explicit Editing(const QString& before) {
    workspace.document().open(kText, {});
    REQUIRE(workspace.design() != nullptr);
    place(before);
    editor.show();
  }
  void place(const QString& before) {
    const qsizetype at = editor.toPlainText().indexOf(before);
    REQUIRE(at >= 0);
    QTextCursor cursor(editor.document());
    cursor.setPosition(static_cast<int>(at + before.size()));
    editor.setTextCursor(cursor);
  }
  [[nodiscard]] QStringList offered() const {
    QStringList out;
    const QAbstractItemModel* model = editor.findChild<QCompleter*>()->completionModel();
    for (int i = 0; i < model->rowCount(); ++i) out << model->index(i, 0).data().toString();
    return out;
  }
  Workspace workspace{{.jobs = 1, .worker = STALLCAST_SIM_PATH}};
  JsonEditor editor{workspace, nullptr};
};

}  // namespace

TEST_CASE("the editor completes the keys of the component around the cursor", "[screen]") {
  Editing it(QStringLiteral("\"type\": \"lustre\", "));
  QTest::keyClicks(&it.editor, QStringLiteral("str"));
  it.editor.complete();
  INFO(it.offered().join(u' ').toStdString());
  CHECK(it.offered() == QStringList{QStringLiteral("stripe")});
  it.editor.complete(true);
  INFO(it.workspace.document().text().toStdString());
  CHECK(it.workspace.document().text().contains(QStringLiteral("\"lustre\", \"stripe\"\"ost\"")));
}

TEST_CASE("inside an object of a component its own keys are offered", "[screen]") {
  Editing it(QStringLiteral("\"ost\": { \"count\": 4"));
  QTest::keyClicks(&it.editor, QStringLiteral(", wri"));
  it.editor.complete();
  CHECK(it.offered().contains(QStringLiteral("write")));
}

TEST_CASE("a job's keys are not storage's", "[screen]") {
  Editing it(QStringLiteral("\"id\": \"train\", "));
  it.editor.complete();
  CHECK(it.offered().contains(QStringLiteral("steps")));
  CHECK_FALSE(it.offered().contains(QStringLiteral("mdt")));
}

TEST_CASE("a key is not quoted twice, and completing is one step of undo", "[screen]") {
  Editing it(QStringLiteral("\"type\": \"lustre\", "));
  const QString before = it.workspace.document().text();
  QTest::keyClicks(&it.editor, QStringLiteral("\"str\": {}, "));
  it.place(QStringLiteral("\"lustre\", \"str"));
  const QString typed = it.workspace.document().text();
  it.editor.complete(true);
  CHECK(it.workspace.document().text().contains(QStringLiteral("\"lustre\", \"stripe\": {}, ")));
  it.workspace.document().undo_stack().undo();
  CHECK(it.workspace.document().text() == typed);
  while (it.workspace.document().undo_stack().canUndo())
    it.workspace.document().undo_stack().undo();
  CHECK(it.workspace.document().text() == before);
}

TEST_CASE("Ctrl+Space opens the list, Enter takes what is chosen, Escape nothing", "[screen]") {
  Editing it(QStringLiteral("\"type\": \"lustre\", "));
  QTest::keyClicks(&it.editor, QStringLiteral("st"));
  QTest::keyClick(&it.editor, Qt::Key_Space, Qt::ControlModifier);
  QAbstractItemView* list = it.editor.findChild<QCompleter*>()->popup();
  REQUIRE(list->isVisible());
  const QString before = it.workspace.document().text();
  QTest::keyClick(list, Qt::Key_Escape);
  CHECK_FALSE(list->isVisible());
  CHECK(it.workspace.document().text() == before);
  QTest::keyClick(&it.editor, Qt::Key_Space, Qt::ControlModifier);
  REQUIRE(list->isVisible());
  list->setCurrentIndex(list->model()->index(0, 0));
  QTest::keyClick(list, Qt::Key_Return);
  CHECK(it.workspace.document().text().contains(QStringLiteral("\"stripe\"")));
}

}  // namespace editor_test
