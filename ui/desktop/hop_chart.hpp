#pragma once

#include <vector>

#include "stallcast/prediction.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// The data path, hop by hop: the outline is what a resource can do, the filling what it did on
/// average, the tick its busiest moment, the number how much of all waiting was for it.
class HopChart : public Chart {
 public:
  explicit HopChart(QWidget* parent);
  /// `stale` figures are painted fainter.
  void set(std::vector<ResourceUse> resources, bool stale);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 private:
  std::vector<ResourceUse> resources_;
  bool stale_ = false;
};

}  // namespace stallcast::desktop
