#pragma once

#include <vector>

#include "ui/desktop/screen.hpp"
#include "ui/desktop/variation.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableView;

namespace stallcast::desktop {

class RowsModel;
class XyChart;

/// A grid over two inputs: every point simulated, the best ones of two figures joined by a line.
class SweepScreen : public Screen {
  Q_OBJECT
 public:
  SweepScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "run"; "input_a" and "input_b" with a path; "figure_x" and "figure_y" with a metric or path.
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 private:
  struct Point {
    std::vector<double> values;  ///< by input
    QString text;
    std::optional<Prediction> prediction;
  };
  void run();
  void show_points();
  void select(const std::vector<QPointF>& figures);
  void load(int point);
  [[nodiscard]] std::optional<QPointF> figures_of(const Point& point) const;
  [[nodiscard]] std::optional<double> figure_of(const Point& point, const QString& name,
                                                std::string& unit) const;
  /// Which points no other beats in both figures.
  [[nodiscard]] std::vector<bool> frontier() const;

  QComboBox *a_, *b_, *x_, *y_;
  QSpinBox* steps_;
  QPushButton *run_, *load_;
  QLabel* status_;
  XyChart* chart_;
  RowsModel* model_;
  QTableView* table_;
  std::vector<SliderSpec> offered_, inputs_;
  std::vector<Point> points_;
};

}  // namespace stallcast::desktop
