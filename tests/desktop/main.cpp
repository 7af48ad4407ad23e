#include <QApplication>
#include <QStandardPaths>

#include "tests/support/catch_session.hpp"
#include "ui/desktop/theme.hpp"

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("stallcast-test"));
  QApplication::setApplicationName(QStringLiteral("desktop_test"));
  QStandardPaths::setTestModeEnabled(true);
  stallcast::desktop::apply_look(stallcast::desktop::Look::light, 100);
  return stallcast::testing::run_tests(argc, argv);
}
