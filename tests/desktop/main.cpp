#include <QApplication>
#include <QStandardPaths>
#include <cstdio>

#include "tests/support/catch_session.hpp"
#include "ui/desktop/theme.hpp"

namespace {

/// Says what Qt says, but for what it says of every window without a screen: a report of a failed
/// test that is cut in length would hold nothing else.
void say(QtMsgType, const QMessageLogContext&, const QString& message) {
  if (message.contains(QLatin1String("propagateSizeHints"))) return;
  std::fprintf(stderr, "%s\n", message.toUtf8().constData());
}

}  // namespace

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  qInstallMessageHandler(say);
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("stallcast-test"));
  QApplication::setApplicationName(QStringLiteral("desktop_test"));
  QStandardPaths::setTestModeEnabled(true);
  stallcast::desktop::apply_look(stallcast::desktop::Look::light, 100);
  return stallcast::testing::run_tests(argc, argv);
}
