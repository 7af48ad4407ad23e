#pragma once

#include <vector>

#include "stallcast/prediction.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// How far a metric moves with each input: one bar an input, the widest on top.
class TornadoChart : public Chart {
  Q_OBJECT
 public:
  struct Bar {
    QString name;
    QString low_text, high_text;   ///< the two values of the input
    double low = 0.0, high = 0.0;  ///< of the metric there
  };

  explicit TornadoChart(QWidget* parent);
  void set(std::vector<Bar> bars, const QString& metric, const Metric& now);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] const std::vector<Bar>& bars() const { return bars_; }
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  /// A bar was clicked, or Enter pressed on it.
  void chosen(int bar);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::vector<Bar> bars_;
  QString metric_;
  Metric now_;
  int current_ = 0;
};

}  // namespace stallcast::desktop
