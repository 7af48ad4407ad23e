#pragma once

#include <QToolButton>
#include <vector>

#include "ui/desktop/icon.hpp"

class QButtonGroup;
class QVBoxLayout;

namespace stallcast::desktop {

/// One place of the rail: its icon above its word, or the icon alone.
class RailButton : public QToolButton {
 public:
  RailButton(Sign sign, const QString& word, const QString& hint, QWidget* parent);
  void set_narrow(bool narrow);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Sign sign_;
  bool narrow_ = false;
};

/// Places below each other at the left edge of the window. Up and Down go along it.
class Rail : public QWidget {
  Q_OBJECT
 public:
  explicit Rail(QWidget* parent);
  void add(Sign sign, const QString& word, const QString& hint);
  /// -1: none of them.
  void choose(int place);
  /// Icons without their words.
  void set_narrow(bool narrow);
  [[nodiscard]] int chosen() const;

 signals:
  void picked(int place);

 private:
  QButtonGroup* group_;
  QVBoxLayout* layout_;
  std::vector<RailButton*> buttons_;
};

}  // namespace stallcast::desktop
