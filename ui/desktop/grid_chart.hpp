#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// A metric over two inputs: a cell a design, dark is low, bright is high, its figure in the cell.
/// Arrow keys go from cell to cell; a double click or Enter chooses one.
class GridChart : public Chart {
  Q_OBJECT
 public:
  struct Grid {
    QString metric;
    std::string unit;  ///< of the metric
    QString across, up;
    QStringList across_values, up_values;
    std::vector<std::optional<double>> cells;  ///< row by row of `up`, lowest first
  };

  explicit GridChart(QWidget* parent);
  void set(Grid grid);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  /// The cell that the keys are at: across, up.
  [[nodiscard]] std::pair<int, int> current() const { return {column_, row_}; }

 signals:
  void chosen(int across, int up);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  [[nodiscard]] QRectF plot(const QRectF& area) const;
  [[nodiscard]] QString cell_text(int column, int row) const;
  [[nodiscard]] std::optional<double> cell(int column, int row) const;
  bool find_cell(QPointF at, int& column, int& row) const;
  void say();

  Grid grid_;
  int column_ = 0, row_ = 0;
};

}  // namespace stallcast::desktop
