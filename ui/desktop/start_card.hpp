#pragma once

#include <QAbstractButton>

#include "ui/desktop/icon.hpp"

namespace stallcast::desktop {

/// A large button with a drawing, what one wants, and what it opens.
class StartCard : public QAbstractButton {
 public:
  StartCard(Sign sign, const QString& title, const QString& about, QWidget* parent);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] QFont title_font() const;

  Sign sign_;
  QString about_;
};

}  // namespace stallcast::desktop
