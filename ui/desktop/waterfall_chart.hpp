#pragma once

#include "stallcast/diff.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// From what a figure was to what it is, change by change: each bar begins where the one above it
/// ends.
class WaterfallChart : public Chart {
  Q_OBJECT
 public:
  struct Part {
    QString change;      ///< "storage[scratch].oss.count 10 -> 8"
    double share = 0.0;  ///< of the difference, in the unit of the metric
    QString alone = {};  ///< what the change does by itself, as text
  };

  explicit WaterfallChart(QWidget* parent);
  /// No parts: nothing is known, and `instead` says why.
  void set(const MetricChange& metric, std::vector<Part> parts, const QString& instead = {});
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 private:
  MetricChange metric_;
  std::vector<Part> parts_;
  QString instead_;
};

}  // namespace stallcast::desktop
