#pragma once

#include <vector>

#include "ui/desktop/screen.hpp"

class QGridLayout;
class QLabel;
class QMenu;
class QPushButton;
class QVBoxLayout;

namespace stallcast::desktop {

class ChartPane;
class RowsModel;
class SliderRow;
class StepChart;
class Tile;

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
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* slider_side();
  QWidget* figure_side();
  QWidget* cause_side();
  void rebuild_sliders();
  void show_values();
  void refresh_tiles();
  void place_tiles();
  void refresh_pins();
  void refresh_causes();
  void solve();
  [[nodiscard]] QString why() const;

  QVBoxLayout* slider_list_;
  std::vector<SliderRow*> rows_;
  QWidget* tile_area_;
  QGridLayout* tile_grid_;
  std::vector<Tile*> tiles_;
  int tile_columns_ = 0;
  QLabel *status_, *why_, *solved_;
  QVBoxLayout* pin_list_;
  QPushButton *pin_, *solve_;
  StepChart* steps_;
  RowsModel* limits_;
  std::optional<Prediction> before_;  // the simulation shown before the last one
  std::optional<Prediction> last_;
  QString last_edit_;
};

}  // namespace stallcast::desktop
