#include "ui/desktop/quantity_edit.hpp"

#include <QLineEdit>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/app/form.hpp"
#include "ui/desktop/theme.hpp"

namespace stallcast::desktop {

QuantityEdit::QuantityEdit(Dimension dimension, QWidget* parent)
    : QAbstractSpinBox(parent),
      dimension_(dimension),
      minimum_(-std::numeric_limits<double>::infinity()),
      maximum_(std::numeric_limits<double>::infinity()) {
  setKeyboardTracking(false);
  connect(this, &QAbstractSpinBox::editingFinished, this, &QuantityEdit::take_text);
  // What is not a quantity is marked while it is typed.
  connect(lineEdit(), &QLineEdit::textEdited, this, [this](const QString& text) {
    mark(!client::read_quantity(text.toStdString(), dimension_).value);
  });
}

void QuantityEdit::set_range(double minimum, double maximum, double step) {
  minimum_ = minimum;
  maximum_ = maximum;
  step_ = step;
}

void QuantityEdit::set_like(const QString& written) { like_ = written; }

QString QuantityEdit::written() const {
  return QString::fromStdString(client::write_quantity(value_, dimension_, like_.toStdString()));
}

void QuantityEdit::set_value(double value) {
  value_ = value;
  const QString text = written();
  if (lineEdit()->text() != text) lineEdit()->setText(text);
  lineEdit()->setCursorPosition(0);  // the number, not its end, where it is narrow
  lineEdit()->setToolTip({});
  mark(false);
}

void QuantityEdit::mark(bool wrong) {
  if (wrong == wrong_) return;
  wrong_ = wrong;
  QPalette colours;  // else those of the look
  if (wrong) colours.setColor(QPalette::Text, Theme::of(*this).bad);
  lineEdit()->setPalette(colours);
}

void QuantityEdit::stepBy(int steps) {
  const std::string like = like_.toStdString();
  const double unit = client::unit_of(like, dimension_), shown = value_ / unit;
  double step = step_ / unit;
  if (step <= 0.0) {
    const double size = shown == 0.0 ? 1.0 : std::abs(shown);
    step = std::pow(10.0, std::floor(std::log10(size)) - 1.0);
    if (dimension_ == Dimension::count) step = std::max(1.0, std::round(step));
  }
  double next = std::round(shown / step + steps) * step;
  if (step < 1.0) next = std::round(shown / step + steps) / std::round(1.0 / step);
  next = client::in_unit_of(next, like, dimension_);
  next = std::clamp(next, minimum_, maximum_);
  if (next == value_) return;
  set_value(next);
  emit value_changed(next);
}

QSize QuantityEdit::sizeHint() const {
  const int arrows = fontMetrics().height() * 2;
  return {fontMetrics().horizontalAdvance(QStringLiteral("100.25 GB/s")) + arrows,
          QAbstractSpinBox::sizeHint().height()};
}

QSize QuantityEdit::minimumSizeHint() const { return sizeHint(); }

QAbstractSpinBox::StepEnabled QuantityEdit::stepEnabled() const {
  StepEnabled out = StepNone;
  if (value_ < maximum_) out |= StepUpEnabled;
  if (value_ > minimum_) out |= StepDownEnabled;
  return out;
}

void QuantityEdit::take_text() {
  const client::ReadQuantity read =
      client::read_quantity(lineEdit()->text().toStdString(), dimension_);
  if (!read.value) {
    const QString why = QString::fromStdString(read.message + ": " + read.hint);
    set_value(value_);
    lineEdit()->setToolTip(why);
    setAccessibleDescription(why);
    if (isVisible()) QToolTip::showText(mapToGlobal(QPoint(0, height())), why, this);
    return;
  }
  mark(false);
  setAccessibleDescription({});
  if (*read.value == value_) return;
  value_ = *read.value;
  like_ = lineEdit()->text();
  emit value_changed(value_);
}

}  // namespace stallcast::desktop
