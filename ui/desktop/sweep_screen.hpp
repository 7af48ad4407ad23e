#pragma once

#include <QStringList>
#include <vector>

#include "ui/desktop/screen.hpp"
#include "ui/desktop/sweep_points.hpp"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QTableView;

namespace stallcast::desktop {

class OnEntry;
class ParallelChart;
class RangeModel;
class RowsModel;
class SweepRun;
class XyChart;

/// A grid over any number of inputs: every point simulated, the best ones of two figures joined by
/// a line. What is selected in one of the charts or the table is selected in all.
class SweepScreen : public Screen {
  Q_OBJECT
 public:
  SweepScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "run", "cancel"; "vary" with paths; "range" with "PATH LOW..HIGH"; "values" with "PATH N";
  /// "figure_x" and "figure_y" with a metric or path; "keep_in" and "open_sweep" with a file;
  /// "brush" with "FIGURE LOW..HIGH"; "load" with the number of a point.
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 private:
  QHBoxLayout* run_row();
  QHBoxLayout* file_row(QWidget* parent);
  QWidget* table_side(QWidget* parent);
  QWidget* chart_side(QWidget* parent);
  void say_points();
  /// The ticked inputs, when nobody asked for a sweep yet.
  void run_by_itself();
  [[nodiscard]] bool resumes() const;
  void choose_file();
  void open_file();
  void ended(const QString& why);
  void offer_figures();
  void show_points();
  void show_chart();
  void show_selection();
  void select(const std::vector<std::size_t>& points);
  void select_figures(const std::vector<QPointF>& figures);
  [[nodiscard]] std::vector<std::size_t> selected() const;
  bool load(int point);

  SweepRun* run_state_;
  RangeModel* ranges_;
  QComboBox *x_, *y_;
  QCheckBox* draws_;
  QPushButton *run_, *keep_, *open_, *load_;
  QLabel *status_, *file_label_;
  XyChart* chart_;
  ParallelChart* parallel_;
  RowsModel *model_, *twin_;  // the points next to the chart, and in its place
  QTableView* table_;
  QString file_;  // "": in memory
  SweepFigures x_figures_, y_figures_;
  std::vector<bool> frontier_;
  QString fault_;  // why the last run did not go on
  bool brushing_ = false;
  OnEntry* entry_;
  bool by_itself_ = false;  // nobody asked for the sweep on screen
};

}  // namespace stallcast::desktop
