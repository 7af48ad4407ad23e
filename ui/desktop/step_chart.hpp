#pragma once

#include <vector>

#include "stallcast/prediction.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// Where the time goes: one bar of shares for each job of each design.
class StepChart : public Chart {
 public:
  struct Bar {
    QString name;
    std::map<std::string, double> shares;
    bool stale = false;
    std::string cpu = {};  ///< what the "cpu" of it is waited for; "": CPU cores
  };

  explicit StepChart(QWidget* parent);
  void set(std::vector<Bar> bars);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 private:
  void paint_legend(QPainter& painter, const QRectF& top, const Theme& theme) const;

  std::vector<Bar> bars_;
};

/// The bars of one prediction.
[[nodiscard]] std::vector<StepChart::Bar> step_bars(const Prediction& prediction,
                                                    const QString& design, bool stale);

}  // namespace stallcast::desktop
