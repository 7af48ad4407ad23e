#pragma once

#include <QSize>
#include <QString>
#include <QWidget>
#include <functional>

#include "ui/desktop/rows_model.hpp"
#include "ui/desktop/theme.hpp"

class QPainter;
class QToolButton;
class QStackedWidget;

namespace stallcast::desktop {

/// Something painted, on screen and into files alike. The summary is what a screen reader says.
class Chart : public QWidget {
  Q_OBJECT
 public:
  /// `headers` are those of its twin.
  Chart(QWidget* parent, QStringList headers);
  /// Paints into `area` with the colours of `theme`.
  virtual void paint(QPainter& painter, const QRectF& area, const Theme& theme) = 0;
  /// Its figures as a table.
  [[nodiscard]] RowsModel& twin() { return twin_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  /// Tells screen readers and repaints.
  void describe(const QString& summary);
  /// Height of a line of text, the unit of all distances.
  [[nodiscard]] double line() const;
  /// A size in lines of text.
  [[nodiscard]] QSize in_lines(double width, double height) const;
  /// How many there are, and 1 where there are none: room for a word.
  [[nodiscard]] static double at_least_one(std::size_t count);

  RowsModel twin_;
};

/// A chart with a title, its twin as a table, and its files.
class ChartPane : public QWidget {
  Q_OBJECT
 public:
  /// `chart` may be any widget (it is grabbed where it cannot be painted as a Chart).
  ChartPane(const QString& title, QWidget* chart, RowsModel& twin, QWidget* parent);
  /// Of a chart that is named "chart:`key`" in scripts.
  ChartPane(const QString& title, const char* key, Chart* chart, QWidget* parent)
      : ChartPane(title, chart, chart->twin(), parent) {
    setObjectName(QStringLiteral("chart:") + QLatin1String(key));
  }

  [[nodiscard]] const QString& title() const { return title_; }
  [[nodiscard]] const RowsModel& twin() const { return twin_; }
  [[nodiscard]] QWidget* chart() const { return chart_; }
  void show_table(bool table);

  /// By the ending: .png, .svg, .pdf, .csv. False with a reason when it could not be written.
  [[nodiscard]] bool write(const QString& file, QString& why_not) const;
  /// Asks for a file and writes it; says what goes wrong.
  void ask_and_write();

 private:
  void paint_to(QPaintDevice& device, const QSize& size) const;

  QString title_;
  QWidget* chart_;
  RowsModel& twin_;
  QStackedWidget* stack_;
  QToolButton* toggle_;
};

}  // namespace stallcast::desktop
