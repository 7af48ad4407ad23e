#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTextStream>
#include <QTimer>

#include "ui/desktop/main_window.hpp"
#include "ui/desktop/script.hpp"
#include "ui/desktop/theme.hpp"

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// "dark", "light", or what the desktop has.
bool wants_dark(const QString& theme) {
  return theme == QLatin1String("dark") || (theme != QLatin1String("light") && is_dark());
}

int fail(const QString& text) {
  QTextStream(stderr) << "stallcast-explorer: " << text << "\n";
  return static_cast<int>(ExitCode::bad_input);
}

}  // namespace

int main(int argc, char** argv) {
  // A script needs no screen.
  for (int i = 1; i < argc; ++i)
    if (qstrncmp(argv[i], "--script", 8) == 0 && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
      qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("stallcast"));
  QApplication::setApplicationName(QStringLiteral("stallcast-explorer"));
  QApplication::setApplicationVersion(QStringLiteral(STALLCAST_VERSION));

  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("What storage does to training, with sliders."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption script(QStringLiteral("script"),
                                  QStringLiteral("do the steps of FILE, then end"),
                                  QStringLiteral("FILE"));
  const QCommandLineOption shots(QStringLiteral("screenshots"),
                                 QStringLiteral("where its screenshots go"), QStringLiteral("DIR"),
                                 QStringLiteral("."));
  const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light, dark or system"),
                                 QStringLiteral("NAME"), QStringLiteral("system"));
  const QCommandLineOption scale(QStringLiteral("scale"),
                                 QStringLiteral("size of letters in percent"), QStringLiteral("N"),
                                 QStringLiteral("100"));
  const QCommandLineOption profile(QStringLiteral("profile"), QStringLiteral("calibration profile"),
                                   QStringLiteral("FILE"));
  const QCommandLineOption jobs(QStringLiteral("jobs"), QStringLiteral("simulations at a time"),
                                QStringLiteral("N"), QStringLiteral("0"));
  parser.addOptions({script, shots, theme, scale, profile, jobs});
  parser.addPositionalArgument(QStringLiteral("scenario"), QStringLiteral("scenario file to open"),
                               QStringLiteral("[SCENARIO]"));
  parser.process(app);

  const bool scripted = parser.isSet(script);
  if (scripted) QStandardPaths::setTestModeEnabled(true);
  apply_look(scripted && !parser.isSet(theme) ? false : wants_dark(parser.value(theme)),
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
