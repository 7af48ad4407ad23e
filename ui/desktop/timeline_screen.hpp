#pragma once

#include "ui/desktop/screen.hpp"

class QLabel;
class QStackedWidget;

namespace stallcast::desktop {

class Gantt;
class StepChart;
struct Timeline;

/// When what happens. Until a simulation records it, what is known of the whole run.
class TimelineScreen : public Screen {
  Q_OBJECT
 public:
  TimelineScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// Shows what a simulation recorded.
  void set_timeline(Timeline timeline);

 private:
  Gantt* gantt_;
  StepChart* shares_;
  QLabel* status_;
  QStackedWidget* stack_;
};

}  // namespace stallcast::desktop
