#pragma once

#include <vector>

#include "ui/desktop/screen.hpp"
#include "ui/desktop/variation.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;
class QVBoxLayout;

namespace stallcast::desktop {

class InteractionPane;
class RangeModel;
class RowsModel;
class TornadoChart;
class XyChart;

/// Which inputs matter: each moved over its range by itself, one followed over it to find its knee,
/// and two together.
class SensitivityScreen : public Screen {
  Q_OBJECT
 public:
  SensitivityScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "run", "metric", "curve" with a path, "range" with "PATH LOW..HIGH", "pair" with "PATH PATH".
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 private:
  /// The metric for one input at its low and its high value.
  struct Swing {
    SliderSpec slider;
    double low = 0.0, high = 0.0;
    std::optional<Prediction> at_low, at_high;
  };
  void add_head(QVBoxLayout& layout);
  QWidget* input_side(QWidget* parent);
  QWidget* response_side(QWidget* parent);
  void set_span();
  void run();
  void show_swings();
  void follow(const QString& path);
  void show_curve();

  QComboBox *metric_, *span_;
  QPushButton *run_, *reset_;
  QLabel *status_, *knee_;
  RangeModel* ranges_;
  TornadoChart* tornado_;
  XyChart* curve_;
  RowsModel* curve_twin_;
  QTabWidget* tabs_;
  InteractionPane* pair_;
  std::vector<Swing> swings_;
  std::optional<SliderSpec> followed_;
  std::vector<std::pair<double, Prediction>> points_;
};

}  // namespace stallcast::desktop
