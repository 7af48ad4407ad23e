#pragma once

#include "ui/desktop/screen.hpp"

class QComboBox;
class QLabel;

namespace stallcast::desktop {

class RowsModel;
class StepChart;

/// Pinned designs and the one on screen beside each other: what differs in the text, and in the
/// figures.
class CompareScreen : public Screen {
  Q_OBJECT
 public:
  CompareScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;

 private:
  void refresh_inputs();
  void refresh_figures();

  QLabel* empty_;
  QComboBox* base_;
  RowsModel *inputs_, *figures_;
  StepChart* steps_;
};

}  // namespace stallcast::desktop
