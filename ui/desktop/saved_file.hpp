#pragma once

#include <QByteArray>
#include <QString>

namespace stallcast::desktop {

/// Replaces `file`, wholly or not at all. False when it cannot be written, and why.
[[nodiscard]] bool save_file(const QString& file, const QByteArray& bytes, QString& why_not);

}  // namespace stallcast::desktop
