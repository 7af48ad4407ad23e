#pragma once

#include <QObject>

namespace stallcast::desktop {

/// Labels, tool tips and boxes show texts as they are: what a scenario calls something is no
/// markup, formats nothing and loads nothing. Those that mean to be rich text say so
/// (`Qt::RichText`).
class PlainText : public QObject {
 public:
  /// For all of the application, as long as this exists.
  explicit PlainText(QObject* parent);
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace stallcast::desktop
