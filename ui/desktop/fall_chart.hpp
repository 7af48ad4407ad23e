#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stallcast/prediction.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/report/waterfall.hpp"

namespace stallcast::desktop {

/// Where 100 % of the time of a job goes, as a waterfall: each cause begins where the one above it
/// ends, and what is left computes. In the words and digits of reports.
class FallChart : public Chart {
  Q_OBJECT
 public:
  /// One job, and what nine in ten outcomes of what it computes are within.
  struct Job {
    QString name;  ///< "" when there is only one
    std::map<std::string, double> shares;
    std::optional<std::pair<double, double>> outcomes = {};
    std::string cpu = "waiting for CPU cores";  ///< words for that cause
  };

  explicit FallChart(QWidget* parent);
  /// `stale` figures are painted fainter.
  void set(const std::vector<Job>& jobs, bool stale);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 private:
  struct Falls {
    Job job;
    std::vector<report::Fall> rows;
  };
  std::vector<Falls> jobs_;
  bool stale_ = false;
};

/// The jobs of `prediction`, each with the outcomes of its goodput, which is what it computes.
[[nodiscard]] std::vector<FallChart::Job> fall_jobs(const Prediction& prediction);

}  // namespace stallcast::desktop
