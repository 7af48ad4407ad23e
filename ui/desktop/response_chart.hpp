#pragma once

#include <optional>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/responses.hpp"

namespace stallcast::desktop {

/// A small curve beside a slider: what a metric does over its range, where it is now, and the
/// target. Bounds are dashed, the band is what nine in ten outcomes are within.
class ResponseChart : public Chart {
  Q_OBJECT
 public:
  explicit ResponseChart(QWidget* parent);
  /// `near` says about what outcomes of a value are within, for points that are not drawn.
  void set(const SliderResponse& response, const QString& metric, const Workspace& workspace);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 private:
  struct Point {
    double x = 0.0, y = 0.0;
    std::optional<std::pair<double, double>> band;
  };
  /// 0 at the left end of the slider, 1 at its right.
  [[nodiscard]] double place(double x) const;
  void describe_curve(const QString& metric);

  SliderSpec slider_;
  SliderResponse::From from_ = SliderResponse::From::nothing;
  std::vector<Point> points_;
  std::optional<double> now_, limit_;
  std::string unit_;
  bool rough_ = false;  // bands are about right
};

}  // namespace stallcast::desktop
