#include "ui/desktop/script.hpp"

#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QPixmap>
#include <QThread>
#include <utility>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/key_press.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/saved_file.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/theme.hpp"

namespace stallcast::desktop {
namespace {

constexpr int kTurnMs = 20;                 // between two steps, so that the window paints
constexpr qint64 kLongestWaitMs = 300'000;  // a simulation that takes longer has failed

/// As it stands in a file: "50 %" in quotes, 3, {"share":0.5}.
QString written(const QJsonValue& value) {
  const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
  return QString::fromUtf8(list.sliced(1, list.size() - 2));
}

}  // namespace

Script* Script::load(MainWindow& window, const QString& file, const QString& folder,
                     QString& why_not) {
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) {
    why_not = QStringLiteral("%1: %2").arg(file, in.errorString());
    return nullptr;
  }
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(in.readAll(), &error);
  if (!document.isArray()) {
    why_not = QStringLiteral("%1: not a list of steps (%2 at byte %3)")
                  .arg(file, error.errorString())
                  .arg(error.offset);
    return nullptr;
  }
  return new Script(window, document.array(), folder);
}

Script::Script(MainWindow& window, QJsonArray steps, QString folder)
    : QObject(&window), window_(window), steps_(std::move(steps)), folder_(std::move(folder)) {
  again_.setSingleShot(true);
  connect(&again_, &QTimer::timeout, this, &Script::step);
}

void Script::start() { again_.start(kTurnMs); }

// A dialog that a key has just closed still has its loop to leave: what it was opened for begins
// after.
bool Script::settled() const {
  Workspace& w = window_.workspace();
  if (QThread::currentThread()->loopLevel() > level_) return false;
  const bool waits = w.freshness() == Freshness::estimated && !w.has_errors();
  return !waits && !w.refining() && !window_.current()->working();
}

std::optional<QString> Script::fault_of_file() {
  if (writer_ == nullptr) return QString();
  if (writer_->writing()) return std::nullopt;
  return std::exchange(writer_, nullptr)->fault();
}

void Script::step() {
  if (at_ == 0) level_ = QThread::currentThread()->loopLevel();
  // What was asked for is written before the end, and before the next that is asked for.
  const bool over = at_ >= steps_.size();
  const QJsonObject step = over ? QJsonObject() : steps_[at_].toObject();
  const QString what = step.value(QStringLiteral("do")).toString();
  const std::optional<QString> file =
      over || what == QLatin1String("report") ? fault_of_file() : QString();
  if (!file || (what == QLatin1String("wait") && !settled())) {
    waited_ms_ += kTurnMs;
    if (waited_ms_ < kLongestWaitMs) return again_.start(kTurnMs);
    return emit finished(
        QStringLiteral("step %1: still not %2").arg(at_ + 1).arg(file ? "simulated" : "written"));
  }
  waited_ms_ = 0;
  if (over) return emit finished(*file);
  const QString fault = file->isEmpty() ? perform(step) : *file;
  if (!fault.isEmpty()) return emit finished(QStringLiteral("step %1: %2").arg(at_ + 1).arg(fault));
  if (window_.current()->writing()) writer_ = window_.current();
  ++at_;
  again_.start(kTurnMs);
}

QString Script::perform(const QJsonObject& step) {
  const auto text = [&](const char* key) { return step.value(QLatin1String(key)).toString(); };
  const QString what = text("do");
  if (what == QLatin1String("wait")) return window_.current()->fault();
  if (what == QLatin1String("open"))
    return window_.open_file(text("file")) ? QString()
                                           : text("file") + QStringLiteral(" cannot be opened");
  if (what == QLatin1String("screen"))
    return window_.show_screen(text("name")) ? QString()
                                             : QStringLiteral("no screen \"%1\"").arg(text("name"));
  if (what == QLatin1String("task")) {
    window_.show_screen(QStringLiteral("start"));
    return {};
  }
  if (what == QLatin1String("key"))
    return press_key(window_, text("is")) ? QString()
                                          : QStringLiteral("no key \"%1\"").arg(text("is"));
  if (what == QLatin1String("screenshot")) return screenshot(text("name"));
  if (what == QLatin1String("theme")) {
    window_.set_look(look_named(text("is")), look_percent());
    return {};
  }
  if (what == QLatin1String("scale")) {
    window_.set_look(look_now(), step.value(QStringLiteral("percent")).toInt(100));
    return {};
  }
  if (what == QLatin1String("size")) {
    window_.resize(step.value(QStringLiteral("width")).toInt(1280),
                   step.value(QStringLiteral("height")).toInt(800));
    return {};
  }
  if (what == QLatin1String("undo") || what == QLatin1String("redo")) {
    QUndoStack& stack = window_.workspace().document().undo_stack();
    what == QLatin1String("undo") ? stack.undo() : stack.redo();
    return {};
  }
  if (what == QLatin1String("set")) {
    const QString path = text("path");
    const QJsonValue value = step.value(QStringLiteral("value"));
    if (value.isUndefined()) return QStringLiteral("\"set\" has no \"value\"");
    return window_.workspace().document().set(path, written(value))
               ? QString()
               : QStringLiteral("%1 cannot be set").arg(path);
  }
  if (what == QLatin1String("add_slider")) {
    window_.workspace().add_slider(text("path"));
    return {};
  }
  if (what == QLatin1String("save_variant") || what == QLatin1String("save_project")) {
    const QString file = text("file");
    const bool saved = what == QLatin1String("save_variant") ? window_.save_variant(file)
                                                             : window_.save_project(file);
    return saved ? QString() : file + QStringLiteral(" cannot be saved");
  }
  if (what == QLatin1String("table")) {
    for (ChartPane* pane : window_.current()->findChildren<ChartPane*>())
      pane->show_table(step.value(QStringLiteral("on")).toBool(true));
    return {};
  }
  // Everything else is a screen's own: { "do": "slide", "to": "storage[scratch].ost.count 64" }.
  if (window_.current()->act(what, text("to"))) return {};
  return QStringLiteral("\"%1\" with \"%2\" cannot be done on %3")
      .arg(what, text("to"), window_.current()->objectName());
}

QString Script::screenshot(const QString& name) {
  QApplication::processEvents();
  QDir().mkpath(folder_);
  const QString file = folder_ + u'/' + name + QStringLiteral(".png");
  QByteArray bytes;
  QBuffer out(&bytes);
  out.open(QIODevice::WriteOnly);
  // Not Qt's smallest: a fiftieth less of a file takes seven times as long to find.
  window_.grab().toImage().convertToFormat(QImage::Format_RGB888).save(&out, "PNG");
  QString why_not;
  return save_file(file, bytes, why_not) ? QString() : why_not;
}

}  // namespace stallcast::desktop
