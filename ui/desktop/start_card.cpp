#include "ui/desktop/start_card.hpp"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "ui/desktop/theme.hpp"

namespace stallcast::desktop {
namespace {

constexpr int kCardMargin = space::kGroups;
constexpr double kCardSign = 2.4;  // lines of text

}  // namespace

StartCard::StartCard(Sign sign, const QString& title, const QString& about, QWidget* parent)
    : QAbstractButton(parent), sign_(sign), about_(about) {
  setText(title);
  setAccessibleName(QString(title).remove(u'&'));
  setAccessibleDescription(about);
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

QFont StartCard::title_font() const {
  QFont out = font();
  out.setBold(true);
  out.setPointSizeF(out.pointSizeF() * 1.2);
  return out;
}

int StartCard::heightForWidth(int width) const {
  const int inside = std::max(40, width - 2 * kCardMargin);
  const auto high = [&](const QFont& font, const QString& text) {
    return QFontMetrics(font).boundingRect(0, 0, inside, 10000, Qt::TextWordWrap, text).height();
  };
  return 2 * kCardMargin + 2 * space::kThings +
         static_cast<int>(kCardSign * fontMetrics().height()) +
         high(title_font(), accessibleName()) + high(font(), about_);
}

QSize StartCard::sizeHint() const {
  const int width = 34 * fontMetrics().averageCharWidth();
  return {width, heightForWidth(width)};
}

QSize StartCard::minimumSizeHint() const {
  const int width = 24 * fontMetrics().averageCharWidth();
  return {width, heightForWidth(width)};
}

void StartCard::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
  QAbstractButton::keyPressEvent(event);
}

void StartCard::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::of(*this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool strong = hasFocus() || underMouse() || isDown();
  painter.setPen(QPen(strong ? theme.accent : theme.grid, hasFocus() ? 2.5 : 1.0));
  painter.setBrush(palette().color(isDown() ? QPalette::AlternateBase : QPalette::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), space::kThings,
                          space::kThings);
  QRectF left = QRectF(rect()).adjusted(kCardMargin, kCardMargin, -kCardMargin, -kCardMargin);
  const double sign = kCardSign * fontMetrics().height();
  paint_sign(painter, sign_, QRectF(left.left(), left.top(), sign, sign), theme.accent);
  left.setTop(left.top() + sign + space::kThings);
  QRectF used;
  painter.setPen(theme.text);
  painter.setFont(title_font());
  painter.drawText(left, Qt::TextWordWrap, accessibleName(), &used);
  left.setTop(used.bottom() + space::kThings);
  painter.setFont(font());
  painter.setPen(theme.faint);
  painter.drawText(left, Qt::TextWordWrap, about_);
}

}  // namespace stallcast::desktop
