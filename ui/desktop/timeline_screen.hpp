#pragma once

#include "ui/desktop/screen.hpp"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace stallcast::desktop {

class Gantt;
class HeatChart;
class QuantityEdit;
class StepChart;

/// When what happens: what one more simulation recorded of a window of the run. Before that, what
/// is known of the whole run.
class TimelineScreen : public Screen {
  Q_OBJECT
 public:
  TimelineScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "record".
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 private:
  void record();
  void show_recorded(const Result<Timeline>& recorded);

  Gantt* gantt_;
  HeatChart* heat_;
  StepChart* shares_;
  QuantityEdit *from_, *to_;
  QPushButton* record_;
  QLabel* status_;
  QStackedWidget* stack_;
  QString recorded_text_;  // of the scenario that was recorded
};

}  // namespace stallcast::desktop
