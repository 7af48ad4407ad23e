#pragma once

#include <vector>

#include "ui/desktop/screen.hpp"
#include "ui/desktop/variation.hpp"

class QComboBox;
class QLabel;
class QPushButton;

namespace stallcast::desktop {

class RowsModel;
class TornadoChart;
class XyChart;

/// Which inputs matter: each moved down and up by itself, and one followed over its whole range.
class SensitivityScreen : public Screen {
  Q_OBJECT
 public:
  SensitivityScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "run", "curve" with a path.
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 private:
  /// The metric for one input at its low and its high value.
  struct Swing {
    SliderSpec slider;
    double low = 0.0, high = 0.0;
    std::optional<Prediction> at_low, at_high;
  };
  void run();
  void show_swings();
  void follow(const SliderSpec& slider);
  void show_curve();

  QComboBox *metric_, *span_;
  QPushButton* run_;
  QLabel* status_;
  TornadoChart* tornado_;
  XyChart* curve_;
  RowsModel* curve_twin_;
  std::vector<Swing> swings_;
  std::optional<SliderSpec> followed_;
  std::vector<std::pair<double, Prediction>> points_;
};

}  // namespace stallcast::desktop
