#pragma once

#include <vector>

#include "ui/desktop/screen.hpp"

class QLabel;
class QMenu;
class QPushButton;
class QSplitter;
class QVBoxLayout;

namespace stallcast::desktop {

class ChartPane;
class RowsModel;
class SliderRow;
class StepChart;
class TileGrid;

/// Home: sliders left, figures in the middle, where the time goes and what limits right.
class WhatIfScreen : public Screen {
  Q_OBJECT
 public:
  WhatIfScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "slide" with "PATH VALUE", "pin" with a name, "solve".
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 signals:
  /// The user wants to expect something of this metric.
  void assert_wanted(const QString& metric);

 protected:
  void changeEvent(QEvent* event) override;
  void arrange() override;

 private:
  QWidget* slider_side();
  QWidget* figure_side();
  QWidget* cause_side();
  void rebuild_sliders();
  void show_values();
  void refresh_tiles();
  void refresh_pins();
  void refresh_causes();
  void solve();
  [[nodiscard]] QString why() const;

  QSplitter* split_;
  QVBoxLayout* slider_list_;
  std::vector<SliderRow*> rows_;
  TileGrid* tiles_;
  QLabel *status_, *why_, *solved_;
  QVBoxLayout* pin_list_;
  QPushButton *pin_, *solve_;
  StepChart* steps_;
  RowsModel* limits_;
  std::optional<Prediction> before_;  // the simulation shown before the last one
  std::optional<Prediction> last_;
  int edits_ = 0;       // of the undo stack, at the last simulation
  QString last_edits_;  // between that and the one before
};

}  // namespace stallcast::desktop
