#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/sweep.hpp"
#include "ui/desktop/rows_model.hpp"
#include "ui/desktop/xy_chart.hpp"

/// The points of a sweep as charts and tables want them.
namespace stallcast::desktop {

/// One figure of all points: something that is varied, or a metric.
struct SweepFigures {
  QString name;   ///< path of what is varied, or of a metric
  QString words;  ///< what people call it
  std::string unit;
  std::vector<std::optional<double>> values;  ///< by point
  bool input = false;                         ///< varied, no metric
};

/// `name` is an axis of `sweep` (see set_path) or a metric; no values when it is neither.
[[nodiscard]] SweepFigures figures_of(const SweepReport& sweep, const QString& name);

/// Metrics that some point has, headline ones of `first` before others.
[[nodiscard]] QStringList metrics_of(const SweepReport& sweep, const QStringList& first);

/// Which points no other that meets its targets beats in both figures, among those: more is better,
/// or less, as better_direction says of metrics; of what is varied less is better, as it is what is
/// bought.
[[nodiscard]] std::vector<bool> frontier_of(const SweepReport& sweep, const SweepFigures& x,
                                            const SweepFigures& y);

/// Points by whether they meet the targets, and rings around those of `selected`. Over what is
/// varied, a coloured line for each value of the rest, up to six, with its band where points have
/// outcomes; else the frontier as a line. `target`, the limit of `y`, is dashed.
[[nodiscard]] std::vector<XyChart::Series> series_of(const SweepReport& sweep,
                                                     const SweepFigures& x, const SweepFigures& y,
                                                     const std::vector<bool>& frontier,
                                                     const std::vector<std::size_t>& selected,
                                                     std::optional<double> target,
                                                     const Theme& theme);

/// Where the sweep stands, and what can be done: `points` would be simulated now, of a design that
/// is `quick` or not.
[[nodiscard]] QString status_of(const SweepReport& sweep, std::size_t points, bool running,
                                bool quick);

/// A row a point: what is varied, `figures`, targets, frontier.
[[nodiscard]] std::vector<Row> rows_of(const SweepReport& sweep,
                                       const std::vector<SweepFigures>& figures,
                                       const std::vector<bool>& frontier);

}  // namespace stallcast::desktop
