#pragma once

#include "ui/desktop/chart.hpp"
#include "ui/desktop/gantt_data.hpp"

namespace stallcast::desktop {

/// The timeline painted: lanes below each other. Wheel or W, S zoom; A, D move; N, P go to the next
/// and the last stall; Home shows all. What is narrower than a pixel shares it: the height of
/// each colour is its share of the time.
class Gantt : public Chart {
  Q_OBJECT
 public:
  explicit Gantt(QWidget* parent);
  void set(GanttData timeline);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] RowsModel& twin() { return twin_; }
  /// What is on screen, in simulated seconds.
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return to_; }
  void show_range(double from, double to);
  /// The next stall behind the middle, or the last before it; false when there is none.
  bool go_to_stall(bool forward);
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void zoom(double factor, double around);
  void paint_lane(QPainter& painter, const GanttData::Lane& lane, const QRectF& area,
                  const Theme& theme) const;
  [[nodiscard]] double label_width() const;

  GanttData timeline_;
  double from_ = 0.0, to_ = 1.0;
  double grabbed_ = 0.0;
  RowsModel twin_;
};

}  // namespace stallcast::desktop
