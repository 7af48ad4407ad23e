#pragma once

#include <QTimer>
#include <set>

#include "ui/desktop/gantt_data.hpp"
#include "ui/desktop/time_chart.hpp"

namespace stallcast::desktop {

/// The timeline painted: lanes below each other, moved as every TimeChart. N, P go to the next and
/// the last stall; Up and Down choose a lane, Space (or the menu of the right button) pins it. What
/// is narrower than a pixel shares it: the height of each colour is its share of the time.
class Gantt : public TimeChart {
  Q_OBJECT
 public:
  explicit Gantt(QWidget* parent);
  void set(GanttData timeline);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  /// The next stall behind the middle, or the last before it; false when there is none.
  bool go_to_stall(bool forward);
  /// Names of lanes that bear a star.
  void set_pinned(const QStringList& lanes);
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] double needed_label_width() const override;

 signals:
  /// The user wants this lane on top, or no longer.
  void pin_wanted(const QString& lane);

 protected:
  void range_shown() override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  [[nodiscard]] QString label(const GanttData::Lane& lane) const;
  void paint_legend(QPainter& painter, const QRectF& area, const Theme& theme) const;
  void fill_twin();
  bool choose_lane(double y);
  void say();

  GanttData timeline_;
  std::set<GanttData::What> kinds_;  // of all its spans
  QStringList pinned_;
  std::size_t lane_ = 0;  // that the keys are at
  QTimer refill_;         // the table follows when the range rests
};

}  // namespace stallcast::desktop
