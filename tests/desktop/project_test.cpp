#include <QDir>
#include <QFile>
#include <QPlainTextEdit>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/project_file.hpp"
#include "ui/desktop/variant.hpp"

namespace project_test {

using namespace stallcast;
using namespace stallcast::desktop;

TEST_CASE("a variant has what changed, by id, null for what is gone, and other lists whole") {
  const QString before = QStringLiteral(R"({ // base
    "extends": "older.json", "id": "base", "params": { "n": { "value": 4, "min": 1 }, "m": 2 },
    "storage": [ { "id": "a", "ost": { "count": 2 } }, { "id": "b" } ], "run": { "seed": 1 },
    "expect": [ "x >= 1", "y >= 2" ] })");
  const QString after = QStringLiteral(R"({
    "extends": "older.json", "id": "base", "params": { "n": { "value": 8, "min": 1 } },
    "storage": [ { "id": "a", "ost": { "count": 2, "read": "1 GB/s" } }, { "id": "c" } ],
    "run": { "seed": 1 }, "expect": [ "x >= 1" ] })");
  const Variant variant =
      variant_of(before, after, QStringLiteral("../base.json"), QStringLiteral("more"));
  CHECK(variant.text.toStdString() == R"({
  "extends": "../base.json",
  "id": "more",
  "params": { "n": { "value": 8 }, "m": null },
  "storage": [ { "id": "a", "ost": { "read": "1 GB/s" } }, { "id": "c" } ],
  "expect": ["x >= 1"]
}
)");
  CHECK(variant.left_out == QStringList{QStringLiteral("storage[b]")});
  CHECK(variant_of(before, before, QStringLiteral("b.json"), QStringLiteral("same")).text ==
        QStringLiteral("{\n  \"extends\": \"b.json\",\n  \"id\": \"same\"\n}\n"));
}

TEST_CASE("a variant predicts what the changed design predicts") {
  const QTemporaryDir folder;
  MainWindow window(settings(), {});
  REQUIRE(window.open_file(kWhole));
  Document& document = window.workspace().document();
  REQUIRE(document.set(QStringLiteral("params.n_ost.value"), QStringLiteral("64")));
  REQUIRE(
      document.set(QStringLiteral("jobs[train].checkpoint.every_steps"), QStringLiteral("300")));
  REQUIRE(document.remove(QStringLiteral("expect")));
  REQUIRE(wait_simulated(window));
  const auto metrics = window.workspace().simulated()->metrics;
  const QString file = folder.filePath(QStringLiteral("more-osts.json"));
  REQUIRE(window.save_variant(file));
  CHECK_FALSE(window.save_variant(kWhole));  // it cannot extend itself
  REQUIRE(window.open_file(file));
  REQUIRE(wait_simulated(window));
  CHECK(window.workspace().design()->id == "more-osts");
  CHECK_FALSE(window.workspace().has_errors());
  for (const auto& [name, metric] : metrics) {
    INFO(name);
    REQUIRE(window.workspace().simulated()->metrics.contains(name));
    CHECK(window.workspace().simulated()->metrics.at(name).value == metric.value);
  }
}

TEST_CASE("a project brings the session back: text, sliders, pins, bookmarks and tracks") {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("mine.stallcast"));
  QString text;
  std::vector<QString> sliders;
  const Marks marks{{{QStringLiteral("second save"), 11.0, 21.5}},
                    {QStringLiteral("train, worst")}};
  {
    MainWindow window(settings(), {});
    REQUIRE(window.open_file(kExample));
    REQUIRE(wait_simulated(window));
    REQUIRE(window.workspace().pin(QStringLiteral("as it was")));
    window.workspace().add_slider(QStringLiteral("storage[scratch].ost.write"));
    window.workspace().set_marks(marks);
    REQUIRE(window.workspace().document().set(QStringLiteral("params.n_ost.value"),
                                              QStringLiteral("64")));
    text = window.workspace().document().text();
    sliders = window.workspace().slider_paths();
    REQUIRE(window.save_project(file));
    CHECK_FALSE(window.save_project(QStringLiteral("/no/such/folder/a.stallcast")));
  }
  MainWindow window(settings(), {});
  REQUIRE(window.open_file(file));
  Workspace& workspace = window.workspace();
  CHECK(workspace.document().text() == text);
  CHECK(workspace.document().modified());
  CHECK(QFileInfo(workspace.document().file()) == QFileInfo(kExample));
  CHECK(workspace.slider_paths() == sliders);
  CHECK(workspace.marks() == marks);
  REQUIRE(QTest::qWaitFor([&] { return workspace.pins().size() == 1; }, kPatience));
  CHECK(workspace.pins().front().name == QStringLiteral("as it was"));
  CHECK_FALSE(workspace.pins().front().prediction.metrics.empty());
  window.show();
  REQUIRE(window.show_screen(QStringLiteral("export")));
  // The command reads the file, which has another value.
  CHECK(window.findChild<QPlainTextEdit*>(QStringLiteral("export_text"))
            ->toPlainText()
            .contains(QStringLiteral("--set params.n_ost=64")));
}

TEST_CASE("a saved project is read as it was written, and says where a wrong one is wrong") {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("p.stallcast"));
  Project project;
  project.scenario = folder.filePath(QStringLiteral("sub/a.json"));
  project.sliders = {QStringLiteral("params.n")};
  project.pins = {{QStringLiteral("a"), QStringLiteral("{}")}};
  project.marks = {{{QStringLiteral("b"), 1.0, 2.0}}, {QStringLiteral("lane")}};
  const QByteArray written = write_project(project, file);
  CHECK(written.contains("\"sub/a.json\""));  // moves together with its project
  QString why_not;
  CHECK(read_project(written, file, why_not) == project);
  const std::pair<const char*, const char*> wrong[] = {
      {"{}", "/schema"},
      {R"({"schema":"stallcast.project/2"})", "/schema"},
      {R"({"schema":"stallcast.project/1"})", "/scenario"},
      {R"({"schema":"stallcast.project/1","text":"{}","sliders":[4]})", "/sliders/0"},
      {R"({"schema":"stallcast.project/1","text":"{}","pins":[{"name":"a"}]})", "/pins/0/text"},
      {R"({"schema":"stallcast.project/1","text":"{}","bookmarks":{}})", "/bookmarks"},
      {R"({"schema":"stallcast.project/1","text":"{}","bookmarks":[{"name":"a","from":"x","to":1}]})",
       "/bookmarks/0/from"}};
  for (const auto& [bad, place] : wrong) {
    INFO(bad);
    CHECK_FALSE(read_project(bad, file, why_not).has_value());
    CHECK(why_not.contains(QLatin1String(place)));
  }
  MainWindow window(settings(), {});
  QFile missing(file);
  REQUIRE(missing.open(QIODevice::WriteOnly));
  missing.write(written);
  missing.close();
  CHECK_FALSE(window.open_file(file));  // its scenario is not there
}

}  // namespace project_test
