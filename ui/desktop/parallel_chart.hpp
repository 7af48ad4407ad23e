#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/sweep_points.hpp"

namespace stallcast::desktop {

/// Parallel coordinates: an axis a figure, a line a design. Drag along an axis to keep what lies
/// there; click it to let all through again. Left and Right choose an axis, Up and Down move the
/// lower end of what is kept, with Shift the upper end, Delete frees the axis, Escape all of them.
class ParallelChart : public Chart {
  Q_OBJECT
 public:
  explicit ParallelChart(QWidget* parent);

  /// Other figures; brushes of axes that stay remain. `good`: designs that meet all targets.
  void set(std::vector<SweepFigures> axes, std::vector<bool> good);
  /// Designs that stand out, chosen elsewhere: frees all axes.
  void select(const std::vector<std::size_t>& points);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  /// Keeps what lies from `low` to `high`, in base units. False without such an axis.
  bool brush(const QString& axis, double low, double high);

 signals:
  /// The designs that lie within all brushes; all = there is no brush.
  void brushed(const std::vector<std::size_t>& points, bool all);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Axis {
    SweepFigures figures;
    double low = 0.0, high = 1.0;
    std::optional<std::pair<double, double>> kept;  // as parts of low..high
  };
  [[nodiscard]] QRectF plot(const QRectF& area) const;
  [[nodiscard]] double x_of(const QRectF& plot, std::size_t axis) const;
  [[nodiscard]] double part_at(double y) const;
  void move_end(bool upper, double by);
  void apply_brushes();
  void say();
  void fill_twin();

  std::vector<Axis> axes_;
  std::vector<bool> good_, selected_;
  bool any_selected_ = false;
  std::size_t axis_ = 0;  // that the keys are at
  std::optional<double> grabbed_;
};

}  // namespace stallcast::desktop
