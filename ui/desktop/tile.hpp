#pragma once

#include <QFrame>

#include "ui/desktop/workspace.hpp"

class QLabel;
class QVBoxLayout;

namespace stallcast::desktop {

/// One figure: its value, how it stands to each pinned design, and what is expected of it.
class Tile : public QFrame {
 public:
  Tile(QString metric, const QString& title, QWidget* parent);

  [[nodiscard]] const QString& metric() const { return metric_; }
  void refresh(const Workspace& workspace);

 private:
  QString metric_, title_;
  QLabel *value_, *kind_, *notes_;
};

}  // namespace stallcast::desktop
