#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/screen.hpp"

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
