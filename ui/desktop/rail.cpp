#include "ui/desktop/rail.hpp"

#include <QButtonGroup>
#include <QFontMetrics>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/desktop/theme.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kRailIcon = 1.6;  // lines of text
constexpr int kRailBar = 3;        // of the place one is at, in pixels

}  // namespace

RailButton::RailButton(Sign sign, const QString& word, const QString& hint, QWidget* parent)
    : QToolButton(parent), sign_(sign) {
  setText(word);
  setToolTip(hint);
  setAccessibleName(word);
  setAccessibleDescription(hint);
  setCheckable(true);
  setAutoRaise(true);
  setFocusPolicy(Qt::StrongFocus);
}

void RailButton::set_narrow(bool narrow) {
  if (narrow == narrow_) return;
  narrow_ = narrow;
  updateGeometry();
  update();
}

QSize RailButton::sizeHint() const {
  const QFontMetrics letters(font());
  const int icon = static_cast<int>(kRailIcon * letters.height());
  const int words = narrow_ ? 0 : letters.horizontalAdvance(text());
  return {std::max(icon, words) + 2 * space::kThings,
          icon + (narrow_ ? 0 : letters.height() + space::kInner) + 2 * space::kThings};
}

void RailButton::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::of(*this);
  QPainter painter(this);
  const QRect all = rect().adjusted(2, 2, -2, -2);
  if (isChecked() || underMouse()) {
    QColor ground = theme.accent;
    ground.setAlphaF(isChecked() ? 0.18F : 0.08F);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(all, space::kInner, space::kInner);
  }
  if (isChecked()) painter.fillRect(QRect(0, all.top(), kRailBar, all.height()), theme.accent);
  const QColor colour = !isEnabled()  ? theme.faint
                        : isChecked() ? theme.text
                                      : palette().color(QPalette::WindowText);
  const double icon = kRailIcon * fontMetrics().height();
  const double top = narrow_ ? (height() - icon) / 2.0 : space::kThings;
  painter.setOpacity(isEnabled() ? 1.0 : 0.6);
  paint_sign(painter, sign_, QRectF((width() - icon) / 2.0, top, icon, icon), colour);
  if (!narrow_) {
    QFont letters = font();
    letters.setBold(isChecked());
    painter.setFont(letters);
    painter.setPen(colour);
    painter.drawText(QRectF(0.0, top + icon + space::kInner, width(), fontMetrics().height()),
                     Qt::AlignCenter, text());
  }
  if (!hasFocus()) return;
  painter.setOpacity(1.0);
  painter.setPen(QPen(theme.accent, 2.0));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(all, space::kInner, space::kInner);
}

Rail::Rail(QWidget* parent)
    : QWidget(parent), group_(new QButtonGroup(this)), layout_(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("rail"));
  setAccessibleName(tr("Places"));
  layout_->setContentsMargins(0, space::kInner, 0, space::kInner);
  layout_->setSpacing(space::kInner);
  layout_->addStretch(1);
  connect(group_, &QButtonGroup::idClicked, this, &Rail::picked);
}

void Rail::add(Sign sign, const QString& word, const QString& hint) {
  auto* button = new RailButton(sign, word, hint, this);
  layout_->insertWidget(layout_->count() - 1, button, 0);
  button->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  group_->addButton(button, static_cast<int>(buttons_.size()));
  buttons_.push_back(button);
}

void Rail::choose(int place) {
  if (place >= 0) {
    buttons_[static_cast<std::size_t>(place)]->setChecked(true);
    return;
  }
  group_->setExclusive(false);
  for (RailButton* button : buttons_) button->setChecked(false);
  group_->setExclusive(true);
}

void Rail::set_narrow(bool narrow) {
  for (RailButton* button : buttons_) button->set_narrow(narrow);
}

int Rail::chosen() const { return group_->checkedId(); }

}  // namespace stallcast::desktop
