#pragma once

#include <vector>

#include "ui/desktop/rows_model.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/variation.hpp"
#include "ui/desktop/xy_chart.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTabWidget;
class QVBoxLayout;

namespace stallcast::desktop {

class InteractionPane;
class OnEntry;
class PlanPane;
class RangeModel;
class TornadoChart;

/// Which inputs matter: each moved over its range by itself, one followed over it to find its knee,
/// two together, and how many of what is bought are enough.
class SensitivityScreen : public Screen {
  Q_OBJECT
 public:
  SensitivityScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "run", "metric", "curve" with a path, "range" with "PATH LOW..HIGH", "pair" with "PATH PATH",
  /// "plan".
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 protected:
  void arrange() override;

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
  /// Adds what outcomes of a figure of the curve are within to its band: those of its draws, else
  /// about as far off as those of the design on screen. The same as a cell.
  Cell add_outcomes(const Metric& of, const QString& metric, XyChart::Series& line) const;
  /// Draws the inputs of the points of the curve, one after the other in the background, as long as
  /// the curve is in front.
  void draw_points();

  QComboBox *metric_, *span_;
  QPushButton *run_, *reset_;
  QLabel *status_, *knee_;
  RangeModel* ranges_;
  TornadoChart* tornado_;
  XyChart* curve_;
  RowsModel* curve_twin_;
  QSplitter* split_;
  QTabWidget* tabs_;
  InteractionPane* pair_;
  PlanPane* plan_;
  std::vector<Swing> swings_;
  std::optional<SliderSpec> followed_;
  std::vector<std::pair<double, Prediction>> points_;
  std::vector<Scenario> scenarios_;  ///< of the points
  std::size_t drawn_ = 0;            ///< points whose inputs were drawn
  OnEntry* entry_;
};

}  // namespace stallcast::desktop
