#pragma once

#include <QWidget>
#include <vector>

#include "ui/desktop/variation.hpp"

class QComboBox;
class QLabel;
class QPushButton;

namespace stallcast::desktop {

class GridChart;
class OnEntry;
class RangeModel;

/// What two inputs do together: the metric at each pair of their values, and how far that is more
/// than both alone.
class InteractionPane : public QWidget {
  Q_OBJECT
 public:
  /// Inputs and their ranges are those of `ranges`.
  InteractionPane(Workspace& workspace, RangeModel& ranges, QWidget* parent);

  /// The metric that is shown.
  void show_metric(const QString& metric);
  /// False when one of the inputs is not offered.
  bool run_pair(const QString& a, const QString& b);
  void set_enabled(bool on);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// What was simulated.
  struct Pair {
    SliderSpec a, b;
    std::vector<double> a_values, b_values;
    std::vector<std::vector<Change>> changes;  ///< row by row of b
    std::vector<std::optional<Prediction>> predictions;
  };
  void offer();
  void run();
  void show_grid();

  Workspace& workspace_;
  RangeModel& ranges_;
  QComboBox *a_, *b_;
  QPushButton* run_;
  QLabel* status_;
  GridChart* chart_;
  QString metric_;
  Pair pair_;
  OnEntry* entry_;
};

/// What the corners of a grid say of two inputs: at (high, high) less at (high, low) and (low,
/// high), plus at (low, low). 0 when each does the same wherever the other is.
[[nodiscard]] double interaction_of(double low_low, double high_low, double low_high,
                                    double high_high);

}  // namespace stallcast::desktop
