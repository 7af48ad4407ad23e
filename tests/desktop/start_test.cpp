#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "tests/desktop/support.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/script.hpp"
#include "ui/desktop/start_card.hpp"

namespace start_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

struct Task {
  QString name;
  QJsonArray steps;
  QStringList keys;
};

std::vector<Task> five_tasks() {
  QFile file(QStringLiteral("docs/tutorial/five-tasks.json"));
  REQUIRE(file.open(QIODevice::ReadOnly));
  std::vector<Task> out;
  for (const QJsonValue& step : QJsonDocument::fromJson(file.readAll()).array()) {
    const QString what = step[QStringLiteral("do")].toString();
    if (what == QStringLiteral("task"))
      out.push_back({step[QStringLiteral("name")].toString(), {}, {}});
    else
      out.back().steps.append(step);
    if (what == QStringLiteral("key")) out.back().keys << step[QStringLiteral("is")].toString();
  }
  return out;
}

/// Whether a step is neither a key nor a wait.
bool by_other_means(const QJsonValue& step) {
  const QString what = step[QStringLiteral("do")].toString();
  return what != QStringLiteral("key") && what != QStringLiteral("wait");
}

}  // namespace

TEST_CASE("each card of the first screen opens an example that is predicted", "[screen]") {
  const std::pair<const char*, const char*> cards[] = {
      {"begin_size", "overview"}, {"begin_explain", "overview"}, {"begin_compare", "compare"}};
  for (const auto& [card, screen] : cards) {
    INFO(card);
    MainWindow window(settings(), {});
    window.show();
    auto* button = window.findChild<StartCard*>(QLatin1String(card));
    REQUIRE(button != nullptr);
    button->click();
    REQUIRE(wait_simulated(window));
    CHECK(window.workspace().simulated()->verdict != Verdict::none);
    REQUIRE(QTest::qWaitFor(
        [&, wanted = QLatin1String(screen)] { return window.current()->objectName() == wanted; },
        kPatience));
    CHECK(window.workspace().pins().size() == (QLatin1String(screen) == QLatin1String("compare")));
  }
}

TEST_CASE("templates are grouped, each in one group, and one click opens one", "[screen]") {
  MainWindow window(settings(), {});
  window.show();
  auto* tree = window.findChild<QTreeWidget*>(QStringLiteral("templates"));
  REQUIRE(tree != nullptr);
  std::size_t count = 0;
  for (int i = 0; i < tree->topLevelItemCount(); ++i) {
    CHECK(tree->topLevelItem(i)->childCount() > 0);
    count += static_cast<std::size_t>(tree->topLevelItem(i)->childCount());
  }
  CHECK(tree->topLevelItemCount() >= 4);
  CHECK(count == client::starting_points().size());
  QTreeWidgetItem* first = tree->topLevelItem(0)->child(0);
  tree->scrollToItem(first);
  QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualItemRect(first).center());
  REQUIRE(QTest::qWaitFor([&] { return window.workspace().design() != nullptr; }, 5000));
  CHECK(window.current()->objectName() == QStringLiteral("overview"));
  CHECK(window.workspace().document().file().isEmpty());
}

TEST_CASE("a step that sets a value has it as it stands in a scenario") {
  const QTemporaryDir folder;
  QFile steps(folder.filePath(QStringLiteral("steps.json")));
  REQUIRE(steps.open(QIODevice::WriteOnly));
  steps.write(R"([{"do": "open", "file": ")" + QDir().absoluteFilePath(kExample).toUtf8() + R"("},
                  {"do": "set", "path": "storage[scratch].ost.write", "value": "3 GB/s"},
                  {"do": "set", "path": "storage[scratch].mdt.count", "value": 3},
                  {"do": "set", "path": "params.n_ost", "value": {"value": 24}}])");
  steps.close();
  MainWindow window(settings(), {});
  window.setProperty("discard", true);
  QString why_not;
  Script* script = Script::load(window, steps.fileName(), folder.path(), why_not);
  REQUIRE(script != nullptr);
  QSignalSpy finished(script, &Script::finished);
  script->start();
  REQUIRE(QTest::qWaitFor([&] { return finished.count() == 1; }, kPatience));
  CHECK(finished.front().front().toString().toStdString() == "");
  CHECK_FALSE(window.workspace().has_errors());
  const QString text = window.workspace().document().text();
  CHECK(text.contains(QStringLiteral("\"3 GB/s\"")));
  CHECK(text.contains(QStringLiteral("{\"value\":24}")));
}

TEST_CASE("five tasks are done by keys alone, none with more than twelve", "[screen]") {
  constexpr qsizetype kMostKeys = 12;
  QTemporaryDir folder;
  const QString home = QDir::currentPath();
  QFile page(QStringLiteral("docs/guide/explorer.md"));
  REQUIRE(page.open(QIODevice::ReadOnly));
  const QString guide = QString::fromUtf8(page.readAll());
  const std::map<QString, std::function<bool(MainWindow&)>> done = {
      {QStringLiteral("size"),
       [](MainWindow& w) {
         return w.workspace().simulated()->verdict == Verdict::pass &&
                w.workspace().document().modified();
       }},
      {QStringLiteral("explain"),
       [](MainWindow& w) {
         return w.current()->objectName() == QStringLiteral("bottleneck") &&
                w.workspace().freshness() == Freshness::simulated;
       }},
      {QStringLiteral("compare"),
       [](MainWindow& w) {
         return w.current()->objectName() == QStringLiteral("compare") &&
                w.workspace().pins().size() == 1;
       }},
      {QStringLiteral("check in CI"),
       [](MainWindow& w) {
         return w.workspace().simulated()->assertions.size() == 3 &&
                QFile::exists(w.workspace().document().file());
       }},
      {QStringLiteral("hand to a manager"),
       [](MainWindow&) { return QFile::exists(QStringLiteral("untitled.html")); }}};
  const std::vector<Task> tasks = five_tasks();
  REQUIRE(tasks.size() == done.size());
  QDir::setCurrent(folder.path());  // where dialogs propose to save
  for (const Task& task : tasks) {
    INFO(task.name.toStdString());
    CHECK(task.keys.size() <= kMostKeys);
    CHECK(std::none_of(task.steps.begin(), task.steps.end(), by_other_means));
    CHECK(guide.contains(
        QStringLiteral("| %1 | %2 |").arg(task.keys.join(u' ')).arg(task.keys.size())));
    const QString file = folder.filePath(QStringLiteral("steps.json"));
    QFile steps(file);
    REQUIRE(steps.open(QIODevice::WriteOnly));
    steps.write(QJsonDocument(task.steps).toJson());
    steps.close();
    MainWindow window(settings(), {});
    window.setProperty("discard", true);
    window.show();
    QString why_not;
    Script* script = Script::load(window, file, folder.path(), why_not);
    REQUIRE(script != nullptr);
    QSignalSpy finished(script, &Script::finished);
    script->start();
    REQUIRE(QTest::qWaitFor([&] { return finished.count() == 1; }, kPatience));
    CHECK(finished.front().front().toString().toStdString() == "");
    CHECK(done.at(task.name)(window));
  }
  QDir::setCurrent(home);
}

}  // namespace start_test
