#include "ui/desktop/saved_file.hpp"

#include <string_view>

#include "engine/base/files.hpp"

namespace stallcast::desktop {

bool save_file(const QString& file, const QByteArray& bytes, QString& why_not) {
  const auto written =
      base::write_file(file.toStdString(),
                       std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
  if (!written.ok()) why_not = QString::fromStdString(written.failure().message);
  return written.ok();
}

}  // namespace stallcast::desktop
