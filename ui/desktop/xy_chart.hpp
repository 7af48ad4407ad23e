#pragma once

#include <QChartView>
#include <QPointF>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/desktop/theme.hpp"

namespace stallcast::desktop {

/// Points and lines over two axes with units, on Qt Charts: the only file that needs it.
class XyChart : public QChartView {
  Q_OBJECT
 public:
  enum class Kind { line, points, limit };
  struct Series {
    QString name;
    Kind kind = Kind::line;
    QColor colour;
    std::vector<QPointF> points;  ///< in base units
    bool hollow = false;          ///< told apart without colour
    bool ring = false;            ///< points: a larger ring, around those of other series
    /// line: what nine in ten outcomes of each point are within, drawn as a band; empty for none.
    std::vector<std::pair<double, double>> outcomes = {};
    std::vector<double> middles = {};  ///< of the outcomes, as a dotted line; empty for none
    bool rough = false;                ///< they are about right: a paler band with a dashed rim
    bool named = true;                 ///< in the legend; of bands the first always is
  };
  struct Axis {
    QString title;
    std::string unit;  ///< "s", "B/s", "ratio", ...; "" = none
    bool logarithmic = false;
  };

  explicit XyChart(QWidget* parent);
  /// A curve that is lower says nothing.
  [[nodiscard]] QSize minimumSizeHint() const override;
  /// Whether values from `low` to `high` are drawn over the logarithm of `axis`.
  [[nodiscard]] static bool is_logarithmic(const Axis& axis, double low, double high);
  void set(std::vector<Series> series, const Axis& x, const Axis& y, const QString& summary);

 signals:
  /// The points of `points` series inside what was drawn around with the mouse, in base units.
  void brushed(const std::vector<QPointF>& points);
  /// Twice clicked at this point of a series.
  void chosen(QPointF point);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void draw();
  /// Where the names of series have room, if they have.
  void fit_legend();
  void fit_title();
  [[nodiscard]] QPointF on_screen(QPointF base) const;
  void draw_band(const Series& of, QAbstractAxis* x, QAbstractAxis* y);

  std::vector<Series> series_;
  Axis x_, y_;
  double x_factor_ = 1.0, y_factor_ = 1.0;
  QPoint pressed_;
};

}  // namespace stallcast::desktop
