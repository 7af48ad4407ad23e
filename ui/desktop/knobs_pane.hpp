#pragma once

#include <vector>

#include "ui/desktop/card.hpp"
#include "ui/desktop/responses.hpp"

class QComboBox;
class QLabel;

namespace stallcast::desktop {

class ResponseChart;
class SliderRow;

/// The first sliders, each with what one metric does over its range.
class KnobsPane : public Card {
  Q_OBJECT
 public:
  KnobsPane(Workspace& workspace, QWidget* parent);
  void refresh();
  [[nodiscard]] Responses& responses() { return responses_; }
  /// As if the slider of `path` were dragged to `value`; false when there is none.
  bool drag(const QString& path, const QString& value);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void rebuild();
  void show_curves();
  void offer();

  struct Knob {
    SliderRow* row;
    ResponseChart* curve;
  };
  Workspace& workspace_;
  Responses responses_;
  QComboBox* metric_;
  QLabel* none_;
  QVBoxLayout* list_;
  std::vector<Knob> knobs_;
  bool choose_metric_ = true;  // once for each scenario, by what is missed most
};

}  // namespace stallcast::desktop
