#include "ui/desktop/session_file.hpp"

#include <cerrno>
#include <csignal>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include "ui/desktop/workspace.hpp"

namespace stallcast::desktop {
namespace {

const auto kSuffix = QStringLiteral(".stallcast-recovery.json");

bool lives(qint64 process) {
  return process > 0 && (::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM);
}

}  // namespace

SessionFile::SessionFile(Workspace& workspace, const QString& folder, QObject* parent)
    : QObject(parent), workspace_(workspace), folder_(folder) {
  if (folder_.isEmpty()) return;
  QDir().mkpath(folder_);
  timer_.setSingleShot(true);
  timer_.setInterval(kDelayMs);
  connect(&timer_, &QTimer::timeout, this, &SessionFile::write_now);
  connect(&workspace_.document(), &Document::edited, &timer_, qOverload<>(&QTimer::start));
  connect(&workspace_.document(), &Document::renamed, &timer_, qOverload<>(&QTimer::start));
}

SessionFile::~SessionFile() {
  if (!folder_.isEmpty()) QFile::remove(own_path());
}

QString SessionFile::own_path() const {
  return folder_ + u'/' + QString::number(QCoreApplication::applicationPid()) + kSuffix;
}

void SessionFile::write_now() {
  const Document& document = workspace_.document();
  if (folder_.isEmpty()) return;
  if (!document.modified()) {
    QFile::remove(own_path());
    return;
  }
  QSaveFile out(own_path());
  if (!out.open(QIODevice::WriteOnly))
    return;  // recovery is a courtesy: nothing else depends on it
  out.write(
      QJsonDocument(QJsonObject{{QStringLiteral("schema"), QStringLiteral("stallcast.recovery/1")},
                                {QStringLiteral("file"), document.file()},
                                {QStringLiteral("text"), document.text()}})
          .toJson());
  out.commit();
}

std::vector<Recovered> SessionFile::lost() const {
  std::vector<Recovered> out;
  if (folder_.isEmpty()) return out;
  for (const QString& name : QDir(folder_).entryList({u'*' + kSuffix}, QDir::Files, QDir::Time)) {
    if (lives(name.section(u'.', 0, 0).toLongLong())) continue;
    const QString path = folder_ + u'/' + name;
    QFile in(path);
    if (!in.open(QIODevice::ReadOnly)) continue;
    const QJsonObject object = QJsonDocument::fromJson(in.readAll()).object();
    if (object.value(QStringLiteral("schema")) != QStringLiteral("stallcast.recovery/1")) continue;
    out.push_back({path, object.value(QStringLiteral("file")).toString(),
                   object.value(QStringLiteral("text")).toString()});
  }
  return out;
}

void SessionFile::forget(const Recovered& recovered) { QFile::remove(recovered.path); }

}  // namespace stallcast::desktop
