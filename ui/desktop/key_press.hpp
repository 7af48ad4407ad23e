#pragma once

#include <QString>

class QWidget;

namespace stallcast::desktop {

/// Presses a key, or keys together ("Tab", "Ctrl+2", "Alt+A"), as a user does: a menu or a button
/// whose key it is takes it, else what has the focus in `window` or in a dialog of it. From the
/// event loop, since a dialog keeps it. False when there is no such key.
bool press_key(QWidget& window, const QString& key);

}  // namespace stallcast::desktop
