#include "ui/desktop/icon.hpp"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <algorithm>
#include <initializer_list>

namespace stallcast::desktop {
namespace {

constexpr double kSignGrid = 24.0, kSignStroke = 1.8;

/// A drawing, line by line.
class Pen {
 public:
  Pen& line(std::initializer_list<QPointF> points) {
    path_.moveTo(*points.begin());
    for (const QPointF& point : points) path_.lineTo(point);
    return *this;
  }
  Pen& circle(double x, double y, double radius) {
    path_.addEllipse(QPointF(x, y), radius, radius);
    return *this;
  }
  Pen& box(double x, double y, double width, double height) {
    path_.addRoundedRect(x, y, width, height, 1.5, 1.5);
    return *this;
  }
  /// Degrees count from three o'clock against the clock.
  Pen& arc(double x, double y, double radius, double from, double by) {
    const QRectF all(x - radius, y - radius, 2.0 * radius, 2.0 * radius);
    path_.arcMoveTo(all, from);
    path_.arcTo(all, from, by);
    return *this;
  }
  [[nodiscard]] const QPainterPath& path() const { return path_; }

 private:
  QPainterPath path_;
};

QPainterPath drawing_of(Sign sign) {
  Pen pen;
  switch (sign) {
    case Sign::design:  // boxes that are connected
      pen.box(3, 4, 7, 6).box(14, 4, 7, 6).box(14, 15, 7, 6);
      pen.line({{10, 7}, {14, 7}}).line({{17.5, 10}, {17.5, 15}}).line({{3, 18}, {10, 18}});
      break;
    case Sign::result:  // a gauge
      pen.arc(12, 15, 9, 0, 180).line({{12, 15}, {17, 9}}).circle(12, 15, 1.2);
      pen.line({{3, 19}, {21, 19}});
      break;
    case Sign::why:  // a magnifier over steps
      pen.circle(10, 10, 7).line({{15, 15}, {21, 21}});
      pen.line({{7, 12.5}, {7, 9}}).line({{10, 12.5}, {10, 6.5}}).line({{13, 12.5}, {13, 11}});
      break;
    case Sign::explore:  // points and their frontier
      pen.line({{3, 3}, {3, 21}, {21, 21}}).arc(21, 4, 13, 180, 90);
      pen.circle(14, 7, 1.2).circle(18, 11, 1.2).circle(19, 5, 1.2);
      break;
    case Sign::share:  // an arrow out of a box
      pen.line({{8, 10}, {5, 10}, {5, 21}, {19, 21}, {19, 10}, {16, 10}});
      pen.line({{12, 15}, {12, 3}}).line({{8, 7}, {12, 3}, {16, 7}});
      break;
    case Sign::open:
      pen.line({{3, 19}, {3, 5}, {9, 5}, {11, 8}, {20, 8}, {20, 11}});
      pen.line({{3, 19}, {6, 11}, {22, 11}, {19, 19}, {3, 19}});
      break;
    case Sign::save:
      pen.line({{4, 4}, {17, 4}, {20, 7}, {20, 20}, {4, 20}, {4, 4}});
      pen.line({{8, 4}, {8, 9}, {15, 9}, {15, 4}}).box(8, 13, 8, 7);
      break;
    case Sign::undo:
      pen.line({{8, 4}, {4, 8}, {8, 12}}).line({{4, 8}, {14, 8}}).arc(14, 13.5, 5.5, 90, -180);
      pen.line({{14, 19}, {8, 19}});
      break;
    case Sign::redo:
      pen.line({{16, 4}, {20, 8}, {16, 12}}).line({{20, 8}, {10, 8}}).arc(10, 13.5, 5.5, 90, 180);
      pen.line({{10, 19}, {16, 19}});
      break;
    case Sign::pin:
      pen.line({{8, 3}, {16, 3}})
          .line({{9.5, 3}, {9.5, 10}, {6, 14}, {18, 14}, {14.5, 10}, {14.5, 3}});
      pen.line({{12, 14}, {12, 21}});
      break;
    case Sign::report:
      pen.line({{5, 3}, {15, 3}, {19, 7}, {19, 21}, {5, 21}, {5, 3}});
      pen.line({{9, 17}, {9, 13}}).line({{12, 17}, {12, 9}}).line({{15, 17}, {15, 11}});
      break;
  }
  return pen.path();
}

class SignEngine : public QIconEngine {
 public:
  explicit SignEngine(Sign sign) : sign_(sign) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Normal;
    paint_sign(*painter, sign_, rect, QApplication::palette().color(group, QPalette::ButtonText));
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap out(size);
    out.fill(Qt::transparent);
    QPainter painter(&out);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return out;
  }
  [[nodiscard]] QIconEngine* clone() const override { return new SignEngine(sign_); }

 private:
  Sign sign_;
};

}  // namespace

void paint_sign(QPainter& painter, Sign sign, const QRectF& area, const QColor& colour) {
  const double scale = std::min(area.width(), area.height()) / kSignGrid;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(area.center());
  painter.scale(scale, scale);
  painter.translate(-kSignGrid / 2.0, -kSignGrid / 2.0);
  painter.setPen(QPen(colour, kSignStroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(drawing_of(sign));
  painter.restore();
}

QIcon icon_of(Sign sign) { return QIcon(new SignEngine(sign)); }

}  // namespace stallcast::desktop
