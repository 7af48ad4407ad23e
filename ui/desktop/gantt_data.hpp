#pragma once

#include <QString>
#include <vector>

namespace stallcast::desktop {

/// What happened when, as lanes to paint. Filled from what a simulation recorded (recorded.hpp);
/// empty when it recorded nothing.
struct GanttData {
  enum class What { step, stall, checkpoint, flush, transfer, other };
  struct Span {
    double begin = 0.0, end = 0.0;  ///< simulated seconds
    What what = What::other;
    QString text;
  };
  struct Lane {
    QString name;             ///< "gpu, worst rank", "storage.scratch.ost"
    std::vector<Span> spans;  ///< by begin; none overlaps another
  };
  std::vector<Lane> lanes;
  double begin = 0.0, end = 0.0;

  [[nodiscard]] bool empty() const { return lanes.empty(); }
};

}  // namespace stallcast::desktop
