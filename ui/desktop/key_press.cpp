#include "ui/desktop/key_press.hpp"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QKeySequence>
#include <QTimer>

namespace stallcast::desktop {
namespace {

QAction* action_of(const QWidget& window, const QKeySequence& keys) {
  for (QAction* action : window.findChildren<QAction*>())
    if (action->isEnabled() && action->shortcuts().contains(keys)) return action;
  return nullptr;
}

QAbstractButton* button_of(const QWidget& window, const QKeySequence& keys) {
  for (QAbstractButton* button : window.findChildren<QAbstractButton*>())
    if (button->isEnabled() && button->isVisible() && button->shortcut() == keys) return button;
  return nullptr;
}

/// What a key writes where text is asked for.
QString text_of_key(const QKeySequence& keys) {
  const QKeyCombination one = keys[0];
  const bool plain = (one.keyboardModifiers() & ~Qt::ShiftModifier) == Qt::NoModifier;
  const int key = one.key();
  if (key == Qt::Key_Space) return QStringLiteral(" ");
  if (!plain || key >= 0x1000000) return {};
  const QString letter(QChar(static_cast<char16_t>(key)));
  return one.keyboardModifiers().testFlag(Qt::ShiftModifier) ? letter : letter.toLower();
}

void press(QWidget& main, const QKeySequence& keys) {
  QWidget* dialog = QApplication::activeModalWidget();
  QWidget& window = dialog != nullptr ? *dialog : main;
  if (QAction* action = action_of(window, keys)) return action->trigger();
  if (QAbstractButton* button = button_of(window, keys)) return button->click();
  QWidget* focus = window.focusWidget();
  if (focus == nullptr) focus = &window;
  for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
    QKeyEvent event(type, keys[0].key(), keys[0].keyboardModifiers(), text_of_key(keys));
    QApplication::sendEvent(focus, &event);
  }
}

}  // namespace

bool press_key(QWidget& window, const QString& key) {
  const QKeySequence keys = QKeySequence::fromString(key, QKeySequence::PortableText);
  if (keys.count() != 1 || keys[0].key() == Qt::Key_unknown) return false;
  QTimer::singleShot(0, &window, [&window, keys] { press(window, keys); });
  return true;
}

}  // namespace stallcast::desktop
