#pragma once

#include <optional>

#include "stallcast/prediction.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// Targets: what is predicted, what that may turn out to be, the limit, and the margin between.
class GaugeChart : public Chart {
  Q_OBJECT
 public:
  explicit GaugeChart(QWidget* parent);
  /// `stale`: of a design that is no longer on screen.
  void set(const Prediction& prediction, bool stale);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 private:
  struct Gauge {
    AssertionOutcome outcome;
    std::optional<std::pair<double, double>> band;
    QString name, limit, value;  ///< "longest stall per save", " <= 15 s", "12 s (+20 %)"
  };
  void paint_gauge(QPainter& painter, const Gauge& gauge, const QRectF& area,
                   const Theme& theme) const;

  std::vector<Gauge> gauges_;
  bool stale_ = false;
};

/// How far the predicted value is from the limit: "+2.1 points", "-38 %"; minus is missed. "" where
/// there is no one limit.
[[nodiscard]] QString margin_text(const AssertionOutcome& outcome);

}  // namespace stallcast::desktop
