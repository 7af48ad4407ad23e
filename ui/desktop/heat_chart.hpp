#pragma once

#include "stallcast/timeline.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// How busy each resource is at each moment: a row a resource, dark is idle, bright is full. The
/// figure below the mouse is in the tool tip, all rows are in the table.
class HeatChart : public Chart {
  Q_OBJECT
 public:
  explicit HeatChart(QWidget* parent);
  void set(const Timeline& recorded);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] RowsModel& twin() { return twin_; }
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] QRectF plot(const QRectF& area) const;

  std::vector<Timeline::Counter> rows_;  // with a capacity
  double begin_ = 0.0, bin_ = 1.0;
  RowsModel twin_;
};

}  // namespace stallcast::desktop
