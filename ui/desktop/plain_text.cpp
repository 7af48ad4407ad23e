#include "ui/desktop/plain_text.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>

namespace stallcast::desktop {

PlainText::PlainText(QObject* parent) : QObject(parent) {
  QCoreApplication::instance()->installEventFilter(this);
}

// Before it is laid out or shown: Qt looks at a text and guesses, and a tool tip is a label, too.
bool PlainText::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Polish)
    if (auto* label = qobject_cast<QLabel*>(watched);
        label != nullptr && label->textFormat() == Qt::AutoText)
      label->setTextFormat(Qt::PlainText);
  return QObject::eventFilter(watched, event);
}

}  // namespace stallcast::desktop
