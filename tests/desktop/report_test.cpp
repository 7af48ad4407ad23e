#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/script.hpp"

namespace report_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// Drawn and advised upon in half a second.
const QString kSmall = QStringLiteral("examples/lustre-512-gpus.json");

QByteArray bytes_of(const QString& file) {
  QFile in(file);
  REQUIRE(in.open(QIODevice::ReadOnly));
  return in.readAll();
}

/// What the command line says of `arguments`.
QByteArray said_by_program(const QStringList& arguments) {
  QProcess program;
  program.start(QStringLiteral(STALLCAST_PATH), arguments);
  REQUIRE(program.waitForFinished(kPatience));
  return program.readAllStandardOutput();
}

bool write_report(MainWindow& window, const QString& file) {
  window.show_screen(QStringLiteral("export"));
  return window.current()->act(QStringLiteral("report"), file) &&
         QTest::qWaitFor([&] { return !window.current()->working(); }, kPatience);
}

}  // namespace

TEST_CASE("the report of the window is that of the command line, byte for byte") {
  const QTemporaryDir folder;
  MainWindow window({.jobs = 1, .worker = STALLCAST_SIM_PATH}, {});
  window.show();
  REQUIRE(window.open_file(kSmall));
  // At once: the report simulates what is not simulated yet.
  REQUIRE(write_report(window, folder.filePath(QStringLiteral("a.html"))));
  const QByteArray page = bytes_of(folder.filePath(QStringLiteral("a.html")));
  CHECK(page.startsWith("<!doctype html>"));
  CHECK(page == said_by_program({QStringLiteral("run"), kSmall, QStringLiteral("--format"),
                                 QStringLiteral("html"), QStringLiteral("--quiet")}));
}

TEST_CASE("so is one of a design that was refined before, with rows that only gains have") {
  const QTemporaryDir folder;
  for (const char* name : {"host-failure", "qos-two-jobs"}) {
    INFO(name);
    const QString of = QStringLiteral("scenarios/library/%1.json").arg(QLatin1String(name));
    MainWindow window({.jobs = 2, .worker = STALLCAST_SIM_PATH}, {});
    window.show();
    REQUIRE(window.open_file(of));
    const Workspace& workspace = window.workspace();
    REQUIRE(QTest::qWaitFor(
        [&] { return workspace.freshness() == Freshness::simulated && !workspace.refining(); },
        kPatience));
    REQUIRE(write_report(window, folder.filePath(QStringLiteral("a.html"))));
    CHECK(bytes_of(folder.filePath(QStringLiteral("a.html"))) ==
          said_by_program({QStringLiteral("run"), of, QStringLiteral("--format"),
                           QStringLiteral("html"), QStringLiteral("--quiet")}));
  }
}

TEST_CASE("the report is of the values on screen, and says which command makes it again") {
  const QTemporaryDir folder;
  MainWindow window({.jobs = 1, .worker = STALLCAST_SIM_PATH}, {});
  window.show();
  REQUIRE(window.open_file(kSmall));
  REQUIRE(
      window.workspace().document().set(QStringLiteral("params.boxes.value"), QStringLiteral("3")));
  REQUIRE(QTest::qWaitFor([&] { return window.workspace().freshness() == Freshness::simulated; },
                          kPatience));
  REQUIRE(write_report(window, folder.filePath(QStringLiteral("a.html"))));
  const QByteArray page = bytes_of(folder.filePath(QStringLiteral("a.html")));
  CHECK(page.contains("stallcast run " + kSmall.toUtf8() + " --set params.boxes=3"));
  CHECK(page.contains(QByteArray::fromStdString(window.workspace().simulated()->design_sha256)));
  CHECK(page == said_by_program({QStringLiteral("run"), kSmall, QStringLiteral("--set"),
                                 QStringLiteral("params.boxes=3"), QStringLiteral("--format"),
                                 QStringLiteral("html"), QStringLiteral("--quiet")}));
}

TEST_CASE("a report is written though another scenario is opened meanwhile") {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("a.html"));
  MainWindow window({.jobs = 1, .worker = STALLCAST_SIM_PATH}, {});
  window.show();
  REQUIRE(window.open_file(kSmall));
  window.show_screen(QStringLiteral("export"));
  const Screen& screen = *window.current();
  REQUIRE(window.current()->act(QStringLiteral("report"), file));
  REQUIRE(window.open_file(kExample));
  REQUIRE(QTest::qWaitFor([&] { return !screen.writing(); }, kPatience));
  CHECK(screen.fault().isEmpty());
  CHECK(bytes_of(file).contains("lustre-512-gpus"));
}

TEST_CASE("a script ends when its report is written, without a step that waits for it") {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("a.html"));
  const QString steps = folder.filePath(QStringLiteral("steps.json"));
  QFile out(steps);
  REQUIRE(out.open(QIODevice::WriteOnly));
  out.write(R"([ { "do": "open", "file": ")" + kSmall.toUtf8() +
            R"(" }, { "do": "screen", "name": "export" }, { "do": "report", "to": ")" +
            file.toUtf8() + R"(" }, { "do": "screen", "name": "overview" } ])");
  out.close();
  MainWindow window({.jobs = 1, .worker = STALLCAST_SIM_PATH}, {});
  window.show();
  QString why_not;
  Script* script = Script::load(window, steps, folder.path(), why_not);
  REQUIRE(script != nullptr);
  std::optional<QString> fault;
  QObject::connect(script, &Script::finished, &window, [&](const QString& f) { fault = f; });
  script->start();
  REQUIRE(QTest::qWaitFor([&] { return fault.has_value(); }, kPatience));
  CHECK(fault->toStdString().empty());
  CHECK(bytes_of(file).startsWith("<!doctype html>"));
}

TEST_CASE("no report is begun of a text with errors, nor in a folder that is not there") {
  const QTemporaryDir folder;
  MainWindow window({.jobs = 1, .worker = STALLCAST_SIM_PATH}, {});
  window.show();
  REQUIRE(window.open_file(kExample));
  CHECK_FALSE(write_report(window, QStringLiteral("/no/such/folder/a.html")));
  REQUIRE(window.workspace().document().set(QStringLiteral("params.n_ost.value"),
                                            QStringLiteral("\"many\"")));
  CHECK_FALSE(write_report(window, folder.filePath(QStringLiteral("a.html"))));
}

}  // namespace report_test
