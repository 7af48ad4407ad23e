#pragma once

#include <map>
#include <string>
#include <vector>

#include "stallcast/prediction.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// The data path, hop by hop: the outline is what a resource can do, the filling what it did on
/// average, the tick its busiest moment, the number what the jobs would gain if it were twice as
/// fast, or, where that was not tried, how much of all waiting was for it.
class HopChart : public Chart {
 public:
  explicit HopChart(QWidget* parent);
  /// `stale` figures are painted fainter.
  void set(std::vector<ResourceUse> resources, bool stale);
  /// Of the time, what twice of a resource saves, by its name; until the next `set`.
  void set_gains(std::map<std::string, double> gains);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 private:
  [[nodiscard]] double gain_of(const ResourceUse& use) const;

  std::vector<ResourceUse> resources_;
  std::map<std::string, double> gains_;
  bool stale_ = false;
};

}  // namespace stallcast::desktop
