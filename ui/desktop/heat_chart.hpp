#pragma once

#include "stallcast/timeline.hpp"
#include "ui/desktop/time_chart.hpp"

namespace stallcast::desktop {

/// How busy each resource is at each moment: a row a resource, dark is idle, bright is full. Moved
/// as every TimeChart. The figure below the mouse is in the tool tip; the table has all rows, with
/// the figures of the time on screen.
class HeatChart : public TimeChart {
  Q_OBJECT
 public:
  explicit HeatChart(QWidget* parent);
  void set(const Timeline& recorded);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] double needed_label_width() const override;

 protected:
  bool event(QEvent* event) override;
  void range_shown() override;

 private:
  [[nodiscard]] QRectF plot(const QRectF& area) const;

  std::vector<Timeline::Counter> rows_;  // with a capacity
  double bin_ = 1.0;
};

}  // namespace stallcast::desktop
