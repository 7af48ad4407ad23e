#include "ui/desktop/card.hpp"

#include <QPainter>
#include <QVBoxLayout>

#include "ui/desktop/theme.hpp"

namespace stallcast::desktop {

Card::Card(QWidget* parent) : QFrame(parent), rows_(new QVBoxLayout(this)) {
  rows_->setContentsMargins(space::kThings + space::kInner, space::kThings,
                            space::kThings + space::kInner, space::kThings);
  rows_->setSpacing(space::kInner);
}

void Card::paintEvent(QPaintEvent*) {
  constexpr double kRoundCorner = 6.0;
  const Theme& theme = Theme::of(*this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(hasFocus() ? theme.accent : theme.grid, hasFocus() ? 2.0 : 1.0));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kRoundCorner, kRoundCorner);
}

}  // namespace stallcast::desktop
