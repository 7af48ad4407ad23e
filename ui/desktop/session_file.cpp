#include "ui/desktop/session_file.hpp"

#include <cerrno>
#include <csignal>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <utility>

#include "ui/desktop/saved_file.hpp"
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
  connect(&workspace_, &Workspace::pins_changed, &timer_, qOverload<>(&QTimer::start));
  connect(&workspace_, &Workspace::sliders_changed, &timer_, qOverload<>(&QTimer::start));
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
  if (!document.modified() && workspace_.pins().empty()) {
    QFile::remove(own_path());
    return;
  }
  // Recovery is a courtesy: nothing else depends on it.
  QString ignored;
  (void)save_file(own_path(), write_project(project_of(workspace_), own_path()), ignored);
}

std::vector<Recovered> SessionFile::lost() const {
  std::vector<Recovered> out;
  if (folder_.isEmpty()) return out;
  for (const QString& name : QDir(folder_).entryList({u'*' + kSuffix}, QDir::Files, QDir::Time)) {
    if (lives(name.section(u'.', 0, 0).toLongLong())) continue;
    const QString path = folder_ + u'/' + name;
    QFile in(path);
    if (!in.open(QIODevice::ReadOnly)) continue;
    QString why_not;
    if (std::optional<Project> project = read_project(in.readAll(), path, why_not))
      out.push_back({path, *std::move(project)});
  }
  return out;
}

bool SessionFile::recover(const Recovered& recovered, QString& why_not) {
  if (!restore(recovered.project, workspace_, why_not)) return false;
  forget(recovered);
  return true;
}

void SessionFile::forget(const Recovered& recovered) { QFile::remove(recovered.path); }

}  // namespace stallcast::desktop
