#pragma once

#include <QWidget>

#include "ui/desktop/workspace.hpp"

class QSlider;
class QToolButton;

namespace stallcast::desktop {

class QuantityEdit;

/// A slider with its value. One drag is one step of undo.
class SliderRow : public QWidget {
 public:
  SliderRow(Workspace& workspace, const SliderSpec& spec, QWidget* parent);

  [[nodiscard]] const SliderSpec& spec() const { return spec_; }
  /// The value moved elsewhere.
  void show_value(const SliderSpec& spec);
  /// As if the handle were dragged to `value`.
  void drag_to(double value);

 private:
  [[nodiscard]] double value_at(int place) const;
  [[nodiscard]] int place_of(double value) const;
  void move(double value, bool by_handle);

  Workspace& workspace_;
  SliderSpec spec_;
  QSlider* slider_;
  QuantityEdit* edit_;
  QTimer rest_;  // moves by keys are one step of undo until they rest
  int merge_ = 0;
  bool moving_ = false;
};

}  // namespace stallcast::desktop
