#pragma once

#include <vector>

#include "stallcast/prediction.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// One figure of several designs: where each is, and what nine in ten of its outcomes are within.
class OutcomeChart : public Chart {
  Q_OBJECT
 public:
  struct Bar {
    QString name;
    Metric figure;
    QString beside;  ///< what it costs, as text; may be ""
    bool best = false;
  };

  explicit OutcomeChart(QWidget* parent);
  /// `figure`: what is shown, in the words of reports. `instead`: said where there are no bars.
  void set(const QString& figure, std::vector<Bar> bars, const QString& instead = {});
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] const std::vector<Bar>& bars() const { return bars_; }
  [[nodiscard]] QSize minimumSizeHint() const override;

 private:
  QString figure_, instead_;
  std::vector<Bar> bars_;
};

}  // namespace stallcast::desktop
