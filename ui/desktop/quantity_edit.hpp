#pragma once

#include <QAbstractSpinBox>

#include "stallcast/design.hpp"

namespace stallcast::desktop {

/// A number with its unit: "4 GB/s", "200 ms". Arrow keys move its leading digits, Enter takes what
/// was typed; what cannot be read is marked and says why.
class QuantityEdit : public QAbstractSpinBox {
  Q_OBJECT
 public:
  QuantityEdit(Dimension dimension, QWidget* parent);

  void set_range(double minimum, double maximum, double step);
  /// Keeps to the unit that this text has: "400 Gb/s". What is typed with another unit goes on in
  /// that.
  void set_like(const QString& written);
  /// The value as a scenario takes it, as it is shown.
  [[nodiscard]] QString written() const;
  /// Shows `value`; emits nothing.
  void set_value(double value);
  [[nodiscard]] double value() const { return value_; }
  /// Whether the text on screen is not a quantity: it is taken back when the field is left.
  [[nodiscard]] bool wrong() const { return wrong_; }

  void stepBy(int steps) override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  /// By the user.
  void value_changed(double value);

 protected:
  [[nodiscard]] StepEnabled stepEnabled() const override;

 private:
  void take_text();
  void mark(bool wrong);

  Dimension dimension_;
  QString like_;
  double value_ = 0.0;
  bool wrong_ = false;
  double minimum_, maximum_, step_ = 0.0;
};

}  // namespace stallcast::desktop
