#pragma once

#include <optional>

#include "stallcast/prediction.hpp"
#include "ui/desktop/chart.hpp"

namespace stallcast::desktop {

/// The system from hosts to drives in the layout that all views share, with how busy each part is:
/// dark over the run, light while it is in use, red what limits. Where it would be too narrow to
/// read, the boxes are below each other; where it is too high, it asks for the height, and what it
/// is in scrolls. A click chooses a box; Left and Right go through them, Enter chooses.
class PictureChart : public Chart {
  Q_OBJECT
 public:
  explicit PictureChart(QWidget* parent);
  void set(const Prediction& prediction);
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) override;
  /// How high it would be drawn with room for all of it, in lines of text.
  [[nodiscard]] double lines() const;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  /// A box was chosen; `path` is that of its component: "storage[scratch]".
  void chosen(const QString& path);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void say();
  void step(int by);
  void paint_box(QPainter& painter, const PictureBox& box, const Theme& theme) const;
  /// Where the picture begins: it stands in the middle.
  [[nodiscard]] QPointF origin_in(const QRectF& area, double scale) const;
  [[nodiscard]] double scale_of(const QRectF& area) const;
  /// As it is drawn in this width.
  [[nodiscard]] const Picture& picture() const;
  [[nodiscard]] const PictureBox* box_at(QPointF point) const;
  /// Its width, but for what a scroll bar takes: that must not decide whether there is one.
  [[nodiscard]] double asked_width() const;

  std::optional<Prediction> shown_;
  Picture stacked_;     // its picture with the boxes below each other
  QString limit_;       // in words
  std::size_t at_ = 0;  // the box that keys have come to
  mutable double asked_width_ = 0.0;
};

}  // namespace stallcast::desktop
