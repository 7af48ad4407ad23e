#pragma once

#include "ui/desktop/chart.hpp"
#include "ui/desktop/gantt_data.hpp"

namespace stallcast::desktop {

/// All that was recorded in one narrow strip, and where the range on screen lies in it. The range
/// is moved by dragging it or by Left and Right, made narrower or wider at its ends or by Up and
/// Down; elsewhere the mouse puts it there.
class TimeStrip : public Chart {
  Q_OBJECT
 public:
  explicit TimeStrip(QWidget* parent);
  void set(const GanttData& recorded);
  /// The range on screen; tells nobody.
  void show_window(double from, double to);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void moved(double from, double to);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Grip { whole, begin, end };
  void move_to(double from, double to);
  [[nodiscard]] double time_at(double x) const;
  [[nodiscard]] double x_at(double time) const;

  GanttData::Lane lane_;
  double begin_ = 0.0, end_ = 1.0, from_ = 0.0, to_ = 1.0;
  Grip grip_ = Grip::whole;
  double grabbed_ = 0.0;  // time below the mouse
};

}  // namespace stallcast::desktop
