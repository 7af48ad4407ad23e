#define CATCH_CONFIG_RUNNER
#include <QApplication>
#include <QStandardPaths>
#include <catch2/catch.hpp>

#include "ui/desktop/theme.hpp"

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("stallcast-test"));
  QApplication::setApplicationName(QStringLiteral("desktop_test"));
  QStandardPaths::setTestModeEnabled(true);
  stallcast::desktop::apply_look(false, 100);
  return Catch::Session().run(argc, argv);
}
