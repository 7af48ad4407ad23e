#pragma once

#include <QFrame>

class QVBoxLayout;

namespace stallcast::desktop {

/// What belongs together, on a ground of its own with round corners.
class Card : public QFrame {
 public:
  explicit Card(QWidget* parent);
  /// Its contents, from top to bottom.
  [[nodiscard]] QVBoxLayout* rows() const { return rows_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QVBoxLayout* rows_;
};

}  // namespace stallcast::desktop
