#pragma once

#include "stallcast/timeline.hpp"
#include "ui/desktop/engine.hpp"
#include "ui/desktop/gantt_data.hpp"
#include "ui/desktop/screen.hpp"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace stallcast::desktop {

class ChartPane;
class Gantt;
class HeatChart;
class QuantityEdit;
class StepChart;
class TimeChart;
class TimeStrip;

/// When what happens: what one more simulation recorded of the run, at once when the screen is
/// entered. Before that, what is known of the whole run. Lanes, pinned lanes and resources show one
/// range of time, at first the first save and the longest wait; a strip shows where it lies in all
/// that was recorded. Ranges get names.
class TimelineScreen : public Screen {
  Q_OBJECT
 public:
  TimelineScreen(Workspace& workspace, QWidget* parent);

  void refresh() override;
  /// "record"; "range" with "FROM..TO" in seconds, "bookmark" and "go_to" with a name, "pin_track"
  /// with the name of a lane.
  bool act(const QString& action, const QString& argument) override;
  [[nodiscard]] bool working() const override;

 private:
  QHBoxLayout* record_row();
  QWidget* range_row();
  QWidget* charts();
  /// Of the whole run where that is quick, else of as much as a report shows.
  [[nodiscard]] TimelineRequest usual_window() const;
  void record(const TimelineRequest& what);
  void record_chosen();
  void show_recorded(const Result<Timeline>& recorded);
  void show_range(double from, double to);
  void show_marks();
  void show_pinned();
  void toggle_track(const QString& name);
  void add_bookmark();
  bool go_to(const QString& name);
  void forget(const QString& name);

  Engine engine_;
  TimeStrip* strip_;
  Gantt *gantt_, *pinned_;
  ChartPane* pinned_pane_;
  HeatChart* heat_;
  std::vector<TimeChart*> linked_;
  StepChart* shares_;
  QuantityEdit *from_, *to_;
  QPushButton *record_, *all_, *add_, *forget_;
  QLineEdit* name_;
  QComboBox* bookmarks_;
  QLabel *status_, *range_;
  QWidget* range_row_;
  QSplitter* split_;
  QStackedWidget* stack_;
  QString recorded_text_;  // of the scenario that was recorded, or is being recorded
  GanttData lanes_;
};

}  // namespace stallcast::desktop
