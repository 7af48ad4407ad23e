#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTextStream>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <initializer_list>

#include "ui/desktop/main_window.hpp"
#include "ui/desktop/script.hpp"
#include "ui/desktop/theme.hpp"

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

int fail(const QString& text) {
  QTextStream(stderr) << "stallcast-explorer: " << text << "\n";
  return static_cast<int>(ExitCode::bad_input);
}

/// Whether one of the arguments begins with one of these.
bool has_argument(int argc, char** argv, std::initializer_list<const char*> wanted) {
  return std::any_of(argv + 1, argv + argc, [&](const char* given) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const char* name) { return qstrncmp(given, name, qstrlen(name)) == 0; });
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is seen by the write that fails
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    if (has_argument(argc, argv, {"--script", "--help", "-h", "--version", "-v"}))
      qputenv("QT_QPA_PLATFORM", "offscreen");
    else if (!qEnvironmentVariableIsSet("DISPLAY") &&
             !qEnvironmentVariableIsSet("WAYLAND_DISPLAY") &&
             !has_argument(argc, argv, {"-platform"}))
      return fail(
          QStringLiteral("there is no screen: DISPLAY is not set\nhint: use it in a desktop "
                         "session, or with --script, which needs no screen"));
  }
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("stallcast"));
  QApplication::setApplicationName(QStringLiteral("stallcast-explorer"));
  QApplication::setApplicationVersion(QStringLiteral(STALLCAST_VERSION));

  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("What storage does to training, with sliders."));
  parser.addHelpOption();
  parser.addVersionOption();
  const auto option = [](const char* name, const char* help, const char* value,
                         const char* usual = "") {
    return QCommandLineOption(QLatin1String(name), QLatin1String(help), QLatin1String(value),
                              QLatin1String(usual));
  };
  const QCommandLineOption script = option("script", "do the steps of FILE, then end", "FILE");
  const QCommandLineOption shots = option("screenshots", "where its screenshots go", "DIR", ".");
  const QCommandLineOption theme =
      option("theme", "light, dark, high-contrast or system", "NAME", "system");
  const QCommandLineOption scale = option("scale", "size of letters in percent", "N", "100");
  const QCommandLineOption profile = option("profile", "calibration profile", "FILE");
  const QCommandLineOption jobs = option("jobs", "simulations at a time", "N", "0");
  parser.addOptions({script, shots, theme, scale, profile, jobs});
  parser.addPositionalArgument(QStringLiteral("scenario"), QStringLiteral("scenario file to open"),
                               QStringLiteral("[SCENARIO]"));
  if (!parser.parse(QApplication::arguments()))
    return fail(parser.errorText() + QStringLiteral("\nhint: see \"stallcast-explorer --help\""));
  parser.process(app);  // help and version

  const bool scripted = parser.isSet(script);
  if (scripted) QStandardPaths::setTestModeEnabled(true);
  apply_look(scripted && !parser.isSet(theme) ? Look::light : look_named(parser.value(theme)),
             std::clamp(parser.value(scale).toInt(), 75, 300));
  client::Settings settings;
  settings.jobs = parser.value(jobs).toInt();
  settings.profile = parser.value(profile).toStdString();
  // A script neither leaves nor finds unsaved work.
  MainWindow window(
      settings,
      scripted ? QString() : QStandardPaths::writableLocation(QStandardPaths::AppDataLocation));
  window.resize(1280, 800);
  const QStringList files = parser.positionalArguments();
  if (!files.isEmpty() && !window.open_file(files.front()))
    return fail(files.front() + QStringLiteral(" cannot be read"));
  window.show();
  if (!scripted) return QApplication::exec();

  QString why_not;
  Script* steps = Script::load(window, parser.value(script), parser.value(shots), why_not);
  if (steps == nullptr) return fail(why_not);
  int exit = 0;
  QObject::connect(steps, &Script::finished, &app, [&](const QString& fault) {
    if (!fault.isEmpty()) exit = fail(parser.value(script) + QStringLiteral(": ") + fault);
    QApplication::exit(exit);
  });
  steps->start();
  return QApplication::exec();
}
