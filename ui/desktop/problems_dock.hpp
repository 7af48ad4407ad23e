#pragma once

#include <QDockWidget>

#include "stallcast/diagnostic.hpp"

class QTableView;

namespace stallcast::desktop {

class RowsModel;
class Workspace;

/// Everything that is wrong with the text, with its place.
class ProblemsDock : public QDockWidget {
  Q_OBJECT
 public:
  ProblemsDock(Workspace& workspace, QWidget* parent);
  /// Goes to the next problem, and after the last to the first.
  void next();

 signals:
  void chosen(const stallcast::Position& position);

 private:
  void refresh();
  void choose(int row);

  Workspace& workspace_;
  RowsModel* model_;
  QTableView* table_;
  int current_ = -1;
  bool errors_ = false;
};

}  // namespace stallcast::desktop
