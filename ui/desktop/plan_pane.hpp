#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "stallcast/plan.hpp"
#include "ui/desktop/engine.hpp"

class QLabel;
class QPushButton;

namespace stallcast::desktop {

class OnEntry;
class RowsModel;
class Workspace;
class XyChart;

/// A plan as a chart: GPU utilization and cost over how many there are of what is bought, with the
/// targets of utilization and the fewest that meet all targets.
class PlanPane : public QWidget {
  Q_OBJECT
 public:
  /// One count, simulated, with draws of its inputs.
  struct Point {
    std::int64_t count = 0;
    bool meets = false;
    Metric utilization;
    std::optional<Metric> cost = {};
  };

  PlanPane(Workspace& workspace, QWidget* parent);

  /// Searches, and simulates what is around the answer.
  void run();
  void set_enabled(bool on);
  /// `answer`: a place in `points`, if there is one. `noun`: what is counted.
  void show_points(std::vector<Point> points, std::optional<std::size_t> answer,
                   const QString& noun);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void draw();
  void take(const Result<PlanResult>& plan, std::vector<Point> points,
            std::optional<std::size_t> answer);

  Workspace& workspace_;
  QPushButton* run_;
  QLabel* said_;
  XyChart *utilization_, *cost_;
  QWidget* cost_pane_;
  RowsModel* twin_;
  OnEntry* entry_;
  std::vector<Point> points_;
  std::optional<std::size_t> answer_;
  QString noun_;
};

}  // namespace stallcast::desktop
