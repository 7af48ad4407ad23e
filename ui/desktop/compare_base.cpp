#include "ui/desktop/compare_base.hpp"

#include <QCoreApplication>
#include <QFile>
#include <utility>

namespace stallcast::desktop {
namespace {

QString base_text(const char* source) {
  return QCoreApplication::translate("stallcast::desktop::CompareScreen", source);
}

}  // namespace

bool CompareBase::read(Workspace& workspace) {
  if (!scenario) scenario = workspace.session().read(source).scenario;
  return scenario.has_value();
}

bool CompareBase::same(const CompareBase& other) const {
  return name == other.name && source.text == other.source.text &&
         source.variant == other.source.variant;
}

std::vector<CompareBase> compare_bases(const Workspace& workspace) {
  std::vector<CompareBase> out;
  for (const Pin& pin : workspace.pins()) {
    out.push_back({pin.name, workspace.source(), pin.prediction});
    out.back().source.text = pin.text.toStdString();
  }
  const Document& document = workspace.document();
  QFile file(document.file());
  if (document.modified() && !document.file().isEmpty() && file.open(QIODevice::ReadOnly)) {
    out.push_back({base_text("as saved"), workspace.source(), {}});
    out.back().source.text = QString::fromUtf8(file.readAll())
                                 .replace(QLatin1String("\r\n"), QLatin1String("\n"))
                                 .toStdString();
  }
  if (!workspace.scenario()) return out;
  for (const std::string& variant : workspace.scenario()->variants()) {
    out.push_back(
        {base_text("variant %1").arg(QString::fromStdString(variant)), workspace.source(), {}});
    out.back().source.variant = variant;
  }
  return out;
}

}  // namespace stallcast::desktop
