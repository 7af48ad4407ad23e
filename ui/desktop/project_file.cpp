#include "ui/desktop/project_file.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "ui/desktop/variation.hpp"

namespace stallcast::desktop {
namespace {

const auto kSchema = QStringLiteral("stallcast.project/1");

QString text_for(const char* source) {
  return QCoreApplication::translate("stallcast::desktop::Project", source);
}

/// Reads members and remembers the first that is none of what it should be.
class Reader {
 public:
  explicit Reader(QString& fault) : fault_(fault) {}

  QString text(const QJsonObject& object, const QString& key, const QString& at) {
    const QJsonValue value = object.value(key);
    if (!value.isString()) wrong(at + u'/' + key, text_for("a text"));
    return value.toString();
  }
  double number(const QJsonObject& object, const QString& key, const QString& at) {
    const QJsonValue value = object.value(key);
    if (!value.isDouble()) wrong(at + u'/' + key, text_for("a number of seconds"));
    return value.toDouble();
  }
  /// Calls `take` with each item and its pointer; a list that is not there has none.
  template <typename F>
  void items(const QJsonObject& object, const QString& key, F take) {
    const QJsonValue value = object.value(key);
    if (value.isUndefined()) return;
    if (!value.isArray()) return wrong(u'/' + key, text_for("a list"));
    const QJsonArray list = value.toArray();
    for (qsizetype i = 0; i < list.size(); ++i)
      take(list[i], QStringLiteral("/%1/%2").arg(key).arg(i));
  }
  void texts(const QJsonObject& object, const QString& key, auto take) {
    items(object, key, [&](const QJsonValue& value, const QString& at) {
      if (!value.isString()) return wrong(at, text_for("a text"));
      take(value.toString());
    });
  }
  void wrong(const QString& pointer, const QString& wanted) {
    if (fault_.isEmpty()) fault_ = text_for("%1 is not %2").arg(pointer, wanted);
  }

 private:
  QString& fault_;
};

}  // namespace

Project project_of(const Workspace& workspace) {
  const Document& document = workspace.document();
  Project out;
  out.scenario = document.file();
  if (out.scenario.isEmpty() || document.modified()) out.text = document.text();
  out.sliders = workspace.slider_paths();
  for (const Pin& pin : workspace.pins()) out.pins.emplace_back(pin.name, pin.text);
  out.marks = workspace.marks();
  return out;
}

QByteArray write_project(const Project& project, const QString& file) {
  QJsonObject out{{QStringLiteral("schema"), kSchema}};
  if (!project.scenario.isEmpty())
    out[QStringLiteral("scenario")] = QFileInfo(file).absoluteDir().relativeFilePath(
        QFileInfo(project.scenario).absoluteFilePath());
  if (project.text) out[QStringLiteral("text")] = *project.text;
  QJsonArray sliders, pins, bookmarks;
  for (const QString& path : project.sliders) sliders.append(path);
  for (const auto& [name, text] : project.pins)
    pins.append(QJsonObject{{QStringLiteral("name"), name}, {QStringLiteral("text"), text}});
  for (const Bookmark& b : project.marks.bookmarks)
    bookmarks.append(QJsonObject{{QStringLiteral("name"), b.name},
                                 {QStringLiteral("from"), b.from},
                                 {QStringLiteral("to"), b.to}});
  out[QStringLiteral("sliders")] = sliders;
  out[QStringLiteral("pins")] = pins;
  out[QStringLiteral("bookmarks")] = bookmarks;
  out[QStringLiteral("tracks")] = QJsonArray::fromStringList(project.marks.tracks);
  return QJsonDocument(out).toJson();
}

bool is_project(const QByteArray& text) {
  return QJsonDocument::fromJson(text)
      .object()
      .value(QStringLiteral("schema"))
      .toString()
      .startsWith(QLatin1String("stallcast.project/"));
}

std::optional<Project> read_project(const QByteArray& text, const QString& file, QString& why_not) {
  const QJsonObject object = QJsonDocument::fromJson(text).object();
  if (object.value(QStringLiteral("schema")) != kSchema) {
    why_not = text_for("%1: /schema is not \"%2\"").arg(file, kSchema);
    return std::nullopt;
  }
  QString fault;
  Reader reader(fault);
  Project out;
  if (object.contains(QStringLiteral("scenario"))) {
    const QString path = reader.text(object, QStringLiteral("scenario"), {});
    // As the user gave it, where that leads there: titles and messages stay short.
    const QFileInfo folder(file);
    out.scenario = QDir::cleanPath(folder.dir().filePath(path));
  }
  if (object.contains(QStringLiteral("text")))
    out.text = reader.text(object, QStringLiteral("text"), {});
  reader.texts(object, QStringLiteral("sliders"),
               [&](const QString& path) { out.sliders.push_back(path); });
  reader.texts(object, QStringLiteral("tracks"),
               [&](const QString& name) { out.marks.tracks << name; });
  reader.items(object, QStringLiteral("pins"), [&](const QJsonValue& value, const QString& at) {
    const QJsonObject pin = value.toObject();
    out.pins.emplace_back(reader.text(pin, QStringLiteral("name"), at),
                          reader.text(pin, QStringLiteral("text"), at));
  });
  reader.items(object, QStringLiteral("bookmarks"),
               [&](const QJsonValue& value, const QString& at) {
                 const QJsonObject b = value.toObject();
                 out.marks.bookmarks.push_back({reader.text(b, QStringLiteral("name"), at),
                                                reader.number(b, QStringLiteral("from"), at),
                                                reader.number(b, QStringLiteral("to"), at)});
               });
  if (out.scenario.isEmpty() && !out.text)
    reader.wrong(QStringLiteral("/scenario"), text_for("there, nor /text"));
  if (!fault.isEmpty()) {
    why_not = file + QStringLiteral(": ") + fault;
    return std::nullopt;
  }
  return out;
}

bool restore(const Project& project, Workspace& workspace, QString& why_not) {
  QString text = project.text.value_or(QString());
  QFile in(project.scenario);
  if (!project.scenario.isEmpty() && in.open(QIODevice::ReadOnly)) {
    text = QString::fromUtf8(in.readAll());
  } else if (!project.text) {
    why_not = QStringLiteral("%1: %2").arg(project.scenario, in.errorString());
    return false;
  }
  workspace.document().open(text, project.scenario, project.text);
  workspace.set_marks(project.marks);
  if (!project.sliders.empty()) workspace.set_sliders(project.sliders);
  workspace.set_pins({});
  if (project.pins.empty()) return true;
  std::vector<QString> texts;
  for (const auto& [name, pinned] : project.pins) texts.push_back(pinned);
  workspace.background().start(
      [&workspace, pins = project.pins, texts = std::move(texts), source = workspace.source()](
          client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        const auto predictions = predict_texts(session, source, texts, progress);
        std::vector<Pin> out;
        for (std::size_t i = 0; i < pins.size(); ++i)
          if (predictions[i]) out.push_back({pins[i].first, pins[i].second, *predictions[i]});
        return [&workspace, out = std::move(out)] { workspace.set_pins(out); };
      });
  return true;
}

}  // namespace stallcast::desktop
