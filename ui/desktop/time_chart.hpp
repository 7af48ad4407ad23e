#pragma once

#include <vector>

#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// Between ticks over `span` seconds: about six, at round numbers of seconds, minutes, hours, days.
[[nodiscard]] double tick_step(double span);
/// "1 d 22 h 30 min": what tells a tick from those one `step` beside it.
[[nodiscard]] QString tick_text(double seconds, double step);

/// A chart over simulated time. Wheel or W and S zoom, A and D or dragging move, Shift and dragging
/// chooses a range, Home shows all, B asks for a bookmark. Charts of one recording are linked by
/// range_changed and show_range: what one shows, all show.
class TimeChart : public Chart {
  Q_OBJECT
 public:
  TimeChart(QWidget* parent, QStringList headers);

  /// What is on screen, in simulated seconds.
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return to_; }
  [[nodiscard]] bool shows_all() const { return from_ <= begin_ && to_ >= end_; }
  /// As far as there is time; tells others when it is another range.
  void show_range(double from, double to);
  void show_all();
  /// The charts of one recording, this one included: their times stand below each other.
  void set_linked(std::vector<TimeChart*> charts) { linked_ = std::move(charts); }
  /// Labels of lanes stand left of the time.
  [[nodiscard]] virtual double needed_label_width() const = 0;

 signals:
  void range_changed(double from, double to);
  void bookmark_wanted();

 protected:
  /// Other contents: all of it is shown.
  void set_time(double begin, double end);
  [[nodiscard]] double begin() const { return begin_; }
  [[nodiscard]] double end() const { return end_; }
  /// Room left and right of the time: what the widest and the narrowest of the linked charts need.
  [[nodiscard]] double label_width() const;
  [[nodiscard]] double right_gap() const;
  /// Another range is on screen.
  virtual void range_shown() {}
  /// Lines at round times over `plot`, their texts above it.
  void paint_ticks(QPainter& painter, const QRectF& plot, const Theme& theme) const;
  /// What is being chosen, over `plot`.
  void paint_choice(QPainter& painter, const QRectF& plot, const Theme& theme) const;

  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  void zoom(double factor, double around);
  [[nodiscard]] double time_at(double x) const;

  double begin_ = 0.0, end_ = 0.0;
  double from_ = 0.0, to_ = 1.0;
  std::vector<TimeChart*> linked_;
  double grabbed_ = 0.0;
  bool choosing_ = false;
  double choice_from_ = 0.0, choice_to_ = 0.0;
};

}  // namespace stallcast::desktop
